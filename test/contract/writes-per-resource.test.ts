// What one resource costs the API server, and the operator: every write that is stored, of each object, counted one by one from outside;
// every request; every run.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { KubernetesEvent } from "../../src/kinds/builtin/events.ts";
import { createPrometheusMetrics } from "../../src/manager/prometheus-metrics.ts";
import { changedPaths } from "../../src/meta/changed-paths.ts";
import { findCondition, type Condition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const typeOf = (kind: string) =>
  ({ group: "writes.example.com", version: "v1", kind, finalize: false }) as const;
const spec = z.object({ size: z.int() });

const Plain = defineKind({ ...typeOf("Plain"), spec });

/** Two states are passed through on the path to the one that is desired; a timer begins in the first. */
const Living = defineKind({
  ...typeOf("Living"),
  spec,
  lifecycle: setupLifecycle().createMachine({
    id: "living",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Up": "Warm" }, after: { startTimeout: "HumanIntervention" } },
      Warm: { on: { "observed.Up": "Running" } },
      Running: { on: { "observed.Down": "Start", "desired.Resting": "Resting" } },
      Resting: { tags: ["suspended"], on: { "desired.Running": "Cooling" } },
      Cooling: { on: { "observed.Up": "Running" } },
    },
  }),
});

type Written = KubeObject & {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
};

/** Counts the stored writes of the objects of a type, by name: what each has changed. */
async function follow(client: KubeClient, type: ResourceType, signal: AbortSignal) {
  const { metadata } = await client.list(type, { namespace: "default" });
  const before = new Map<string, KubeObject>();
  const writes = new Map<string, string[]>();
  const read = async (): Promise<void> => {
    const options = { namespace: "default", resourceVersion: metadata.resourceVersion ?? "", signal };
    for await (const event of client.watch(type, options)) {
      if (event.type === "BOOKMARK") continue;
      const { object } = event;
      const { name } = object.metadata;
      const known = before.get(name);
      const isDeleted = event.type === "DELETED";
      if (isDeleted) before.delete(name);
      else before.set(name, object);
      const what = isDeleted
        ? "deleted"
        : known === undefined
          ? "created"
          : changedPaths(known, object, 1)
              .filter((path) => path !== "metadata")
              .join(", ") || "metadata";
      writes.set(name, [...(writes.get(name) ?? []), what]);
    }
  };
  read().catch(() => undefined);
  return (name: string): readonly string[] => writes.get(name) ?? [];
}

