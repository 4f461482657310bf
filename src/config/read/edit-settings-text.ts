// Changes one setting in the text of a settings file, and leaves the rest of the text as it is, comments of YAML included. Pure.
// Leaves what the value may be to resolve.ts.
import { applyEdits, findNodeAtLocation, modify, parseTree, type Node } from "jsonc-parser";
import { isMap, parseDocument } from "yaml";

/** How a settings file is written. `package`: the settings are below its key `looper`. */
export type SettingsFormat = "json" | "package" | "yaml";

/** The format of a settings file, by its name. */
export function formatOf(file: string): SettingsFormat {
  if (/\.ya?ml$/.test(file)) return "yaml";
  return /(?:^|\/)package\.json$/.test(file) ? "package" : "json";
}

/** One setting: its path, and its value as a file spells it; without `value` it is removed. */
export interface SettingEdit {
  path: readonly string[];
  value?: unknown;
}

/** The text with the change; `undefined` where a setting is to be removed that the text does not hold. */
export function editSettingsText(
  text: string,
  format: SettingsFormat,
  edit: SettingEdit,
): string | undefined {
  if (format === "yaml") return editYaml(text, edit);
  const path = format === "package" ? ["looper", ...edit.path] : [...edit.path];
  return editJson(text, { ...edit, path });
}

function editJson(text: string, { path, value }: SettingEdit): string | undefined {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const json = text.slice(mark.length);
  const whole = json.trim() === "" ? "{}\n" : json;
  const place = value === undefined ? removable(parseTree(whole), path) : [...path];
  if (place === undefined) return undefined;
  // Formatting would lay out what is beside a setting that is removed anew.
  if (value === undefined) return mark + applyEdits(whole, modify(whole, place, undefined, {}));
  const insertSpaces = !/^\t/m.test(whole);
  const tabSize = /^( +)\S/m.exec(whole)?.[1]?.length ?? 2;
  const eol = whole.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces, tabSize, eol };
  return mark + applyEdits(whole, modify(whole, place, value, { formattingOptions }));
}

/** The path to remove: the setting, or the object that would become empty. */
function removable(tree: Node | undefined, path: readonly string[]): string[] | undefined {
  if (tree === undefined || findNodeAtLocation(tree, [...path]) === undefined) return undefined;
  let place = [...path];
  while (place.length > 1) {
    const above = findNodeAtLocation(tree, place.slice(0, -1));
    if ((above?.children?.length ?? 0) > 1) break;
    place = place.slice(0, -1);
  }
  return place;
}

function editYaml(text: string, { path, value }: SettingEdit): string | undefined {
  const document = parseDocument(text);
  if (value === undefined) {
    if (!document.hasIn(path)) return undefined;
    let place = [...path];
    for (; place.length > 1; place = place.slice(0, -1)) {
      const above: unknown = document.getIn(place.slice(0, -1));
      if (isMap(above) && above.items.length > 1) break;
    }
    document.deleteIn(place);
  } else document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}
