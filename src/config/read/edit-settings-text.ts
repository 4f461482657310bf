// Changes one setting in the text of a settings file, and leaves the rest of the text as it is, comments of YAML included. Pure.
// Leaves what the value may be to resolve.ts.
import { applyEdits, findNodeAtLocation, modify, parseTree } from "jsonc-parser";
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
  if (value === undefined) {
    const tree = parseTree(whole);
    if (tree === undefined || findNodeAtLocation(tree, [...path]) === undefined) return undefined;
    const place = removable(path, (above) => findNodeAtLocation(tree, above)?.children?.length ?? 0);
    // Formatting would lay out what is beside a setting that is removed anew.
    return mark + applyEdits(whole, modify(whole, place, undefined, {}));
  }
  const insertSpaces = !/^\t/m.test(whole);
  const tabSize = /^( +)\S/m.exec(whole)?.[1]?.length ?? 2;
  const eol = whole.includes("\r\n") ? "\r\n" : "\n";
  const formattingOptions = { insertSpaces, tabSize, eol };
  return mark + applyEdits(whole, modify(whole, [...path], value, { formattingOptions }));
}

/** The path to remove: the setting, or the object that would become empty. `sizeAt`: how many members an object has. */
function removable(path: readonly string[], sizeAt: (place: string[]) => number): string[] {
  let place = [...path];
  while (place.length > 1 && sizeAt(place.slice(0, -1)) <= 1) place = place.slice(0, -1);
  return place;
}

function editYaml(text: string, { path, value }: SettingEdit): string | undefined {
  const document = parseDocument(text);
  if (value === undefined) {
    if (!document.hasIn(path)) return undefined;
    const sizeAt = (place: string[]): number => {
      const above: unknown = document.getIn(place);
      return isMap(above) ? above.items.length : 0;
    };
    document.deleteIn(removable(path, sizeAt));
  } else document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}
