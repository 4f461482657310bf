// Whether a URL stands in texts. Pure. Leaves which texts count to the caller: what the model wrote itself must not.

/** What may stand behind a URL in a sentence and is no part of it. */
const AFTER = /^\/?(?:[#?]?[.,;:!?)\]}>'"`*_]*)(?:$|[\s"'<>`()[\]{}|\\])/;

/** Whether one of the texts names the URL, with or without its scheme, its fragment, a slash at its end. */
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

/** Without scheme, fragment and the slash at its end; case does not count. */
function normalizeUrl(url: string): string {
  const [head = ""] = url.toLowerCase().split("#");
  return head.replace(/^https?:\/\//, "").replace(/\/$/, "");
}
