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
  /** What it follows from. */
  readonly note: string;
  readonly whole: string;
  readonly start: number;
  readonly isUntouched: boolean;
}

const pattern =
  /^[ \t]*\/\/ #region (\w+): ([^\n]*) \(([0-9a-f]{8})\)[ \t]*\r?\n(.*?)^[ \t]*\/\/ #endregion \1[ \t]*$/gms;

function regionsOf(text: string): readonly Region[] {
  return [...text.matchAll(pattern)].map(
    ({ 0: whole, 1: id = "", 2: note = "", 3: sum, 4: body = "", index }) => ({
      id,
      note,
      whole,
      start: index,
      isUntouched: checksumOf(body) === sum,
    }),
  );
}

/** What formatters change is not counted. */
function checksumOf(body: string): string {
  const plain = body.replaceAll(/[\s,;()"'`]/g, "");
  return createHash("sha256").update(plain).digest("hex").slice(0, 8);
}

/**
 * A file with its regions replaced by those of a new generation; everything else is kept as the author has it.
 *
 * **Errors**: `FILE_EXISTS` when the file has none of the regions, or one was changed by hand or follows from something else.
 */
export function regenerated(old: string, fresh: string, file: string): string {
  const found = regionsOf(old);
  const wanted = regionsOf(fresh);
  const problem = refusalOf(found, wanted);
  if (problem !== undefined) {
    throw new OperatorError("FILE_EXISTS", `${file} is there already, and ${problem}; nothing was written`, {
      remedy:
        "Give the new file another name (--name), move what you wrote below the #endregion, or write the file from scratch (--force): the old one is kept as .bak.",
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

/** Why the regions that are there cannot be replaced. */
function refusalOf(found: readonly Region[], wanted: readonly Region[]): string | undefined {
  for (const { id, note } of wanted) {
    const old = found.find((each) => each.id === id);
    if (old === undefined) return `has no region "${id}" that could be replaced`;
    if (!old.isUntouched) return `was changed in its region "${id}", which would be replaced`;
    if (old.note !== note) return `was generated from something else (${old.note})`;
  }
  return undefined;
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
