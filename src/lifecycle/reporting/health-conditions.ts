// Ready, Progressing and Degraded: what other tools wait for, from the tags of the active states. A graph that uses none of
// a tag gets what follows from target and rest. The reason is the state. Nothing in here changes while nothing happens.
import {
  formatLeaves,
  isActive,
  lineageOf,
  type GraphIndex,
  type Leaves,
} from "../../statechart/configuration.ts";
import { isAtRest, isIntervening } from "../graph/roles.ts";
import { isContent, type Findings, type NewCondition } from "./condition-of.ts";
import type { Problem } from "../../ports/problem.ts";
import { errorsIn } from "./problem-condition.ts";
import { isMaintained, isSettled } from "../targets/target-rules.ts";

/** Tags, in any case, that become the condition of the same name. */
const healthTags = ["ready", "progressing", "degraded"] as const;

type HealthTag = (typeof healthTags)[number];

/** The types of the conditions, for those that put them into columns. */
export const readyCondition = "Ready";

const types: Readonly<Record<HealthTag, string>> = {
  ready: readyCondition,
  progressing: "Progressing",
  degraded: "Degraded",
};

/**
 * The three conditions.
 *
 * `Ready`: a state tagged `ready` is active, in each of the regions side by side that use the tag. Without the tag: the
 * application rests as desired, and has not ended. Unknown while it cannot be observed; False in any state while something
 * keeps the operator from doing what it has decided.
 * `Progressing`: a state tagged `progressing` is active. Without the tag: it is on its way, or has yet to go.
 * `Degraded`: a state tagged `degraded` is active, or a state that waits for a person.
 */
export function healthConditionsOf(findings: Findings): readonly NewCondition[] {
  const { leaves, generation, observationError, problems } = findings;
  const state = formatLeaves(leaves);
  const [error] = errorsIn(problems);
  return healthTags.map((tag) => {
    if (tag === "ready" && error !== undefined) return blockedReady(state, error, generation);
    const holds = isHealth(tag, findings);
    const isUnsure = tag === "ready" && observationError !== undefined;
    return {
      type: types[tag],
      status: isUnsure ? "Unknown" : holds ? "True" : "False",
      reason: state,
      message: isUnsure ? "the application cannot be observed" : messageOf(tag, holds, state),
      observedGeneration: generation,
    };
  });
}

/** `Ready` while the operator cannot do what it has decided. */
export function blockedReady(state: string, { message }: Problem, observedGeneration: number): NewCondition {
  return {
    type: readyCondition,
    status: "False",
    reason: state,
    message: `the lifecycle cannot go on: ${message}`.slice(0, 1_024),
    observedGeneration,
  };
}

function isHealth(tag: HealthTag, findings: Findings): boolean {
  const { lifecycle, leaves } = findings;
  const { index } = lifecycle;
  const isTagged = index.graph.nodes.some((node) => hasTag(node.tags, tag));
  const needsHelp = isIntervening(lifecycle, leaves);
  switch (tag) {
    case "ready":
      return isTagged
        ? isReady(index, leaves)
        : isAsDesired(findings) && !isElsewhere(findings) && !needsHelp && !hasEnded(index, leaves);
    case "progressing":
      if (isTagged) return isAnyTagged(index, leaves, tag);
      return !needsHelp && !isAsDesired(findings);
    case "degraded":
      return needsHelp || isAnyTagged(index, leaves, tag);
  }
  return false;
}

/** Whether it rests and nothing more is to be done for the target, also where that was given up. */
function isAsDesired(findings: Findings): boolean {
  const { lifecycle, leaves, target } = findings;
  return isContent(findings) || (isSettled(lifecycle, target) && isAtRest(lifecycle, leaves));
}

/** Whether it rests where nobody wants to have it: a person has ended the way to a state that is to be maintained. */
function isElsewhere({ lifecycle, leaves, target }: Findings): boolean {
  return (
    target.outcome !== undefined && isMaintained(lifecycle, target.state) && !isActive(leaves, target.state)
  );
}

/** Whether a state is tagged ready, seen from the top: a tag on an outer state counts for all inside it. */
function isReady(index: GraphIndex, leaves: Leaves, path = ""): boolean {
  const node = index.nodes.get(path);
  if (node !== undefined && hasTag(node.tags, "ready")) return true;
  const children = index.children.get(path) ?? [];
  const active = children.filter((child) => isActive(leaves, child.path));
  const isParallel = path === "" ? index.graph.parallel : node?.type === "parallel";
  if (!isParallel) return active.some((child) => isReady(index, leaves, child.path));
  const asked = active.filter((child) => usesReady(index, child.path));
  return asked.length > 0 && asked.every((child) => isReady(index, leaves, child.path));
}

function usesReady(index: GraphIndex, path: string): boolean {
  return index.graph.nodes.some((node) => lineageOf(node.path).includes(path) && hasTag(node.tags, "ready"));
}

function isAnyTagged(index: GraphIndex, leaves: Leaves, tag: HealthTag): boolean {
  return leaves.flatMap(lineageOf).some((path) => hasTag(index.nodes.get(path)?.tags ?? [], tag));
}

function hasTag(tags: readonly string[], tag: HealthTag): boolean {
  return tags.some((each) => each.toLowerCase() === tag);
}

function hasEnded(index: GraphIndex, leaves: Leaves): boolean {
  return leaves.every((leaf) => index.nodes.get(leaf)?.type === "final");
}

function messageOf(tag: HealthTag, holds: boolean, state: string): string {
  switch (tag) {
    case "ready":
      return `the application is ${holds ? "" : "not "}ready in ${state}`;
    case "progressing":
      return holds ? `the application is leaving ${state}` : `the application stays in ${state}`;
    case "degraded":
      return `the application is ${holds ? "" : "not "}degraded in ${state}`;
  }
  return state;
}
