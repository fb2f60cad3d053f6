// The dictionary of kinds that comes with the package.
import { readFileSync } from "node:fs";
import { ownFolder } from "../ports/own-folder.ts";
import { parseDictionary, type Dictionary } from "../scaffold/dictionary.ts";

/** Reads it. It lies beside the modules of src/scaffold, in a checkout as well as built. */
export function readOwnDictionary(): Dictionary {
  const text = readFileSync(new URL("scaffold/dictionary.yaml", ownFolder), "utf8");
  return parseDictionary(text, "the dictionary");
}