describeOnEachApiServer("what a resource costs in writes", (server) => {
  /** Names of the applications that are observed to be up. */
  const up = new Set<string>();
  const end = new AbortController();
  const metrics = createPrometheusMetrics();
  let operator: RunningOperator;
  let own: (name: string) => readonly string[];
  let lives: (name: string) => readonly string[];
  let children: (name: string) => readonly string[];
  let readsOfStart: number;
  const requests = async (methods: string): Promise<number> => {
    const sent = new RegExp(`rest_client_requests_total\\{[^}]*method="(?:${methods})"[^}]*\\} (\\d+)`, "g");
    return [...(await metrics.expose()).matchAll(sent)].reduce((sum, [, value]) => sum + Number(value), 0);
  };

  const definition = defineOperator({
    name: "writes-operator",
    controllers: [
      defineController(Plain, {
        owns: [ConfigMap],
        steps: {
          ObjectsGetter: ({ cr, registry }) =>
            registry.add(configMap(cr.metadata.name, String(cr.spec.size))),
        },
      }),
      defineController(Living, {
        owns: [ConfigMap],
        steps: {
          ObjectsGetter: ({ cr, registry }) => {
            const isResting = cr.status?.lifecycle?.state === "Resting";
            registry.add(configMap(cr.metadata.name, isResting ? "0" : String(cr.spec.size)));
          },
        },
        application: {
          observe: ({ cr: { metadata }, lookUp }) => {
            const { name, namespace } = metadata;
            const isThere = lookUp(ConfigMap, { namespace, name }) !== undefined;
            return { state: up.has(name) && isThere ? "Up" : "Down" };
          },
          poll: "100ms",
        },
      }),
    ],
  });

  beforeAll(async () => {
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true, metrics });
    const { client } = server();
    own = await follow(client, Plain, end.signal);
    lives = await follow(client, Living, end.signal);
    children = await follow(client, ConfigMap, end.signal);
    readsOfStart = await requests("GET");
  });
  afterAll(async () => {
    end.abort();
    await operator.stop();
  });

  const configMap = (name: string, size: string) => ({
    apiVersion: "v1" as const,
    kind: "ConfigMap" as const,
    metadata: { name },
    data: { size },
  });
  const create = (type: ResourceType, name: string) =>
    server().client.create(type, {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { namespace: "default", name },
      spec: { size: 3 },
    });
  const settled = (type: ResourceType, name: string, reason?: string): Promise<void> =>
    eventually(async () => {
      const { status, metadata } = (await server().client.get(type, {
        namespace: "default",
        name,
      })) as Written;
      expect(status?.observedGeneration).toBe(metadata.generation);
      if (reason === undefined) return;
      expect(findCondition(status?.conditions ?? [], "Lifecycle")).toMatchObject({ status: "True", reason });
    });
  /** Waits for some more runs, in which nothing is to be written. */
  const quiet = async (name: string): Promise<void> => {
    const before = operator.reconciles(`default/${name}`);
    await eventually(() => expect(operator.reconciles(`default/${name}`)).toBeGreaterThan(before + 2));
  };

  it("is one write of a child and one of the status where there is no lifecycle", async () => {
    await create(Plain, "plain");
    await settled(Plain, "plain");
    await eventually(() => expect(own("plain")).toEqual(["created", "status"]));
    expect(children("plain")).toEqual(["created"]);
    await server().client.patch(
      Plain,
      { namespace: "default", name: "plain" },
      { type: "merge", body: { spec: { size: 4 } } },
    );
    await settled(Plain, "plain");
    await eventually(() => expect(own("plain").slice(2)).toEqual(["spec", "status"]));
    expect(children("plain")).toEqual(["created", "data"]);
  });

  it("is one write of the status where the states on the path are passed through at once", async () => {
    up.add("swift");
    await create(Living, "swift");
    await settled(Living, "swift", "Running");
    await quiet("swift");
    await eventually(() => expect(lives("swift")).toEqual(["created", "status"]));
    expect(children("swift")).toEqual(["created"]);
  });

  it("is one write of the child where that is lost, and the application is back where it was in the same run", async () => {
    up.add("mended");
    await create(Living, "mended");
    await settled(Living, "mended", "Running");
    await quiet("mended");
    expect(lives("mended")).toEqual(["created", "status"]);
    // What is repeated before it was sent is one request.
    await eventually(async () => {
      const { items } = await server().client.list(KubernetesEvent, { namespace: "default" });
      const moves = items.filter(
        ({ regarding, reason }) => regarding?.name === "mended" && reason === "StateChanged",
      );
      expect(moves).toHaveLength(3);
    });
    const { metadata } = await server().client.get(ConfigMap, { namespace: "default", name: "mended" });
    await server().client.delete(ConfigMap, { namespace: "default", name: "mended" });
    await eventually(async () => {
      const now = await server().client.get(ConfigMap, { namespace: "default", name: "mended" });
      expect(now.metadata.uid).not.toBe(metadata.uid);
    });
    await quiet("mended");
    const moves = operator.lines.filter(
      ({ message, fields }) => message === "lifecycle state changed" && fields["object"] === "default/mended",
    );
    // What has happened is told all the same.
    expect(moves.slice(3).map(({ fields }) => fields["to"])).toEqual(["Start", "Warm", "Running"]);
    expect(lives("mended")).toEqual(["created", "status"]);
    expect(children("mended")).toEqual(["created", "deleted", "created"]);
  });

  it("is two writes of the status where the application takes its time", async () => {
    await create(Living, "slow");
    await eventually(() => expect(lives("slow")).toEqual(["created", "status"]));
    await quiet("slow");
    expect(lives("slow")).toEqual(["created", "status"]);
    up.add("slow");
    await settled(Living, "slow", "Running");
    await quiet("slow");
    await eventually(() => expect(lives("slow")).toEqual(["created", "status", "status"]));
    expect(children("slow")).toEqual(["created"]);
  });

  it("is one more where a child depends on the state: it is persisted before the child is written", async () => {
    up.add("rest");
    await create(Living, "rest");
    await settled(Living, "rest", "Running");
    const desire = (desiredState: string) =>
      server().client.patch(
        Living,
        { namespace: "default", name: "rest" },
        { type: "merge", body: { spec: { lifecycle: { desiredState } } } },
      );
    await desire("Resting");
    await settled(Living, "rest", "Resting");
    await quiet("rest");
    // The edit; the state before its child is written; that this generation is done.
    await eventually(() => expect(lives("rest").slice(2)).toEqual(["spec", "status", "status"]));
    expect(children("rest")).toEqual(["created", "data"]);
    await desire("Running");
    await settled(Living, "rest", "Running");
    await quiet("rest");
    await eventually(() => expect(lives("rest").slice(5)).toEqual(["spec", "status", "status"]));
    expect(children("rest")).toEqual(["created", "data", "data"]);
  });

  it("is one run for each thing that others do", () => {
    expect(operator.reconciles("default/plain")).toBe(2);
  });

  it("is one Event for each thing that people want to know, and no request that changes nothing", async () => {
    expect(await requests("GET")).toBe(readsOfStart);
    await operator.stop();
    const { items } = await server().client.list(KubernetesEvent, { namespace: "default" });
    const about = (name: string) =>
      items
        .filter(({ regarding }) => regarding?.name === name)
        .map(({ reason, note }) => `${reason}: ${note}`);
    expect(about("plain").toSorted()).toEqual([
      "Created: Created ConfigMap/plain",
      "Updated: Updated ConfigMap/plain: what is declared has changed",
    ]);
    expect(about("swift").toSorted()).toEqual([
      "Created: Created ConfigMap/swift",
      "StateChanged: Start → Warm by observed.Up: the application is observed Up",
      "StateChanged: Warm → Running by observed.Up: the application is observed Up",
      "StateChanged: entered Start: the resource is new",
      "TargetAccepted: Running is desired",
    ]);
    const moves = operator.lines.filter(({ message }) => message === "lifecycle state changed");
    const ofSwift = moves.filter(({ fields }) => fields["object"] === "default/swift");
    expect(ofSwift.map(({ fields }) => fields["to"])).toEqual(["Start", "Warm", "Running"]);
    const sent = await requests("PATCH|POST|PUT|DELETE");
    const names = ["plain", "swift", "mended", "slow", "rest"];
    const byOperator = names.flatMap((name) => [
      ...[...own(name), ...lives(name)].filter((what) => what === "status"),
      ...children(name).filter((what) => what !== "deleted"),
    ]);
    const definitions = 2;
    // One that is repeated is counted in a series, by one more request unless the first was still to be sent.
    const happened = items.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
    const ofEvents = sent - definitions - byOperator.length;
    expect(ofEvents).toBeGreaterThanOrEqual(items.length);
    expect(ofEvents).toBeLessThanOrEqual(happened);
  });
});
