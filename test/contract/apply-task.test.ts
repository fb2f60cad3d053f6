// A task that applies objects and waits for them, on a server on which nothing but the test makes them healthy.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { isNotFound } from "../../src/client/index.ts";
import { applyTask } from "../../src/controller/tasks/apply-task.ts";
import { defineController, defineKind, defineOperator, setupLifecycle } from "../../src/index.ts";
import { ConfigMap, Deployment } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const lifecycle = setupLifecycle()
  .extend({ tasks: { deploy: { input: {} as { readonly image: string } } } })
  .createMachine({
    id: "plan",
    version: "1",
    initial: "New",
    states: {
      New: { on: { "observed.Idle": "Idle" } },
      Idle: { on: { "desired.Deploying": "Deploying", "desired.Off": "Off" } },
      Deploying: {
        invoke: {
          id: "deploy",
          src: "deploy",
          input: { image: "example.com/web:1" },
          onDone: "Idle",
          onError: "Broken",
        },
        on: { "human.stop": "Off" },
      },
      Off: { on: { "desired.Idle": "Idle", "desired.Deploying": "Deploying" } },
      Broken: { tags: ["intervention"], on: { "human.retry": "Idle" } },
    },
  });

const Plan = defineKind({
  group: "apply.test.example.com",
  version: "v1",
  kind: "Plan",
  spec: z.object({}),
  lifecycle,
});

describeOnEachApiServer(
  "a task that applies objects",
  (server) => {
    let operator: RunningOperator;
    const plans = defineOperator({
      name: "plan-operator",
      controllers: [
        defineController(Plan, {
          owns: [ConfigMap, Deployment],
          application: {
            observe: () => ({ state: "Idle" }),
            poll: "500ms",
            tasks: {
              deploy: applyTask({
                objects: ({ cr, input }) => [
                  {
                    apiVersion: "v1",
                    kind: "ConfigMap",
                    metadata: { name: `${cr.metadata.name}-config` },
                    data: { level: "1" },
                  },
                  {
                    apiVersion: "apps/v1",
                    kind: "Deployment",
                    metadata: { name: cr.metadata.name },
                    spec: {
                      replicas: 1,
                      selector: { matchLabels: { app: cr.metadata.name } },
                      template: {
                        metadata: { labels: { app: cr.metadata.name } },
                        spec: { containers: [{ name: "web", image: input.image }] },
                      },
                    },
                  },
                ],
                deleteOnCancel: true,
                poll: "500ms",
              }),
            },
          },
        }),
      ],
    });
    beforeAll(async () => {
      operator = await startOperator(plans, server().kubeconfig, { installCrds: true });
    });
    afterAll(() => operator.stop());

    const keyOf = (name: string) => ({ namespace: "default", name });
    const plan = (name: string) => server().client.get(Plan, keyOf(name));
    const ask = (name: string) =>
      server().client.create(Plan, {
        apiVersion: "apply.test.example.com/v1",
        kind: "Plan",
        metadata: keyOf(name),
        spec: { lifecycle: { desiredState: "Deploying" } },
      });
    const deployment = (name: string) => server().client.get(Deployment, keyOf(name));
    const setStatus = async (name: string, status: object): Promise<void> => {
      const { metadata } = await deployment(name);
      const body = { status: { observedGeneration: metadata.generation, ...status } };
      await server().client.patch(
        Deployment,
        keyOf(name),
        { type: "merge", body },
        { subresource: "status", fieldManager: "test" },
      );
    };

    it("creates what the custom resource owns, says how far it is, and is done when all are healthy", async () => {
      const { metadata } = await ask("web");
      await eventually(async () => {
        const { conditions, lifecycle: stored } = (await plan("web")).status ?? {};
        expect(stored?.tasks?.["deploy"]).toMatchObject({
          phase: "Running",
          counted: { done: 1, total: 2, what: "objects healthy" },
        });
        expect(findCondition(conditions, "Lifecycle")?.message).toContain(
          "deploy: 1 of 2 objects healthy: Deployment/web is",
        );
      });
      expect((await deployment("web")).metadata.ownerReferences).toMatchObject([
        { uid: metadata.uid, controller: true },
      ]);
      await setStatus("web", { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 });
      await eventually(async () => expect((await plan("web")).status?.lifecycle?.state).toBe("Idle"));
      expect((await plan("web")).status?.lifecycle?.target?.reached).toBe(true);
    });

    it("repairs what drifts while it runs", async () => {
      await ask("drift");
      await eventually(() => deployment("drift"));
      const body = { data: { level: "2", more: "theirs" } };
      await server().client.patch(
        ConfigMap,
        keyOf("drift-config"),
        { type: "merge", body },
        { fieldManager: "test" },
      );
      await eventually(async () => {
        const { data } = await server().client.get(ConfigMap, keyOf("drift-config"));
        expect(data).toEqual({ level: "1", more: "theirs" });
      });
    });

    it("fails when an object has failed for good, and when one is somebody else's", async () => {
      await ask("late");
      await eventually(() => deployment("late"));
      const message = "ReplicaSet late has timed out progressing.";
      const conditions = [
        { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message },
      ];
      await setStatus("late", { conditions });
      await eventually(async () => {
        const { status } = await plan("late");
        expect(status?.lifecycle?.state).toBe("Broken");
        expect(findCondition(status?.conditions, "Lifecycle")?.message).toContain(
          `Deployment/late: ${message}`,
        );
      });
      await server().client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: keyOf("foreign-config"),
        data: { level: "theirs" },
      });
      await ask("foreign");
      await eventually(async () => {
        const { status } = await plan("foreign");
        expect(status?.lifecycle?.state).toBe("Broken");
        expect(findCondition(status?.conditions, "Lifecycle")?.message).toContain(
          "ConfigMap/foreign-config exists already",
        );
      });
      const { data } = await server().client.get(ConfigMap, keyOf("foreign-config"));
      expect(data).toEqual({ level: "theirs" });
    });

    it("deletes, when it is cancelled, only what it has created itself", async () => {
      // An earlier run has left a Deployment that is as declared; then its ConfigMap is deleted.
      await ask("kept");
      await eventually(() => deployment("kept"));
      await setStatus("kept", { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 });
      await eventually(async () =>
        expect((await plan("kept")).status?.lifecycle?.target?.reached).toBe(true),
      );
      const { uid } = (await deployment("kept")).metadata;
      await server().client.delete(ConfigMap, keyOf("kept-config"));
      await setStatus("kept", { replicas: 1, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 });
      const again = { spec: { lifecycle: { request: "again" } } };
      await server().client.patch(
        Plan,
        keyOf("kept"),
        { type: "merge", body: again },
        { fieldManager: "test" },
      );
      await eventually(() => server().client.get(ConfigMap, keyOf("kept-config")));
      const stop = { metadata: { annotations: { "lifecycle.xstate-operator.dev/event": "stop" } } };
      await server().client.patch(
        Plan,
        keyOf("kept"),
        { type: "merge", body: stop },
        { fieldManager: "test" },
      );
      await eventually(() =>
        expect(server().client.get(ConfigMap, keyOf("kept-config"))).rejects.toSatisfy(isNotFound),
      );
      expect((await deployment("kept")).metadata).toMatchObject({ uid });
      expect((await deployment("kept")).metadata.deletionTimestamp).toBeUndefined();
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
