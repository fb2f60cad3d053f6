// Where in the user's own code an error comes from: `file:line:column`, found in its stack. Pure.
import { fileURLToPath } from "node:url";

/** Folder of this package, in which nothing is the user's. */
const ownFolders = [new URL("../", import.meta.url), new URL("../../machines/", import.meta.url)].map((url) =>
  fileURLToPath(url),
);

/** The module that imports the user's, with whatever ending it has. */
const loader = fileURLToPath(new URL("./load-module.", import.meta.url));

/** The first place in the stack that is neither Node's, nor a dependency's, nor ours; undefined when there is none. */
export function sourceLineOf(error: Error, own: readonly string[] = ownFolders): string | undefined {
  for (const line of (error.stack ?? "").split("\n")) {
    // A frame (`at f (file:///x.ts:1:2)`), or the head that Node puts over a syntax error (`file:///x.ts:1`).
    const match = /(file:\/\/\/[^\s)]+|(?<=[\s(]|^)\/[^\s():]+):(\d+)(?::(\d+))?\)?$/.exec(line);
    const [, place = "", row = "", column] = match ?? [];
    if (match === null) continue;
    const file = place.startsWith("file:") ? fileURLToPath(place.replace(/\?.*$/, "")) : place;
    // Who loaded the module is not where it fails.
    if (file.startsWith(loader)) return undefined;
    if (file.includes("/node_modules/") || own.some((folder) => file.startsWith(folder))) continue;
    return [file, row, ...(column === undefined ? [] : [column])].join(":");
  }
  return undefined;
}
