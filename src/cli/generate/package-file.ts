// The author's package.json: the nearest one at or above the operator's module.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFactsOf, type PackageFacts } from "../../delivery/package-facts.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";

/** What the package of a module says. Errors: `PACKAGE_UNREADABLE`. */
export function packageOf(module: string): PackageFacts {
  let folder = dirname(module);
  while (!existsSync(join(folder, "package.json"))) {
    if (folder === dirname(folder)) return packageFactsOf(undefined);
    folder = dirname(folder);
  }
  const file = join(folder, "package.json");
  try {
    return packageFactsOf(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new OperatorError("PACKAGE_UNREADABLE", `${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
      remedy: "Correct the file; the version of the operator is read from it.",
    });
  }
}
