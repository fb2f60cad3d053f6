// In what the answers of two API servers to one request differ.
import type { Body, RawAnswer } from "../api-server/raw-request.ts";

/** In what, from what matters most to what matters least. */
export type DifferenceKind =
  | "refused here alone"
  | "taken here alone"
  | "stored otherwise"
  | "other status or reason"
  | "other causes"
  | "other words"
  | "other order";

/** A difference, with what each of the two says. */
export interface AnswerDifference {
  readonly kind: DifferenceKind;
  readonly embedded: unknown;
  readonly real: unknown;
}

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** The first difference that matters, or undefined. */
export function differenceOf(embedded: RawAnswer, real: RawAnswer): AnswerDifference | undefined {
  const [ours, theirs] = [isTaken(embedded), isTaken(real)];
  const said = (kind: DifferenceKind, of: (answer: RawAnswer) => unknown): AnswerDifference => ({
    kind,
    embedded: of(embedded),
    real: of(real),
  });
  const differ = (of: (answer: RawAnswer) => unknown): boolean =>
    JSON.stringify(of(embedded)) !== JSON.stringify(of(real));
  if (ours !== theirs) {
    return said(ours ? "taken here alone" : "refused here alone", (answer) =>
      isTaken(answer) ? answer.status : [answer.status, ...causesOf(answer), messageOf(answer)],
    );
  }
  if (ours) {
    if (differ((answer) => sorted(stored(answer)))) return said("stored otherwise", stored);
    if (differ(warningsOf)) return said("other words", warningsOf);
    return differ(stored) ? said("other order", stored) : undefined;
  }
  if (differ(verdictOf))
    return said("other status or reason", (answer) => [...verdictOf(answer), messageOf(answer)]);
  if (differ(causesOf)) return said("other causes", causesOf);
  if (differ(wordsOf)) return said("other words", wordsOf);
  return undefined;
}

function isTaken({ status }: RawAnswer): boolean {
  return status < 300;
}

function verdictOf({ status, body }: RawAnswer): readonly unknown[] {
  return [status, body["reason"] ?? null];
}

/** Kubernetes goes through maps in no order of its own. */
function causesOf(answer: RawAnswer): readonly string[] {
  return causes(answer)
    .map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${plain(field)}`)
    .sort();
}

function wordsOf(answer: RawAnswer): readonly string[] {
  const words = causes(answer).map(({ field, message }) => `${field}: ${withoutDiff(plain(message))}`);
  return words.length === 0 ? [messageOf(answer)] : words.sort();
}

/** The real server shows line by line how what may not be changed differs. */
function withoutDiff(message: string): string {
  return message.replace(/\n(?:@@[^]*)?$/, "");
}

function messageOf({ body }: RawAnswer): string {
  return plain(String(body["message"]));
}

function warningsOf({ headers }: RawAnswer): unknown {
  // The real server says several in one header.
  return [headers["warning"] ?? []]
    .flat()
    .flatMap((text) => text.split(/, (?=299 - )/))
    .sort();
}

function causes({ body }: RawAnswer): readonly Cause[] {
  const { causes: given = [] } = (body["details"] ?? {}) as { readonly causes?: readonly Cause[] };
  return given;
}

/** What a server gives out by itself is not compared. */
function plain(text: string): string {
  return (
    text
      .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-ENDED")
      .replaceAll(/\b(?:10|127)\.96\.\d+\.\d+\b/g, "ADDRESS")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
      .replaceAll(/"token":"[\w.-]+"/g, '"token":"TOKEN"')
      .replaceAll(/\b202[1-9]-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "NOW")
      .replaceAll(/(resourceVersion in record \(|ResourceVersion in object meta: )\d+/gi, "$10")
      .replaceAll(/("nodePort":|"healthCheckNodePort":|nodePort: \{\w+ )3\d{4}/g, "$130000")
      // Of the person who asks, as the real server is told of that one.
      .replaceAll(/"uid":"[0-9a-f]{64}",/g, "")
  );
}

/** What is stored, in the order in which it is said. */
function stored({ text }: RawAnswer): unknown {
  const object = JSON.parse(plain(text)) as Body & { metadata: Body };
  delete object.metadata["managedFields"];
  delete object.metadata["resourceVersion"];
  // The real server tells by and by whether the level of requests exists.
  const status = object["status"] as { conditions?: readonly { readonly type: string }[] } | undefined;
  if (object["kind"] === "FlowSchema" && status?.conditions !== undefined) {
    status.conditions = status.conditions.filter(({ type }) => type !== "Dangling");
    if (status.conditions.length === 0) delete status.conditions;
  }
  return object;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, sorted(each)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
