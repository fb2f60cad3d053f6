// Where in the user's files a finding about a machine is: the module and what it imports by relative path are searched for
// the machine as it is written.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Problem } from "../../lifecycle/problem.ts";
import { keyPath, lineOf, writtenMachines, type WrittenMachine } from "./source-keys.ts";

/** Reads a file; undefined when it cannot be read. */
export type ReadSource = (file: string) => string | undefined;

/** `file:line:column` of a finding; undefined when the machine is not found in the files. */
export type PlaceOf = (
  machineId: string,
  problem: Pick<Problem, "state" | "event" | "code">,
) => string | undefined;

/** Files read at most: what a module imports may be large. */
const mostFiles = 300;

/** The places of the machines that a module declares or imports. */
export function problemPlaces(file: string, read: ReadSource = readSource): PlaceOf {
  const written = filesOf(file, read).flatMap(([name, source]) =>
    writtenMachines(source).map((machine) => ({ name, source, machine })),
  );
  return (machineId, problem) => {
    const named = written.filter(({ machine }) => machine.id === machineId);
    const unnamed = written.filter(({ machine }) => machine.id === undefined);
    const [found] = named.length > 0 ? named : unnamed.length === 1 ? unnamed : [];
    if (found === undefined) return undefined;
    return `${found.name}:${lineOf(found.source, offsetOf(found.machine, problem))}`;
  };
}

/** The innermost key that the finding is about. */
function offsetOf({ keys, offset }: WrittenMachine, { state, event, code }: Parameters<PlaceOf>[1]): number {
  const inside = (state === undefined || state === "" ? [] : state.split(":")).flatMap((name) => [
    "states",
    name,
  ]);
  const edge = event === undefined ? [] : edgePaths(event);
  const part =
    code.startsWith("INVOKE_") || code.startsWith("ACTOR_") || code === "TASK_UNKNOWN" ? [["invoke"]] : [];
  const context = code.startsWith("CONTEXT_") ? [["context"]] : [];
  for (const path of [...edge, ...part, ...context, []]) {
    const found = keys.get(keyPath(...inside, ...path));
    if (found !== undefined) return found;
  }
  return offset;
}

function edgePaths(event: string): readonly (readonly string[])[] {
  const [kind = "", name = ""] = /^(after|done|error)\.(.*)$/.exec(event)?.slice(1) ?? [];
  if (kind === "after") return [["after", name], ["after"]];
  if (kind === "done") return [["invoke", "onDone"], ["onDone"], ["invoke"]];
  if (kind === "error") return [["invoke", "onError"], ["invoke"]];
  return event === "always" ? [["always"]] : [["on", event]];
}

function filesOf(file: string, read: ReadSource): readonly (readonly [file: string, source: string])[] {
  const files = new Map<string, string>();
  const queue = [file];
  for (let next = queue.shift(); next !== undefined && files.size < mostFiles; next = queue.shift()) {
    const source = files.has(next) ? undefined : read(next);
    if (source === undefined) continue;
    files.set(next, source);
    for (const [, specifier = ""] of source.matchAll(/(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)) {
      queue.push(resolve(dirname(next), specifier));
    }
  }
  return [...files];
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A folder, or a file that is gone: nothing to look for.
    return undefined;
  }
}
