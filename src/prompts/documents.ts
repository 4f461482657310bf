// Which documents of a project say what is to be built. Leaves reading them to read-documents.ts.

/** Words of file names that mean such a document, the most telling first. */
const TELLING = [
  "spec",
  "specs",
  "specification",
  "prd",
  "requirements",
  "design",
  "idea",
  "ideas",
  "brief",
  "proposal",
  "plan",
  "project",
  "roadmap",
  "vision",
  "goals",
  "scope",
  "architecture",
  "overview",
  "readme",
];

/** The folders looked into, relative to the project. */
export const DOCUMENT_FOLDERS = ["", "docs"] as const;

/** Those of the paths (relative to the project) that count, the most telling first; a tie keeps their order. */
export function chooseDocuments(paths: readonly string[]): string[] {
  const ranked = paths.map((path) => ({ path, rank: rankOf(path) })).filter(({ rank }) => rank >= 0);
  return ranked.sort((a, b) => a.rank - b.rank).map(({ path }) => path);
}

/** Its place in the list above; -1 when it does not count. */
function rankOf(path: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (!name.endsWith(".md")) return -1;
  const words = name.slice(0, -".md".length).split(/[^a-z0-9]+/);
  return TELLING.findIndex((word) => words.includes(word));
}
