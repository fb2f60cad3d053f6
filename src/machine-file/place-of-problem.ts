// Where a finding about a machine is, in whatever form it was written: from the places of its keys. Pure.
import type { Problem } from "../ports/problem.ts";

/** The key of a path: names joined by U+0000, so that any name can be a key. */
export function keyPath(...names: readonly string[]): string {
  return names.join("\u0000");
}

/** The innermost key of a configuration that a finding is about; undefined when none of them is written. */
export function offsetOfProblem(
  keys: ReadonlyMap<string, number>,
  { state, event, code, option }: Pick<Problem, "state" | "event" | "code" | "option">,
): number | undefined {
  const inside = (state === undefined || state === "" ? [] : state.split(":")).flatMap((name) => [
    "states",
    name,
  ]);
  const edge = event === undefined ? [] : edgePaths(event);
  const part = /^(INVOKE|ACTOR|INPUT)_/.test(code) || code === "TASK_UNKNOWN" ? [["invoke"]] : [];
  const context = code.startsWith("CONTEXT_") ? [["context"]] : [];
  const initial = code.startsWith("INITIAL_") ? [["initial"]] : [];
  const tags = code.startsWith("TAG_") ? [["tags"]] : [];
  const holders = code.startsWith("META_") ? [["meta"]] : event === undefined ? [...part, []] : edge;
  const name = option === undefined ? [] : holders.map((path) => [...path, option]);
  for (const path of [...name, ...edge, ...part, ...context, ...initial, ...tags, []]) {
    const found = keys.get(keyPath(...inside, ...path)) ?? inLists(keys, inside, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A key of which the objects of lists are left out, as in `invoke` → `onDone`: the first that is written so. */
function inLists(
  keys: ReadonlyMap<string, number>,
  inside: readonly string[],
  path: readonly string[],
): number | undefined {
  if (path.length < 2) return undefined;
  const start = keyPath(...inside, path[0] ?? "");
  const whole = keyPath(...inside, ...path);
  const withoutPositions = (key: string): string =>
    keyPath(...key.split("\u0000").filter((name, index) => index <= inside.length || !/^\d+$/.test(name)));
  return [...keys].find(([key]) => key.startsWith(start) && withoutPositions(key) === whole)?.[1];
}

function edgePaths(event: string): readonly (readonly string[])[] {
  const [kind = "", name = ""] = /^(after|done|error)\.(.*)$/.exec(event)?.slice(1) ?? [];
  if (kind === "after") return [["after", name], ["after"]];
  if (kind === "done") return [["invoke", "onDone"], ["onDone"], ["invoke"]];
  if (kind === "error") return [["invoke", "onError"], ["invoke"]];
  return ["always", "initial", "route"].includes(event) ? [[event]] : [["on", event]];
}
