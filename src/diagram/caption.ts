// What the marks of a drawing say, in words. Pure.
import type { DiagramMarks } from "./marks.ts";

/** One sentence for each kind of mark; empty when nothing is marked. */
export function activeCaption({ active, planned, target }: DiagramMarks): string {
  return [
    ...(active.length === 0 ? [] : [`now in ${active.join(", ")}`]),
    ...(planned.length === 0 ? [] : [`then ${planned.join(", ")}`]),
    ...(target === undefined ? [] : [`target is ${target}`]),
  ].join("; ");
}
