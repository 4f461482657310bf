// The environment of tools: the session's, without the keys of models. Pure.

/** A model's command does not need these keys and could print them. */
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

/** Returns the values of the model providers' keys. */
export function findModelKeys(env: Readonly<Record<string, string>>): string[] {
  return [...MODEL_KEYS].flatMap((name) => {
    const value = env[name] ?? "";
    return value.length >= SHORTEST_KEY ? [value] : [];
  });
}

/** Shorter values are placeholders, such as those of local servers. */
const SHORTEST_KEY = 8;

/** Returns the environment without the keys of model providers. */
export function createToolEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !MODEL_KEYS.has(name)));
}
