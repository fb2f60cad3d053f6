// What `$NAME` and `${NAME}` stand for in commands and paths, and how a command line is taken apart. Pure.
import { OperatorError } from "../../ports/operator-error.ts";

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The text with its variables; one that is not set is empty, and `$$` is a dollar sign. */
export function expandVariables(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$(?:(\$)|\{(\w+)\}|([A-Za-z_]\w*))/g,
    (_whole, dollar: string | undefined, braced: string | undefined, plain: string | undefined) =>
      dollar ?? variables[braced ?? plain ?? ""] ?? "",
  );
}

/**
 * The words of a command line, as a shell takes them apart: by spaces, but for quotes and backslashes. No shell runs it.
 *
 * **Errors**: `TEST_COMMAND_INVALID` for a quote that does not end.
 */
export function splitCommandLine(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  const parts = /(\s+|(?<=^|\s)#.*)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/gy;
  let end = 0;
  for (const [whole, between, single, double, escaped, plain] of line.matchAll(parts)) {
    end += whole.length;
    if (between !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const more = single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "";
    word = (word ?? "") + more;
  }
  if (end < line.length) {
    throw new OperatorError("TEST_COMMAND_INVALID", `a quote does not end: ${line}`, {
      remedy: `End it with ${line[end] ?? ""}, or write the command as a script.`,
    });
  }
  return word === undefined ? words : [...words, word];
}
