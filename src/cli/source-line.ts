// Where in the user's own code an error comes from: `file:line:column`, found in its stack. Pure.
import { fileURLToPath } from "node:url";
import { framesOf, isAuthors } from "../ports/author-code.ts";
import { ownFolder } from "../ports/own-folder.ts";

/** The module that imports the user's, with whatever ending it has. */
const loader = fileURLToPath(new URL("cli/load-module.", ownFolder));

/** Errors and causes that are looked through. */
const deepest = 5;

/**
 * The first place in the stack, or in that of a cause, that is neither Node's, nor a dependency's, nor ours; undefined when there is
 * none.
 */
export function sourceLineOf(error: Error, own?: readonly string[]): string | undefined {
  let each: unknown = error;
  for (let depth = 0; each instanceof Error && depth < deepest; depth += 1) {
    for (const frame of framesOf(each)) {
      // Who loaded the module is not where it fails.
      if (frame.file.startsWith(loader)) return undefined;
      if (isAuthors(frame, own)) return frame.place;
    }
    each = each.cause;
  }
  return undefined;
}
