// In what the embedded API server knowingly answers otherwise than the real one, and why.
import type { Difference } from "../../support/left-behind.ts";

/** A kind of differences between texts. */
interface Known {
  /** What is left of a text when it is not looked at. */
  readonly without: (text: string) => string;
  readonly reason: string;
}

const known: readonly Known[] = [
  {
    without: (text) => text.replaceAll(/Go struct field \S+ of type [^"]*/g, "Go struct field"),
    reason: "which type of Go has the field that cannot be read",
  },
  {
    without: (text) => text.replaceAll(/patch: Invalid value: [^]*/g, ""),
    reason: "an unreadable result of a patch, as Go prints it, and what it says of it",
  },
  {
    without: (text) => text.replace(/^Invalid value: "(?:map\[|\{\\")[^]*/, ""),
    reason: "the same in a cause",
  },
  {
    without: (text) => text.replace(/json parse error: .*/, ""),
    reason: "what Go says of a body that is no object",
  },
  {
    without: (text) =>
      text.includes("field not declared in schema")
        ? text.replace(/\): .*$/s, ") of an unknown field")
        : text,
    reason: "what is looked at before a field that is not declared, which is at random in Go",
  },
  {
    without: (text) => text.replace(/(?<=unable to convert unstructured object to ).*/s, ""),
    reason: "what Go says of a value of an applied object that it cannot convert",
  },
  {
    without: (text) => (text.includes("errors:\n") ? text.split("\n").toSorted().join("\n") : text),
    reason:
      "in which order the fields are looked at that are no instances of their types, which is at random in Go",
  },
  {
    without: (text) =>
      text.replace(
        /Invalid value: \{[^]*\}: field is immutable/,
        "Invalid value: STRUCT: field is immutable",
      ),
    reason: "a struct that may not change, as Go prints it",
  },
  {
    without: (text) => text.replace(/\n(?:@@[^]*)?$/, ""),
    reason: "what has changed in a field that may not, as a listing of Go's comparison",
  },
];

/** Why it may differ; undefined if it may not. */
export function knownDifference({ embedded, real }: Difference): string | undefined {
  if (typeof embedded !== "string" || typeof real !== "string") return undefined;
  return known.find(({ without }) => without(embedded) === without(real))?.reason;
}
