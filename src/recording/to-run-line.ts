// From a run as the controller tells it to its line: as JSON, without secrets, and nothing twice. Pure.
import type { CycleInput } from "../lifecycle/cycle-plan.ts";
import { digestOf } from "../lifecycle/stored/snapshot.ts";
import { isLikeTaskKey } from "../lifecycle/tasks/task-key.ts";
import { readField, readFields, type Fields } from "../lifecycle/values/untrusted.ts";
import { isEqualJson } from "../meta/changed-paths.ts";
import type { AnyObject, Json, KubeObject } from "../meta/object.ts";
import type { GraphNode, MachineGraph } from "../statechart/graph.ts";
import { maskedCopy, type Masking } from "./masked-copy.ts";
import type { RecordedCycle, RunLine } from "./recording-format.ts";
import type { PlannedCycle, RecordedRun } from "./run-recorder.ts";

/** The line of a run. Its own numbers and names are no secrets, whatever a Secret says. */
export function toRunLine(run: RecordedRun, session: string, masking: Masking): RunLine {
  const { id, kind, key, uid, object, after, cycles, causes, requests, operations, error, ...rest } = run;
  const { events, children, failure: _failure, ...counts } = rest;
  const own = withWords(masking, [kind, key, uid, object.metadata.name, object.metadata.namespace ?? ""]);
  const copy = <T>(value: T): T => maskedCopy(value, own).value as T;
  return {
    type: "run",
    session,
    id,
    kind,
    key,
    uid,
    ...counts,
    causes: copy(
      causes.map(({ reason, kind, object, detail }) => ({ reason, kind, object, detail })),
    ) as RunLine["causes"],
    operations: copy(operations),
    requests: requests.map(({ at, ...request }) => ({ at, ...copy(request) })),
    ...(events.length === 0 ? {} : { events: events.map(({ at, ...event }) => ({ at, ...copy(event) })) }),
    children: copy(children),
    ...(error === undefined ? {} : { error: copy(error) }),
    object: copy(withoutBookkeeping(object)) as RunLine["object"],
    ...(after === undefined ? {} : { after: copy(statusAfter(after, cycles)) }),
    cycles: cycles.map((cycle) => toCycle(cycle, object, own)),
  };
}

/** Restores what {@link toRunLine} has left out of a cycle's input, because the object says it. */
export function inputOf({ object }: RunLine, { input }: RecordedCycle): Fields {
  const status = readFields(object["status"]) ?? {};
  const { lifecycle: _lifecycle, ...spec } = readFields(object["spec"]) ?? {};
  const said: Fields = { spec, status: status["lifecycle"], conditions: status["conditions"] ?? [] };
  return { ...said, ...input };
}

/** The custom resource as a run left it, as far as it is known. */
export function objectAfter({ object, after, cycles }: RunLine): AnyObject {
  if (after === undefined) return object;
  const planned = cycles.at(-1)?.plan["status"];
  return { ...object, status: { ...(planned === undefined ? {} : { lifecycle: planned }), ...after } };
}

function toCycle({ input, plan }: PlannedCycle, object: KubeObject, masking: Masking): RecordedCycle {
  const { value, altered } = maskedCopy(withoutCompiled(input), masking);
  const { uid, generation, specHash, now } = input;
  const copied: Record<string, unknown> = { ...readFields(value), uid, generation, specHash, now };
  copied["status"] = withDigest(input.status, copied["status"]);
  const fields = readFields(object) ?? {};
  const status = readFields(fields["status"]) ?? {};
  // Of the same custom resource, as it was read: recorded once. One without its secrets has a hash of its own.
  const isWhole = !altered.some((path) => path.startsWith("status."));
  if (input.status === status["lifecycle"] && isWhole) delete copied["status"];
  if (isEqualJson(input.conditions, status["conditions"] ?? [])) delete copied["conditions"];
  if (isEqualJson(input.spec, withoutLifecycle(fields["spec"]))) delete copied["spec"];
  const decided = maskedCopy(plan, masking);
  return {
    input: copied,
    plan: readFields(decided.value) ?? {},
    altered: [...altered, ...decided.altered.map((path) => `plan.${path}`)],
  };
}

/** What is not compiled from the operator and may hold a secret; of the children only those that may say something. */
function withoutCompiled(input: CycleInput): object {
  const {
    lifecycle: _lifecycle,
    policies: _policies,
    observationPoll: _poll,
    children = [],
    ...given
  } = input;
  const { uid: _uid, generation: _generation, specHash: _hash, now: _now, ...rest } = given;
  return { ...rest, children: children.filter(isLikeTaskKey) };
}

/** A status without secrets is not an edited one: its hash is removed with it. */
function withDigest(original: unknown, copied: unknown): Json | undefined {
  const before = readFields(original);
  const after = readFields(copied);
  if (before === undefined || after === undefined) return copied as Json | undefined;
  const isGenuine = readField(before, "digest") === digestOf(before);
  return (isGenuine ? { ...after, digest: digestOf(after) } : after) as Json;
}

function withoutLifecycle(spec: unknown): Fields {
  const { lifecycle: _lifecycle, ...rest } = readFields(spec) ?? {};
  return rest;
}

function withoutBookkeeping(object: KubeObject): object {
  const { managedFields: _managed, annotations, ...metadata } = object.metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...kept } = annotations ?? {};
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) },
  };
}

/** The status after a run, without the lifecycle's part where the last plan says it. */
function statusAfter(object: KubeObject, cycles: readonly PlannedCycle[]): Fields {
  const status = readFields(readField(readFields(object) ?? {}, "status")) ?? {};
  const { lifecycle, ...rest } = status;
  const isPlanned = lifecycle !== undefined && isEqualJson(lifecycle, cycles.at(-1)?.plan.status);
  return isPlanned ? rest : status;
}

function withWords(masking: Masking, words: readonly string[]): Masking {
  const own = new Set(words);
  return { mask: masking.mask, isPublic: (text) => own.has(text) || masking.isPublic(text) };
}

/** All texts of a graph: they are in the header. */
export function wordsOf(graph: MachineGraph): ReadonlySet<string> {
  const words = new Set<string>([graph.id, `${graph.id}@${graph.version ?? "1"}`]);
  const add = (...texts: readonly (string | undefined)[]): void => {
    for (const text of texts) if (text !== undefined) words.add(text);
  };
  const addNode = ({ path, name, invokes, entry, exit }: GraphNode): void => {
    add(path, name, ...entry, ...exit);
    for (const { id, src } of invokes) add(id, src);
  };
  for (const node of graph.nodes) addNode(node);
  for (const { event, eventType, guard, delay, actions } of graph.edges) {
    add(event, eventType, guard, delay, ...actions);
  }
  return words;
}
