// The packages that pages of ours may import, and how a browser finds them.
import { createHash } from "node:crypto";
import { requirePackages } from "../ports/optional-package.ts";
import { packedParts } from "../ports/packed-parts.ts";

/** By the name that modules import. */
export const pagePackages: readonly string[] = ["preact", "preact/hooks", "htm", "htm/preact"];

/**
 * Checks that what pages are made of is there; `purpose` begins the sentence of the error. **Errors**: `PACKAGE_MISSING`.
 */
export function requirePagePackages(purpose: string): void {
  // A built operator has them in it.
  if (packedParts() === undefined) requirePackages(purpose, [...pagePackages, "elkjs"]);
}

/** The import map that lets pages import {@link pagePackages}; a page holds it as it is. */
export const importMap = JSON.stringify({
  imports: Object.fromEntries(pagePackages.map((name) => [name, `./packages/${name}.js`])),
});

/** Allows the import map, and no other script within a page. */
export const importMapSource = `'sha256-${createHash("sha256").update(importMap).digest("base64")}'`;
