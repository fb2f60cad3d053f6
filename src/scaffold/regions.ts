// The regions of a generated file: what is replaced when it is generated again, each with a checksum, so that what an author
// has written into one is noticed.
import { createHash } from "node:crypto";
import { OperatorError } from "../ports/operator-error.ts";

/** A region of statements, each beginning at `indent`. */
export function region(id: string, note: string, statements: readonly string[], indent: number): string {
  const space = " ".repeat(indent);
  const body = statements.map((statement) => `${space}${statement}\n`).join("");
  return `${space}// #region ${id}: ${note} (${checksumOf(body)})\n${body}${space}// #endregion ${id}`;
}

interface Region {
  readonly id: string;
  readonly whole: string;
  readonly start: number;
  readonly isUntouched: boolean;
}

const pattern =
  /^[ \t]*\/\/ #region (\w+): [^\n]*\(([0-9a-f]{8})\)[ \t]*\r?\n(.*?)^[ \t]*\/\/ #endregion \1[ \t]*$/gms;

function regionsOf(text: string): readonly Region[] {
  return [...text.matchAll(pattern)].map(({ 0: whole, 1: id = "", 2: sum, 3: body = "", index }) => ({
    id,
    whole,
    start: index,
    isUntouched: checksumOf(body) === sum,
  }));
}

/** What formatters change is not counted. */
function checksumOf(body: string): string {
  const plain = body.replaceAll(/[\s,;()"'`]/g, "");
  return createHash("sha256").update(plain).digest("hex").slice(0, 8);
}

/**
 * A file with its regions replaced by those of a new generation; everything else is kept as the author has it.
 *
 * **Errors**: `FILE_EXISTS` when the file has none of the regions, or one was changed by hand.
 */
export function regenerated(old: string, fresh: string, file: string): string {
  const found = regionsOf(old);
  const wanted = regionsOf(fresh);
  const missing = wanted.find(({ id }) => !found.some((each) => each.id === id));
  const touched = found.find(({ isUntouched }) => !isUntouched);
  if (missing !== undefined || touched !== undefined) {
    const why =
      touched === undefined
        ? `has no region "${missing?.id}" that could be replaced`
        : `was changed in its region "${touched.id}", which would be replaced`;
    throw new OperatorError("FILE_EXISTS", `${file} is there already, and ${why}; nothing was written`, {
      remedy:
        touched === undefined
          ? "Give the new file another name (--name), or write it anew (--force): the old one is kept as .bak."
          : "Move what you wrote below the #endregion, or write the file anew (--force): the old one is kept as .bak.",
    });
  }
  let text = old;
  for (const { id, whole, start } of found.toReversed()) {
    const replacement = wanted.find((each) => each.id === id);
    if (replacement === undefined) continue;
    text = `${text.slice(0, start)}${replacement.whole}${text.slice(start + whole.length)}`;
  }
  return withParameters(text, fresh);
}

/** A part that declared nothing takes no parameters; now it may need them. */
function withParameters(text: string, fresh: string): string {
  let result = text;
  for (const part of ["mutateWithInitialData", "mutateWithCR"]) {
    const head = new RegExp(`${part}: (\\([^)]+\\)) =>`).exec(fresh)?.[0];
    if (head !== undefined) result = result.replace(`${part}: () =>`, head);
  }
  return result;
}
