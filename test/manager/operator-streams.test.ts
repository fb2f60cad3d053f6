// What a program that runs an operator can follow of it: changes of what is watched, and moves of lifecycles.
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { firstValueFrom, type Observable } from "rxjs";
import type { Change } from "../../src/cache/informer.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import type { Transition } from "../../src/controller/application/transition.ts";
import type { OperatorStreams } from "../../src/controller/operator-streams.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { ConfigMap, Secret } from "../../src/kinds/builtin/core.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import type { InstanceOf } from "../../src/kinds/define-kind.ts";
import { Lamp } from "../fixtures/lamp.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const task = { start: (): void => undefined };
const lamps = defineOperator({
  name: "lamp-operator",
  controllers: [
    defineController(Lamp, {
      owns: [ConfigMap],
      application: { observe: () => ({ state: "Running" }), tasks: { polish: task, dim: task } },
    }),
  ],
});

describe("the streams of a running operator", () => {
  let cluster: Cluster;
  let client: KubeClient;
  let operator: RunningOperator;
  let streams: OperatorStreams;
  const seen: string[] = [];
  const moves: Transition[] = [];
  const completed: string[] = [];

  const create = (name: string): Promise<unknown> =>
    client.create(Lamp, {
      apiVersion: "test.example.com/v1",
      kind: "Lamp",
      metadata: { name, namespace: "default" },
      spec: { color: "red" },
    });

  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    client = createKubeClient(await loadConnection({ path: cluster.kubeconfig, env: {} }), {
      userAgent: "test",
    });
    await client.create(CustomResourceDefinition, crdOf(Lamp));
    await eventually(() => create("early"));
    operator = await startOperator(lamps, cluster.kubeconfig, {
      onStart: (_, offered) => {
        streams = offered;
        streams.changes(Lamp).subscribe({
          next: (change) => seen.push(`${change.type} ${change.object.metadata.name}`),
          complete: () => completed.push("changes"),
        });
        streams.transitions().subscribe({
          next: (move) => moves.push(move),
          complete: () => completed.push("transitions"),
        });
      },
    });
  });
  afterAll(async () => {
    await operator.stop();
    await client.close();
    await cluster.stop();
  });

  it("have the changes of a kind, with its type, from what is there at first", async () => {
    expect(seen[0]).toBe("added early");
    await create("late");
    await eventually(() => expect(seen).toContain("added late"));
    expectTypeOf(streams.changes(Lamp)).toEqualTypeOf<Observable<Change<InstanceOf<typeof Lamp>>>>();
  });

  it("are hot: a later subscriber gets what changes from then on", async () => {
    const next = firstValueFrom(streams.changes(ConfigMap));
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shade", namespace: "default" },
    });
    expect(await next).toMatchObject({
      type: "added",
      initial: false,
      object: { metadata: { name: "shade" } },
    });
  });

  it("have each move once it is persisted", async () => {
    await eventually(() => expect(moves.filter(({ name }) => name === "early")).toHaveLength(2));
    expect(moves.filter(({ name }) => name === "early")).toEqual([
      expect.objectContaining({ kind: "Lamp", namespace: "default", name: "early", to: "Start" }),
      expect.objectContaining({
        from: "Start",
        to: "Running",
        event: "observed.Running",
        left: { roles: ["initial"], tags: [] },
        entered: { roles: ["stable"], tags: [] },
      }),
    ]);
    expect(moves[0]).not.toHaveProperty("from");
    expect(moves[0]).not.toHaveProperty("left");
    expect(new Date(moves[0]?.at ?? "").toISOString()).toBe(moves[0]?.at);
  });

  it("refuse a type that the operator does not declare", async () => {
    await expect(firstValueFrom(streams.changes(Secret))).rejects.toMatchObject({ code: "CACHE_UNDECLARED" });
  });

  it("complete when the operator has stopped", async () => {
    await operator.stop();
    expect(completed.toSorted()).toEqual(["changes", "transitions"]);
  });
});
