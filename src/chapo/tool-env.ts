// The environment tools run in: the session's, without what pays for models. Pure.

/** A command a model thought of has no need of them, and could print them. */
const MODEL_KEYS = new Set([
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "LOOPER_CHAPO_API_KEY",
]);

/** The environment without the keys of model providers. */
export function createToolEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !MODEL_KEYS.has(name)));
}
