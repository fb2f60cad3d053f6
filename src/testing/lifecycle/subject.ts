// What is walked: a lifecycle with the samples that its guards, tasks and spec need, and a kind that a server can serve.
import { z } from "zod";
import type { LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import { defineKind, type Kind } from "../../kinds/define-kind.ts";
import { assertLifecycle } from "../../lifecycle/checks/check-lifecycle.ts";
import type { Lifecycle, LifecycleOptions } from "../../lifecycle/graph/compile-lifecycle.ts";
import { refusalsOf } from "../../lifecycle/graph/refusals.ts";
import { taskPolicies, type TaskPolicy } from "../../lifecycle/tasks/task-record.ts";
import type { Json, KubeObject } from "../../meta/object.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { indexGraph } from "../../statechart/configuration.ts";
import { readGraph } from "../../statechart/graph.ts";
import type { TaskPolicyOptions } from "../simulation/simulated-application.ts";

/** A look's facts. */
export type SampleFacts = Readonly<Record<string, Json>>;

/** A spec, without `lifecycle`. */
export type SampleSpec = Readonly<Record<string, Json>>;

/** What guards, tasks and effects may need to be walked. */
export interface LifecycleSamples {
  /** Facts that a look may show; the first are those of an ordinary look. Default: none. */
  readonly facts?: readonly SampleFacts[];
  /** Specs; the first is that of a new resource, the others are what it may be changed to. Default one, `{}`. */
  readonly specs?: readonly SampleSpec[];
  /** What tasks may return, by name. Default: nothing. */
  readonly outputs?: Readonly<Record<string, readonly Json[]>>;
  /** How tasks are tried; default one attempt, no timeout. */
  readonly tasks?: Readonly<Record<string, TaskPolicyOptions>>;
  /** For a machine, default none; a kind has its own. */
  readonly lifecycleOptions?: LifecycleOptions;
}

/** A lifecycle, ready to be walked. */
export interface Subject {
  readonly kind: Kind<KubeObject>;
  readonly lifecycle: Lifecycle;
  readonly facts: readonly SampleFacts[];
  /** With the kind's defaults, as a server would store them. */
  readonly specs: readonly SampleSpec[];
  readonly outputs: Readonly<Record<string, readonly Json[]>>;
  readonly tasks: Readonly<Record<string, TaskPolicyOptions>>;
  readonly policies: Readonly<Record<string, TaskPolicy>>;
  /** Names of the actions that an operator would carry out. */
  readonly effects: readonly string[];
}

/**
 * The subject of a machine or of a kind with a lifecycle.
 *
 * **Errors**: `LIFECYCLE_INVALID` for a machine with errors; `LIFECYCLE_MISSING` for a kind without a lifecycle; `CR_INVALID`
 * for a sample spec that the kind refuses.
 */
export function subjectOf(given: LifecycleMachine | Kind<KubeObject>, samples: LifecycleSamples): Subject {
  const kind = isKind(given) ? given : kindOf(given, samples.lifecycleOptions);
  const { lifecycle } = kind;
  if (lifecycle === undefined) {
    throw new OperatorError("LIFECYCLE_MISSING", `the kind ${kind.kind} has no lifecycle to be walked`, {
      remedy: "Give defineKind a lifecycle.",
    });
  }
  const { nodes, edges } = lifecycle.index.graph;
  const names = [
    ...nodes.flatMap(({ entry, exit }) => [...entry, ...exit]),
    ...edges.flatMap((edge) => edge.actions),
  ];
  const tasks = Object.fromEntries(
    nodes.flatMap(({ invokes }) => invokes.map(({ src }) => [src, samples.tasks?.[src] ?? {}] as const)),
  );
  const specs = samples.specs ?? [{}];
  const [first = {}] = specs;
  // A machine's own kind takes any spec, so a change of it needs no sample.
  const all = specs.length > 1 || isKind(given) ? specs : [first, { ...first, revision: 2 }];
  return {
    kind,
    lifecycle,
    facts: samples.facts ?? [{}],
    specs: all.map((spec) => completeSpec(kind, spec)),
    outputs: samples.outputs ?? {},
    tasks,
    policies: taskPolicies(tasks),
    effects: [...new Set(names)].filter((name) => lifecycle.chart.isEffect(name)),
  };
}

function kindOf(machine: LifecycleMachine, options: LifecycleOptions = {}): Kind<KubeObject> {
  assertLifecycle(machine, options);
  const refusals = refusalsOf(indexGraph(readGraph(machine)));
  const paths = refusals.flatMap(({ refuses, accepts = [] }) => [...refuses, ...accepts]);
  return defineKind({
    group: "testing.xstate-operator.dev",
    version: "v1",
    kind: "WalkedApplication",
    spec: specWith(paths.map((path) => path.split("."))),
    lifecycle: machine,
    ...options,
  });
}

/** A spec that takes anything, and has these fields; what is in them is not known. */
function specWith(fields: readonly (readonly string[])[]): z.ZodObject {
  const inner = Map.groupBy(fields, ([name = ""]) => name);
  const shape = [...inner].map(([name, paths]) => {
    const within = paths.map((path) => path.slice(1)).filter((path) => path.length > 0);
    return [name, (within.length === 0 ? z.unknown() : specWith(within)).optional()] as const;
  });
  return z.looseObject(Object.fromEntries(shape));
}

function completeSpec(kind: Kind<KubeObject>, spec: SampleSpec): SampleSpec {
  const metadata = { name: "walked", namespace: "default", uid: "sample", resourceVersion: "1" };
  const object = kind.parse({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec });
  const { lifecycle: _lifecycle, ...complete } = (
    object as unknown as { readonly spec: Record<string, Json> }
  ).spec;
  return complete;
}

function isKind(given: LifecycleMachine | Kind<KubeObject>): given is Kind<KubeObject> {
  return "specSchema" in given;
}
