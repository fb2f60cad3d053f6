// A custom resource without a schema of its own, and runs of the pipeline over it on a real or embedded API server: nothing is
// cached, so each run reads what is there.
import { vi } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Namespace } from "../../src/kinds/builtin/core.ts";
import { typeOf } from "../../src/kinds/builtin/type-lookup.ts";
import type { AnyObject } from "../../src/meta/object.ts";
import type { ObjectKey } from "../../src/meta/object-key.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { silentEvents } from "../../src/reconcile/resources/resource-scope.ts";
import { Run } from "../../src/reconcile/runs.ts";
import { runPipeline } from "../../src/reconcile/pipeline.ts";
import type { RunResult } from "../../src/reconcile/outcome/reconcile-result.ts";
import { createReconcileMemory } from "../../src/reconcile/reconcile-memory.ts";
import type { Registrable } from "../../src/reconcile/resources/resource.ts";
import { stepper } from "../../src/reconcile/engines/engine.ts";

export const Box: ResourceType<AnyObject> = {
  group: "contract.example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  namespaced: true,
};
/** The definition of the kind. */
export const boxDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boxes.contract.example.com" },
  spec: {
    group: Box.group,
    scope: "Namespaced",
    names: { kind: Box.kind, plural: Box.plural, singular: "box", listKind: "BoxList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

/** The field manager of the runs. */
export const boxOperator = "contract-operator";

/** One custom resource and the runs over it. */
export class Boxed {
  readonly key: ObjectKey;
  readonly client: KubeClient;
  children: readonly Registrable<AnyObject>[] = [];
  finalizer: string | undefined;
  operator = boxOperator;
  formerNames: readonly string[] = [];
  memory = createReconcileMemory();

  constructor(client: KubeClient, key: ObjectKey) {
    this.client = client;
    this.key = key;
  }

  async start(): Promise<this> {
    const { apiVersion, kind } = { apiVersion: "contract.example.com/v1", kind: "Box" };
    await this.client.create(Box, { apiVersion, kind, metadata: this.key, spec: { size: 1 } });
    return this;
  }

  cr(): Promise<AnyObject> {
    return this.client.get(Box, this.key);
  }

  async run(cr?: AnyObject): Promise<RunResult> {
    const outcome = await runPipeline<AnyObject>({
      cr: cr ?? (await this.cr()),
      type: Box,
      engine: stepper({ ObjectsGetter: ({ registry }) => registry.add(...this.children) }),
      client: this.client,
      reader: {
        lookUp: () => {
          throw new OperatorError("CACHE_UNDECLARED", "nothing is cached here");
        },
        list: () => [],
        owned: () => [],
      },
      typeOf,
      memory: this.memory,
      clock: systemClock,
      random: () => 0.5,
      log: silentLogger,
      events: silentEvents,
      run: new Run("default/box", "run", 0),
      fieldManager: this.operator,
      formerManagers: this.formerNames,
      ...(this.finalizer === undefined ? {} : { finalizer: this.finalizer }),
    });
    if (outcome.error !== undefined) throw outcome.error;
    if (outcome.kind === "gaveUp") throw new Error("the run gave up");
    return outcome;
  }

  /** Runs and returns which resources were written. */
  async written(): Promise<(string | undefined)[]> {
    const { operations } = await this.run();
    return operations
      .filter(({ code }) => code === "Created" || code === "Updated")
      .map(({ resource }) => resource);
  }

  /** A new process. */
  restart(): void {
    this.memory = createReconcileMemory();
  }
}

/** Makes a namespace, and has the server serve boxes. */
export async function serveBoxes(client: KubeClient, namespace: string): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await client.create(CustomResourceDefinition, boxDefinition);
  await vi.waitFor(() => client.list(Box), { timeout: 20_000, interval: 100 });
}
