// What the objects of a cluster are found by.
import type { InstanceOf } from "xstate-operator";
import type { Postgres } from "../postgres.ts";

/** Labels of its pods. */
export function labelsOf({ metadata }: InstanceOf<typeof Postgres>): Record<string, string> {
  return { "app.kubernetes.io/name": "postgres", "app.kubernetes.io/instance": metadata.name };
}
