// Changes one setting in the text of a settings file in JSON, and leaves the rest of the text as it is. Pure.
// Leaves what the value may be to resolve.ts.
import { applyEdits, findNodeAtLocation, modify, parseTree, type Node } from "jsonc-parser";

/** One setting: its path, and its value as the file spells it; without `value` it is removed. */
export interface SettingEdit {
  path: readonly string[];
  value?: unknown;
}

/** The text with the change; `undefined` where a setting is to be removed that the text does not hold. */
export function editSettingsText(text: string, { path, value }: SettingEdit): string | undefined {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const json = text.slice(mark.length);
  const whole = json.trim() === "" ? "{}\n" : json;
  if (value === undefined) {
    const tree = parseTree(whole);
    if (tree === undefined || findNodeAtLocation(tree, [...path]) === undefined) return undefined;
    // Formatting would lay out what is beside a setting that is removed anew.
    return mark + applyEdits(whole, modify(whole, removable(tree, path), undefined, {}));
  }
  const insertSpaces = !/^\t/m.test(whole);
  const tabSize = /^( +)\S/m.exec(whole)?.[1]?.length ?? 2;
  const eol = whole.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces, tabSize, eol };
  return mark + applyEdits(whole, modify(whole, [...path], value, { formattingOptions }));
}

/** The path to remove: the setting, or the object that would become empty. */
function removable(tree: Node, path: readonly string[]): string[] {
  let place = [...path];
  while (place.length > 1 && findNodeAtLocation(tree, place.slice(0, -1))?.children?.length === 1)
    place = place.slice(0, -1);
  return place;
}
