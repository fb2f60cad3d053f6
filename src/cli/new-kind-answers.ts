// The answers that `init` and `create api` need: from flags, from the person at the terminal, or what is usual.
import { checks, kebabCase, refuseInvalid } from "../scaffold/names.ts";
import type { NewKind } from "../scaffold/kind-files.ts";
import { ExitCode } from "./exit-code.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/** A question, which a flag of the same name answers, too. */
export interface Question {
  readonly what: keyof typeof checks;
  readonly question: string;
  readonly flag: string | undefined;
  readonly usual: string;
}

/** How a command is answered. */
export interface AnswerOptions {
  /** What is usual is taken without a question. */
  readonly yes?: boolean;
}

/** A person who leaves at a question. */
const interrupted = 130;

/**
 * The answer to a question. An invalid flag is refused, an invalid answer of a person is asked for again.
 *
 * **Errors**: `ANSWER_INVALID`; a usage error where nobody can be asked; exit code 130 when the person leaves.
 */
export async function answer(
  terminal: Terminal,
  { what, question, flag, usual }: Question,
  { yes = false }: AnswerOptions,
): Promise<string> {
  if (flag !== undefined || yes) {
    refuseInvalid(what, flag ?? usual);
    return flag ?? usual;
  }
  if (terminal.ask === undefined) {
    throw new UsageError(
      `--${what} is missing, and there is no terminal on which to ask`,
      `Give --${what}, or --yes for what is usual (${usual}).`,
    );
  }
  for (;;) {
    const typed = await terminal.ask(`${question} (${usual}): `);
    if (typed === undefined) {
      terminal.err("\nnothing was written\n");
      throw new ExitCode(interrupted);
    }
    const given = typed.trim() === "" ? usual : typed.trim();
    const expected = checks[what](given);
    if (expected === undefined) return given;
    terminal.err(`  "${given}" cannot be used.\n  Write ${expected}.\n`);
  }
}

/** The flags of a new kind. */
export interface KindFlags extends AnswerOptions {
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
}

/** The answers for a new kind; `project` is the name of its operator. */
export async function answerKind(
  terminal: Terminal,
  flags: KindFlags,
  project: string,
  usualKind: string,
): Promise<NewKind> {
  const { kind, group, version } = flags;
  const stem = kebabCase(project).replace(/-operator$/, "");
  const ask = (question: Question): Promise<string> => answer(terminal, question, flags);
  return {
    kind: await ask({ what: "kind", question: "Kind", flag: kind, usual: usualKind }),
    group: await ask({ what: "group", question: "API group", flag: group, usual: `${stem}.example.com` }),
    version: await ask({ what: "version", question: "Version", flag: version, usual: "v1alpha1" }),
  };
}
