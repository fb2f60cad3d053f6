// One line of the board: what is shown of every resource, worked out from the object alone. Pure.
import {
  formatInstant,
  readField,
  readFields,
  readInstant,
  readText,
} from "../lifecycle/values/untrusted.ts";
import { readStatus } from "../lifecycle/stored/read-status.ts";
import { findCondition, type Condition } from "../meta/condition.ts";
import type { KubeObject } from "../meta/object.ts";

/** How a resource is. */
export type Health = "ready" | "progressing" | "degraded" | "failed" | "suspended" | "deleting" | "unknown";

/** One resource. Instants are RFC 3339. */
export interface BoardRow {
  readonly uid: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly created: string;
  /** The active states; empty before the first. */
  readonly state: string;
  readonly since?: string;
  /** The target state. */
  readonly target?: string;
  readonly reached?: boolean;
  /** How the target ended without being reached, and what made it. */
  readonly outcome?: string;
  readonly plan: readonly string[];
  readonly paused: boolean;
  readonly health: Health;
  /** What is said about it, for people. */
  readonly message: string;
}

/** The line of a resource. Never throws, whatever its status holds. */
export function rowOf(object: KubeObject): BoardRow {
  const { kind, metadata } = object;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp } = metadata;
  const raw = readFields(readField(readFields(object) ?? {}, "status")) ?? {};
  const stored = readField(raw, "lifecycle");
  const { state = "", since, target, plan = [], paused } = readStatus(stored);
  const conditions = conditionsOf(raw);
  const lifecycle = findCondition(conditions, "Lifecycle");
  return {
    uid,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    created: creationTimestamp,
    state: state === "" ? (lifecycle?.reason ?? "") : state,
    ...(since === undefined ? {} : { since: formatInstant(since) }),
    ...(target === undefined ? {} : { target: target.state, reached: target.reached }),
    ...(target?.outcome === undefined
      ? {}
      : { outcome: target.cause === undefined ? target.outcome : `${target.outcome}: ${target.cause}` }),
    plan,
    paused: paused !== undefined,
    health: deletionTimestamp === undefined ? healthOf(conditions, isBehind(object, raw)) : "deleting",
    message: messageOf(conditions),
  };
}

/** Reasons of a `Ready` that is false because that was desired. */
const atRest: ReadonlySet<string> = new Set(["Suspended", "Ended"]);

/** Whether the spec was changed since the operator has looked: what the conditions say is of an earlier one. */
function isBehind({ metadata }: KubeObject, status: Readonly<Record<string, unknown>>): boolean {
  const observed = readField(status, "observedGeneration");
  return typeof observed === "number" && metadata.generation !== undefined && observed < metadata.generation;
}

/** Ready is only what says so now; a condition `Ready` that is there decides, whatever else went well. */
function healthOf(conditions: readonly Condition[], behind: boolean): Health {
  const is = (type: string, status: string): boolean => findCondition(conditions, type)?.status === status;
  if (is("ReconciliationSuccess", "False")) return "failed";
  if (is("Degraded", "True") || is("Stalled", "True")) return "degraded";
  if (behind) return "progressing";
  const ready = findCondition(conditions, "Ready");
  if (ready?.status === "True") return "ready";
  if (is("Reconciling", "True") || is("Lifecycle", "False")) return "progressing";
  if (ready !== undefined) return atRest.has(ready.reason) ? "suspended" : "progressing";
  return is("ReconciliationSuccess", "True") ? "ready" : "unknown";
}

/** The failure, if there is one, else what the lifecycle says; of a kind without one what is not ready. */
function messageOf(conditions: readonly Condition[]): string {
  const of = (type: string): Condition | undefined => findCondition(conditions, type);
  const success = of("ReconciliationSuccess");
  const ready = of("Ready");
  const plain = ready?.status === "False" ? ready : success;
  const chosen = success?.status === "False" ? success : (of("Lifecycle") ?? plain);
  return chosen?.message ?? "";
}

/** The conditions that are whole. */
export function conditionsOf(status: Readonly<Record<string, unknown>>): readonly Condition[] {
  const list = readField(status, "conditions");
  if (!Array.isArray(list)) return [];
  return list.flatMap((each) => {
    const fields = readFields(each) ?? {};
    const [type, value, reason] = ["type", "status", "reason"].map((name) =>
      readText(readField(fields, name)),
    );
    if (type === undefined || value === undefined) return [];
    const message = readField(fields, "message");
    const at = readInstant(readField(fields, "lastTransitionTime"));
    return [
      {
        type,
        status: value as Condition["status"],
        reason: reason ?? "",
        message: typeof message === "string" ? message : "",
        lastTransitionTime: at === undefined ? "" : formatInstant(at),
      },
    ];
  });
}
