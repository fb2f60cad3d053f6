// What a page receives about the operator itself.
import type { OperatorHealth } from "../ports/operator-health.ts";

/** How the operator is, and what runs it. */
export interface ShownHealth extends OperatorHealth {
  /** Of the library. */
  readonly version?: string;
}
