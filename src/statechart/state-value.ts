// Between our leaves and XState's nested values and nodes.
import type { AnyStateMachine, AnyStateNode, StateValue } from "xstate";
import type { GraphIndex, Leaves } from "./configuration.ts";

/** The leaves of XState's own nested value. */
export function leavesOf(machine: AnyStateMachine, value: StateValue): string[] {
  const collect = (node: AnyStateNode, part: StateValue | undefined): string[] => {
    if (typeof part === "string") return collect(childOf(node, part), undefined);
    const children = Object.entries(part ?? {});
    if (children.length === 0) return [node.path.join(":")];
    return children.flatMap(([name, inner]) => collect(childOf(node, name), inner));
  };
  return collect(machine.root, value);
}

/** A child by name. Throws when there is none. */
function childOf(node: AnyStateNode, name: string): AnyStateNode {
  const child = Object.hasOwn(node.states, name) ? node.states[name] : undefined;
  if (child === undefined) throw new Error(`state "${node.path.join(":")}" has no state "${name}"`);
  return child;
}

/** The node at a path. Throws when there is none. */
export function nodeAt(machine: AnyStateMachine, path: string): AnyStateNode {
  return path.split(":").reduce<AnyStateNode>(childOf, machine.root);
}

/** Leaves as XState's own nested value. */
export function toStateValue(index: GraphIndex, leaves: Leaves): StateValue {
  const valueOf = (path: string): StateValue => {
    const active = (index.children.get(path) ?? []).filter((child) =>
      leaves.some((leaf) => leaf === child.path || leaf.startsWith(`${child.path}:`)),
    );
    const parallel = path === "" ? index.graph.parallel : index.nodes.get(path)?.type === "parallel";
    const [only] = active;
    if (!parallel && only !== undefined && (index.children.get(only.path) ?? []).length === 0)
      return only.name;
    return Object.fromEntries(active.map((child) => [child.name, valueOf(child.path)]));
  };
  return valueOf("");
}
