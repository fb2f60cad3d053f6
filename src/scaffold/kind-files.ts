// The files of a new kind: the kind itself, its lifecycle, its controller, a resource, a test and a sample. All of them work
// as they are.
import { findEntry, type Dictionary } from "./dictionary.ts";
import { kebabCase, variableName } from "./names.ts";
import type { OwnerKind } from "./owner-kind.ts";
import { resourceFile, type ResourceFile } from "./resource-file.ts";

/** What a new kind is called. */
export interface NewKind {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

/** Files by path, relative to the project. */
export type ProjectFiles = ReadonlyMap<string, string>;

/** What a kind's files are called by. */
export interface KindNames {
  /** `Memcached` as `memcached`. */
  readonly file: string;
  /** The constant that is the controller. */
  readonly controller: string;
  readonly lifecycle: string;
}

/** Names that follow from a kind. */
export function namesOfKind(kind: string): KindNames {
  const word = variableName(kind);
  return { file: kebabCase(kind), controller: `${word}Controller`, lifecycle: `${word}Lifecycle` };
}

/** The files of a kind; its sample is called `first`, as its Deployment is, unless another kind's is. */
export function kindFiles(kind: NewKind, dictionary: Dictionary, sampleName = "first"): ProjectFiles {
  const { file } = namesOfKind(kind.kind);
  const resource = deploymentOf(kind, dictionary);
  return new Map([
    [`src/${file}/${file}.ts`, kindModule(kind)],
    [`src/${file}/${file}-lifecycle.ts`, lifecycleModule(kind)],
    [`src/${file}/controller.ts`, controllerModule(kind, resource.function, resource.file)],
    [`src/${file}/resources/${resource.file}`, resource.text],
    [`test/${file}.test.ts`, testModule(kind)],
    [`samples/${file}.yaml`, sample(kind, sampleName)],
  ]);
}

function kindModule({ kind, group, version }: NewKind): string {
  const { file, lifecycle } = namesOfKind(kind);
  return `// The kind ${kind}: what its users write, and what the operator answers.
import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";
import { ${lifecycle} } from "./${file}-lifecycle.ts";

/** The kind of {@link ${kind}}. */
export const ${kind} = defineKind({
  group: "${group}",
  version: "${version}",
  kind: "${kind}",
  spec: z.object({
    replicas: z.int().min(0).max(10).default(1).describe("How many pods run."),
    image: z.string().default("registry.k8s.io/pause:3.10").describe("What they run."),
  }),
  status: z.object({
    readyPods: z.int().describe("How many of them are ready."),
  }),
  lifecycle: ${lifecycle},
});

/** One ${kind}. */
export type ${kind} = InstanceOf<typeof ${kind}>;
`;
}

function lifecycleModule({ kind }: NewKind): string {
  const { file, lifecycle } = namesOfKind(kind);
  return `// The lifecycle of a ${kind}, as a statechart: it opens in Stately's editor as it is.
import { setupLifecycle } from "xstate-operator";

export const ${lifecycle} = setupLifecycle({ delays: { startTimeout: "10m" } }).createMachine({
  id: "${file}",
  version: "1",
  initial: "Start",
  states: {
    Start: {
      on: { "observed.Running": "Running", "desired.End": "Stopping" },
      after: { startTimeout: "HumanIntervention" },
    },
    Running: {
      on: { "observed.Down": "Start", "desired.Servicing": "Servicing", "desired.End": "Stopping" },
    },
    Servicing: {
      invoke: { id: "service", src: "service", onDone: "Running", onError: "HumanIntervention" },
      on: { "human.abort": "Running" },
    },
    Stopping: {
      invoke: { id: "drain", src: "drain", onDone: "End", onError: "HumanIntervention" },
    },
    End: { type: "final" },
  },
});
`;
}

function deploymentOf({ kind, group, version }: NewKind, dictionary: Dictionary): ResourceFile {
  const entry = findEntry(dictionary, "Deployment");
  const { file } = namesOfKind(kind);
  const owner: OwnerKind = {
    kind,
    apiVersion: `${group}/${version}`,
    namespaced: true,
    module: `../${file}.ts`,
    refusalOf: () => undefined,
  };
  const manifest = {
    spec: {
      replicas: "${spec.replicas}",
      selector: { matchLabels: { [file]: "${name}" } },
      template: {
        metadata: { labels: { [file]: "${name}" } },
        spec: { containers: [{ name: "main", image: "${spec.image}" }] },
      },
    },
  };
  return resourceFile({ entry, owner, manifest, source: "create api", name: `${file}-deployment` });
}

function controllerModule({ kind }: NewKind, resource: string, resourceName: string): string {
  const { file, controller } = namesOfKind(kind);
  return `// What the operator does for a ${kind}: which objects there are, how it is observed, and what its tasks do.
import { defineController, keyOf } from "xstate-operator";
import { Deployment, isRolledOut, readyPodsCount } from "xstate-operator/kinds";
import { ${kind} } from "./${file}.ts";
import { ${resource} } from "./resources/${resourceName}";

export const ${controller} = defineController(${kind}, {
  owns: [Deployment],
  steps: {
    ObjectsGetter: ({ cr, registry }) => registry.add(${resource}(cr)),
    SuccessManager: ({ cr, lookUp }) => ({ readyPods: readyPodsCount(lookUp(Deployment, keyOf(cr))).ready }),
  },
  application: {
    // Observation wins over what is stored: the words are those of \`observed.…\` in the lifecycle.
    observe: ({ cr, lookUp }) =>
      isRolledOut(lookUp(Deployment, keyOf(cr)))
        ? { state: "Running", message: "all pods are ready" }
        : { state: "Down", message: "pods are missing" },
    // A task without \`observe\` is done when \`start\` returns; a long one has both, and may have a timeout and retries.
    tasks: {
      service: { start: ({ log }) => log.info({}, "serviced") },
      drain: { start: ({ log }) => log.info({}, "drained") },
    },
  },
});
`;
}

function testModule({ kind, group, version }: NewKind): string {
  const { file } = namesOfKind(kind);
  return `// A ${kind} on an embedded cluster, and every edge of its lifecycle.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Deployment } from "xstate-operator/kinds";
import { lifecycleTests } from "xstate-operator/testing";
import operator from "../operator.ts";
import { ${kind} } from "../src/${file}/${file}.ts";
import { eventually, runOnCluster, type OperatorOnCluster } from "./cluster.ts";

describe("a ${kind} on a cluster", () => {
  const key = { namespace: "default", name: "first" };
  let running: OperatorOnCluster;
  before(async () => {
    running = await runOnCluster(operator);
  });
  after(() => running.stop());

  test("is brought to Running", async () => {
    await running.client.create(${kind}, {
      apiVersion: "${group}/${version}",
      kind: "${kind}",
      metadata: key,
      spec: { replicas: 2 },
    });
    await eventually(async () => {
      const { status } = await running.client.get(${kind}, key);
      assert.equal(status?.lifecycle?.state, "Running");
      assert.equal(status.readyPods, 2);
    });
  });

  test("is serviced once when that is desired", async () => {
    const spec = { lifecycle: { desiredState: "Servicing" } };
    await running.client.patch(${kind}, key, { type: "merge", body: { spec } });
    await eventually(async () => {
      const { status } = await running.client.get(${kind}, key);
      assert.equal(status?.lifecycle?.state, "Running");
      assert.equal(status.lifecycle.target?.reached, true);
      assert.equal(status.lifecycle.last?.from, "Servicing");
    });
  });

  test("gets back what was changed by hand", async () => {
    await running.client.patch(Deployment, key, { type: "merge", body: { spec: { replicas: 0 } } });
    await eventually(async () => {
      assert.equal((await running.client.get(Deployment, key)).spec.replicas, 2);
    });
  });

  test("takes everything with it when it is deleted", async () => {
    await running.client.delete(${kind}, key);
    await eventually(async () => {
      assert.equal((await running.client.list(${kind})).items.length, 0);
      assert.equal((await running.client.list(Deployment)).items.length, 0);
    });
  });
});

describe("the lifecycle of a ${kind}", () => {
  for (const { name, run } of lifecycleTests(${kind}, { specs: [{}, { replicas: 2 }] })) test(name, () => run());
});
`;
}

function sample({ kind, group, version }: NewKind, name: string): string {
  return `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: ${name}
spec:
  replicas: 2
`;
}
