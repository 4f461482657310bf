// Decides whether texts mention a URL. Pure. The caller chooses the texts; the model's own texts must not count.

/** Characters that may follow a URL in a sentence without being part of it. */
const AFTER = /^\/?(?:[#?]?[.,;:!?)\]}>'"`*_]*)(?:$|[\s"'<>`()[\]{}|\\])/;

/** Whether one of the texts names the URL, with or without its scheme, its fragment or a final slash. */
export function isMentioned(url: string, texts: Iterable<string>): boolean {
  const wanted = normalizeUrl(url);
  if (wanted === "") return false;
  for (const text of texts) {
    const within = text.toLowerCase();
    for (let at = within.indexOf(wanted); at >= 0; at = within.indexOf(wanted, at + 1)) {
      const before = within[at - 1] ?? " ";
      const behind = within.slice(at + wanted.length, at + wanted.length + 20);
      if (!/[\w.@%-]/.test(before) && (AFTER.test(behind) || /^\/?#/.test(behind))) return true;
    }
  }
  return false;
}

/** Removes scheme, fragment and final slash; ignores case. */
function normalizeUrl(url: string): string {
  const [head = ""] = url.toLowerCase().split("#");
  return head.replace(/^https?:\/\//, "").replace(/\/$/, "");
}
