// Durations that are written as numbers without a unit: milliseconds, where people mean seconds.
import { isJsonArray, isJsonObject } from "../../schema/json-value.ts";
import type { FileReader, Path } from "../file/file-reader.ts";

const durations = new Set(["poll", "timeout", "delay"]);

/** What has durations nowhere, or is no form of ours. */
const others = new Set(
  "spec status versions lifecycle children patch body apply job read statusFields facts output actions delays guards".split(
    " ",
  ),
);

/** Milliseconds below which nobody means milliseconds. */
const least = 1_000;

/** Warns of short durations in a kind without its lifecycle. */
export function checkDurations(form: unknown, reader: FileReader, path: Path): void {
  const inner: readonly (readonly [string, unknown])[] = isJsonArray(form)
    ? form.map((item, index) => [String(index), item])
    : isJsonObject(form)
      ? Object.entries(form)
      : [];
  for (const [name, value] of inner) {
    const here = [...path, name];
    if (durations.has(name) && typeof value === "number" && value < least)
      reportShort(value, { reader, path: here });
    else if (!others.has(name)) checkDurations(value, reader, here);
  }
}

/** Warns of a duration of few milliseconds. */
export function reportShort(
  milliseconds: number,
  { reader, path }: { readonly reader: FileReader; readonly path: Path },
): void {
  reader.report({
    code: "DURATION_SHORT",
    severity: "warning",
    path,
    message: `a number without a unit is milliseconds: this is ${milliseconds} ms`,
    remedy: `Write "${milliseconds}s", if seconds are meant, or "${milliseconds}ms".`,
  });
}
