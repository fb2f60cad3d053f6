// The results of a run as people read them. Pure.
import type { Finding } from "../running/check-objects.ts";

/** The lines of a finding: what, where, and below them the details. */
export function describeFinding({ title, where, details }: Finding): readonly string[] {
  return [title, ...(where === undefined ? [] : [`  at ${where}`]), ...details.map((line) => `  ${line}`)];
}
