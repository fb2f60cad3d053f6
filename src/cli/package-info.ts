// This package itself: where it is and which version, in a checkout (src/cli) as well as built (dist/src/cli).
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packedParts } from "../ports/packed-parts.ts";

/** What is known of this package. */
export interface PackageInfo {
  /** Its folder. */
  readonly root: string;
  readonly version: string;
}

/** Reads this package's own package.json. */
export function readPackage(): PackageInfo {
  const packed = packedParts();
  let root = dirname(fileURLToPath(import.meta.url));
  if (packed !== undefined) return { root, version: packed.version };
  while (!existsSync(join(root, "package.json")) && root !== dirname(root)) root = dirname(root);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  return { root, version };
}
