// Whether a change of a custom resource can be carried out from where its application is. The API server holds most of it
// by the CRD's rules; this is the whole of it, for admission webhooks and for tools that ask before they write.
import { isEqualJson } from "../meta/changed-paths.ts";
import type { KubeObject } from "../meta/object.ts";
import type { Problem } from "../ports/problem.ts";
import type { Kind } from "./define-kind.ts";
import { desirableFrom } from "./desired-state-rules.ts";

/**
 * Everything that speaks against a change: fields that the present state refuses, a desired state to which no path leads, and what the
 * kind's own `checkChange` says.
 *
 * **Guarantees**: pure, unless `checkChange` is not; no problem for a change of nothing but metadata or status.
 * **Caveats**: says nothing about the schema; `kind.parse` does. Throws what `checkChange` throws.
 */
export function validateChange<TCR extends KubeObject>(
  kind: Kind<TCR>,
  before: TCR | undefined,
  after: TCR,
): readonly Problem[] {
  const state = stateOf(before);
  return [
    ...refusedFields(kind, before, after, state),
    ...refusedDesiredState(kind, before, after, state),
    ...(kind.checkChange?.({ before, after, state }) ?? []).map((message) =>
      refusal(state, message, "Make another change, or wait until it is possible."),
    ),
  ];
}

function refusedFields(
  { changeRefusals }: Pick<Kind, "changeRefusals">,
  before: KubeObject | undefined,
  after: KubeObject,
  state: string | undefined,
): Problem[] {
  const leaves = state?.split(",") ?? [];
  return changeRefusals
    .filter(({ states }) => leaves.some((leaf) => states.includes(leaf)))
    .filter(({ field }) => !isEqualJson(at(before, ["spec", ...field]), at(after, ["spec", ...field])))
    .map(({ message }) =>
      refusal(state, message, "Wait until the application is in a state that accepts it."),
    );
}

function refusedDesiredState(
  { lifecycle }: Pick<Kind, "lifecycle">,
  before: KubeObject | undefined,
  after: KubeObject,
  state: string | undefined,
): Problem[] {
  const desired = at(after, ["spec", "lifecycle", "desiredState"]);
  if (lifecycle === undefined || typeof desired !== "string") return [];
  if (desired === at(before, ["spec", "lifecycle", "desiredState"])) return [];
  const path = lifecycle.aliases[desired] ?? desired;
  // What is new begins where every life begins.
  const from = state ?? lifecycle.initial;
  const open = lifecycle.states.includes(from) ? desirableFrom(lifecycle, from) : lifecycle.desirable;
  if (open.includes(path)) return [];
  return [
    refusal(
      state,
      `"${desired}" cannot be desired: no path leads there from ${from}`,
      `Choose one of ${open.join(", ") || "nothing"}.`,
    ),
  ];
}

function refusal(state: string | undefined, message: string, remedy: string): Problem {
  return {
    code: "CHANGE_REFUSED",
    severity: "error",
    ...(state === undefined ? {} : { state }),
    message,
    remedy,
  };
}

function stateOf(object: KubeObject | undefined): string | undefined {
  const state = at(object, ["status", "lifecycle", "state"]);
  return typeof state === "string" ? state : undefined;
}

function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined,
    object,
  );
}
