// How an error reads on a terminal: what, where, why, and what to do. The stack only when it was asked for.
import { Ansis } from "ansis";
import { sourceLineOf } from "./source-line.ts";
import { visible } from "./visible-text.ts";

/** Options of {@link formatError}. */
export interface ErrorFormat {
  readonly color: boolean;
  /** Adds the stack of the error and of its causes. */
  readonly debug: boolean;
}

interface Described {
  readonly message: string;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly where: string | undefined;
  readonly cause: unknown;
  readonly stack: string | undefined;
}

/** The lines that explain an error; ends with a line break. */
export function formatError(error: unknown, { color, debug }: ErrorFormat): string {
  const paint = new Ansis(color ? 1 : 0);
  const { message, code, remedy, where, cause, stack } = describe(error);
  const [first = "", ...rest] = message.split("\n");
  const lines = [`${paint.red.bold("error")}: ${first}`, ...rest.map((line) => `  ${line}`)];
  const add = (label: string, text: string): void =>
    void lines.push(`  ${paint.dim(`${label}:`)} ${visible(text)}`);
  if (where !== undefined) add("where", where);
  for (const reason of reasonsOf(cause, message)) add("why", reason);
  if (remedy !== undefined) add("do", remedy);
  else if (code === undefined) add("do", "Run it again with --debug to see the stack.");
  if (code !== undefined) add("code", code);
  if (debug && stack !== undefined)
    lines.push("", stack, ...causesOf(cause).map((each) => `caused by: ${each.stack}`));
  return `${lines.join("\n")}\n`;
}

// By shape, not by class: the user's operator may bring its own copy of this package.
function describe(error: unknown): Described {
  const { message, code, remedy, fields, cause, stack } = (
    typeof error === "object" && error !== null ? error : {}
  ) as {
    readonly [key: string]: unknown;
  };
  const text = (value: unknown): string | undefined =>
    typeof value === "string" ? visible(value) : undefined;
  const ours = text(remedy) !== undefined || (typeof fields === "object" && fields !== null);
  return {
    message: text(message) ?? visible(String(error)),
    code: ours ? text(code) : undefined,
    remedy: text(remedy),
    where: text((fields as { where?: unknown } | undefined)?.where),
    cause,
    stack: text(stack),
  };
}

/** The messages of the causes that say something new, with the line of the user's code when there is one. */
function reasonsOf(cause: unknown, message: string): string[] {
  const reasons: string[] = [];
  for (const each of causesOf(cause)) {
    if (message.includes(each.message) || reasons.some((reason) => reason.includes(each.message))) continue;
    const line = sourceLineOf(each);
    reasons.push(line === undefined ? each.message : `${each.message} (${line})`);
  }
  return reasons;
}

function causesOf(cause: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = cause; each instanceof Error && causes.length < 5; each = each.cause) causes.push(each);
  return causes;
}
