// Something wrong that is reported, not thrown: found by the checks of options and machines, or met during a cycle.
import { OperatorError } from "./operator-error.ts";

/** One finding, for people and for tests. */
export interface Problem {
  /** Stable; listed with the error codes. */
  readonly code: string;
  /** An error keeps a lifecycle from being used; a warning does not. */
  readonly severity: "error" | "warning";
  /** Path of the state it is about. */
  readonly state?: string;
  /** The event of the edge it is about, in the author's words. */
  readonly event?: string;
  /** The option it is about: names joined by dots, as in `application.tasks.backUp.poll`. */
  readonly option?: string;
  /** `file:line:column`, of what was read from a file. */
  readonly where?: string;
  /** What, where and why. */
  readonly message: string;
  /** What to do about it, as a sentence. */
  readonly remedy: string;
}

/** The message of a finding with the place before it, unless it names that itself. */
export function placedMessage({ where, message }: Pick<Problem, "where" | "message">): string {
  return where === undefined || message.includes(where) ? message : `${where}: ${message}`;
}

/** What an error about findings says besides them. */
export interface Refusal {
  readonly code: string;
  /** What has the errors, as the subject of a sentence. */
  readonly subject: string;
  /** Whose findings they are: `check` reads `kind` and `machine`. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly remedy: string;
}

/** Throws when an error is among the findings: one line for each, and all of them in the field `problems`. */
export function refuseErrors(problems: readonly Problem[], { code, subject, fields, remedy }: Refusal): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const lines = errors.map(
    ({ where, message, remedy: what }) => `- ${where === undefined ? "" : `${where}: `}${message} (${what})`,
  );
  throw new OperatorError(code, `${subject} has errors:\n${lines.join("\n")}`, {
    fields: { ...fields, errors: errors.length, problems },
    remedy,
  });
}
