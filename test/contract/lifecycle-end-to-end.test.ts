// Lives of applications as their authors get them: CRDs installed, the operator a process of its own, which is then killed,
// while it is dead things happen, and its next version goes on.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { humanEventAnnotation } from "../../src/lifecycle/human-event-annotation.ts";
import { isJobComplete } from "../../src/kinds/builtin/readiness.ts";
import type { InstanceOf, Kind } from "../../src/kinds/define-kind.ts";
import { ConfigMap, Job, KubernetesEvent } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { Loom } from "../fixtures/mill/loom.ts";
import { millOperator, seenAnnotation } from "../fixtures/mill/mill.ts";
import { PlantV1 } from "../fixtures/mill/plant.ts";
import { Press, pressLabel } from "../fixtures/mill/press.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startCommand, type OperatorProcess } from "../support/operator-process.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

type Instance = InstanceOf<(typeof Press)["queue"]> | InstanceOf<typeof PlantV1> | InstanceOf<typeof Loom>;
type AnyKind = Kind<Instance>;

const module = join(import.meta.dirname, "../fixtures/mill/first-operator.ts");
const namespace = "default";
const limit = 60_000;

describeOnEachApiServer(
  "a life of an application",
  (server) => {
    let first: OperatorProcess | undefined;
    let second: RunningOperator | undefined;

    beforeAll(async () => {
      const running = startCommand(["run", module, "--kubeconfig", server().kubeconfig, "--install-crds"]);
      first = running;
      await eventually(() => expect(running.output()).toContain('"msg":"running"'), limit);
    }, limit);
    afterAll(async () => {
      await second?.stop();
      await first?.kill();
    });

    const at = (kind: AnyKind, name: string) => server().client.get<Instance>(kind, { namespace, name });
    const create = (
      kind: AnyKind,
      name: string,
      spec: object = {},
      annotations: Record<string, string> = {},
    ) =>
      server().client.create<Instance>(kind, {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata: { namespace, name, annotations },
        spec,
      });
    const patch = (kind: AnyKind, name: string, body: object) =>
      server().client.patch<Instance>(kind, { namespace, name }, { type: "merge", body });
    const target = (kind: AnyKind, name: string, desiredState: string, request?: string) =>
      patch(kind, name, {
        spec: { lifecycle: { desiredState, ...(request === undefined ? {} : { request }) } },
      });
    const see = (kind: AnyKind, name: string, seen: string | null) =>
      patch(kind, name, { metadata: { annotations: { [seenAnnotation]: seen } } });

    const isIn = (kind: AnyKind, name: string, state: string) =>
      eventually(async () => {
        const { status } = await at(kind, name);
        expect(status?.lifecycle?.state).toBe(state);
        return status?.lifecycle;
      });

    /** The Jobs that a press has now. */
    const jobsOf = async (name: string, task?: string) => {
      const labelSelector = [`${pressLabel}=${name}`, ...(task === undefined ? [] : [`task=${task}`])].join();
      return (await server().client.list(Job, { namespace, labelSelector })).items;
    };
    const keysOf = async (name: string, task?: string) =>
      (await jobsOf(name, task)).map(({ metadata }) => metadata.name);
    /** Lets the Jobs of a press end; returns how many there were at this moment. */
    async function work(name: string, isGood = true): Promise<number> {
      const open = (await jobsOf(name)).filter((job) => !isJobComplete(job));
      const now = `${new Date().toISOString().slice(0, 19)}Z`;
      const types = isGood ? ["SuccessCriteriaMet", "Complete"] : ["FailureTarget", "Failed"];
      const conditions = types.map((type) => ({
        type,
        status: "True",
        reason: "Tested",
        message: "as the test says",
        lastProbeTime: now,
        lastTransitionTime: now,
      }));
      const outcome = isGood ? { completionTime: now, succeeded: 1 } : { failed: 1 };
      const status = { startTime: now, ...outcome, conditions };
      for (const { metadata } of open) {
        const key = { namespace, name: metadata.name };
        await server().client.patch(Job, key, { type: "merge", body: { status } }, { subresource: "status" });
      }
      return open.length;
    }
    /** Lets a Job soil something, which can be cleaned up only once somebody says so. */
    const soil = (name: string, ...finalizers: readonly string[]) =>
      server().client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace, name, finalizers },
      });
    /** Works until the press rests with this request done; it never has two Jobs under way. */
    async function rests(kind: AnyKind, name: string, request: string) {
      let most = 0;
      const lifecycle = await eventually(async () => {
        most = Math.max(most, await work(name));
        const { metadata, status } = await at(kind, name);
        expect(status?.lifecycle?.target).toMatchObject({ request, reached: true });
        const { generation: observedGeneration } = metadata;
        const rest = { status: "True", reason: "Idle", observedGeneration };
        expect(findCondition(status?.conditions, "Lifecycle")).toMatchObject(rest);
        return status?.lifecycle;
      });
      expect(most).toBe(1);
      return lifecycle;
    }
    /** Waits until a Job of this task runs that is not the one before, and the status says so. */
    const runs = (kind: AnyKind, name: string, task: string, before?: string) =>
      eventually(async () => {
        const { status } = await at(kind, name);
        const record = status?.lifecycle?.tasks?.[task];
        expect(record).toMatchObject({ phase: "Running" });
        const key = record?.key ?? "";
        expect(key).not.toBe(before);
        expect(await keysOf(name, task)).toContain(key);
        return key;
      });
    const no = undefined;
    /** What the conditions of a plant say, those of its regions by path. */
    const isSaid = (
      name: string,
      [ready, reconciling, stalled, degraded]: readonly (string | undefined)[],
      regions: object,
    ) =>
      eventually(async () => {
        const { conditions = [] } = (await at(PlantV1, name)).status ?? {};
        const isRegion = ({ type }: { readonly type: string }) => type.startsWith("Lifecycle.");
        const health = ["Ready", "Reconciling", "Stalled", "Degraded"].map(
          (type) => findCondition(conditions, type)?.status,
        );
        expect(health).toEqual([ready, reconciling, stalled, degraded]);
        expect(
          Object.fromEntries(conditions.filter(isRegion).map(({ type, reason }) => [type, reason])),
        ).toEqual(regions);
      });
    const wipe = (kind: AnyKind, name: string) =>
      server().client.patch(
        kind,
        { namespace, name },
        { type: "json", body: [{ op: "replace", path: "/status", value: {} }] },
        { subresource: "status" },
      );

    it.concurrent.each([
      {
        policy: "queue",
        told: ["size", "parts.door", "colour", "parts.lid"],
        fits: 3,
        cleanings: 2,
        begun: 1,
      },
      { policy: "coalesce", told: ["size", "colour parts.door parts.lid"], fits: 2, cleanings: 1, begun: 1 },
      { policy: "restart", told: ["size"], fits: 1, cleanings: 1, begun: 4 },
    ] as const)(
      "is told of edits made on its way as the policy $policy says",
      async ({ policy, told, fits, cleanings, begun }) => {
        const kind: AnyKind = Press[policy];
        await create(kind, policy);
        await isIn(kind, policy, "Idle");
        await patch(kind, policy, { spec: { size: 2 } });
        let key = await runs(kind, policy, "fit");
        const keys = new Set([key]);
        for (const edit of [{ parts: { door: "oak" } }, { colour: "red" }, { parts: { lid: "tin" } }]) {
          const { metadata } = await patch(kind, policy, { spec: edit });
          await eventually(async () => {
            const { status } = await at(kind, policy);
            const noticed = { status: "False", reason: "Fitting", observedGeneration: metadata.generation };
            expect(findCondition(status?.conditions, "Lifecycle")).toMatchObject(noticed);
          });
          key = await runs(kind, policy, "fit", policy === "restart" ? key : undefined);
          keys.add(key);
        }
        // Each of them was begun under a key of its own, and all but the last are cancelled.
        expect(keys.size).toBe(begun);
        await eventually(async () => expect(await keysOf(policy, "fit")).toEqual([key]));
        for (const request of ["a", "b"]) {
          const { metadata } = await target(kind, policy, "Cleaning", request);
          await eventually(async () => {
            const { status } = await at(kind, policy);
            const { observedGeneration } = findCondition(status?.conditions, "Lifecycle") ?? {};
            expect(observedGeneration).toBe(metadata.generation);
          });
        }
        const lifecycle = await rests(kind, policy, "b");
        expect(lifecycle).toMatchObject({ snapshot: { context: { told } } });
        expect(await keysOf(policy, "fit")).toHaveLength(fits);
        expect(await keysOf(policy, "clean")).toHaveLength(cleanings);
      },
      limit,
    );

    it.concurrent(
      "has the conditions that the tags of its states tell, and one for each region that is active",
      async () => {
        await create(PlantV1, "plant");
        await isSaid("plant", ["False", no, no, no], {});
        await target(PlantV1, "plant", "On");
        const parts = (Boiler: string, Pump: string) => ({
          "Lifecycle.On.Boiler": Boiler,
          "Lifecycle.On.Pump": Pump,
        });
        await isSaid("plant", ["False", "True", no, no], parts("Heating", "Turning"));
        await see(PlantV1, "plant", "Hot");
        await isSaid("plant", ["True", no, no, no], parts("Hot", "Turning"));
        await see(PlantV1, "plant", "Stuck");
        await isSaid("plant", ["False", no, no, no], parts("Hot", "Stuck"));
        await see(PlantV1, "plant", "Cracked");
        await isSaid("plant", ["False", no, no, "True"], parts("Cracked", "Stuck"));
        await target(PlantV1, "plant", "Off");
        await isSaid("plant", ["False", no, no, no], {});
      },
      limit,
    );

    it.concurrent(
      "goes on with the Job that runs when somebody wipes its status, and knows of one that has ended",
      async () => {
        const kind = Press.coalesce;
        await create(kind, "wiped", { lifecycle: { desiredState: "Cleaning", request: "a" } });
        const key = await runs(kind, "wiped", "clean");
        await wipe(kind, "wiped");
        expect(await runs(kind, "wiped", "clean")).toBe(key);
        await rests(kind, "wiped", "a");
        expect(await keysOf("wiped")).toEqual([key]);
        await wipe(kind, "wiped");
        await eventually(async () => {
          expect((await at(kind, "wiped")).status?.lifecycle?.target).toMatchObject({ outcome: "lost" });
        });
        await isIn(kind, "wiped", "Idle");
        expect(await keysOf("wiped")).toEqual([key]);
        await target(kind, "wiped", "Cleaning", "b");
        await rests(kind, "wiped", "b");
        expect(await keysOf("wiped")).toHaveLength(2);
      },
      limit,
    );

    it.concurrent(
      "carries out the request of a manifest once, however often it is applied, and once more for each new object",
      async () => {
        const kind = Press.coalesce;
        const name = "in-git";
        const asked = {
          apiVersion: `${kind.group}/${kind.version}`,
          kind: kind.kind,
          metadata: { namespace, name },
          spec: { lifecycle: { desiredState: "Cleaning", request: "2026-01-01" } },
        };
        const synchronize = async (manifest: typeof asked) => {
          for (const fieldManager of ["argocd-controller", "kustomize-controller"])
            for (let times = 0; times < 3; times += 1)
              await server().client.apply<Instance>(kind, manifest, { fieldManager, force: true });
        };
        const made = new Set<string>();
        for (const backups of [1, 2, 3]) {
          await synchronize(asked);
          await rests(kind, name, "2026-01-01");
          await synchronize(asked);
          for (const key of await keysOf(name)) made.add(key);
          expect(made.size).toBe(backups);
          await server().client.delete(kind, { namespace, name });
          await eventually(() => expect(at(kind, name)).rejects.toMatchObject({ status: 404 }));
          for (const key of await keysOf(name)) made.add(key);
          expect(made.size).toBe(backups);
        }
      },
      limit,
    );

    describe("whose operator is killed", () => {
      const presses = Press.coalesce;
      let key = "";
      let soiled = "";
      beforeAll(async () => {
        const cleaning = { lifecycle: { desiredState: "Cleaning", request: "a" } };
        await Promise.all([
          create(presses, "robbed", cleaning),
          create(presses, "soiled", cleaning),
          create(PlantV1, "rebuilt", { lifecycle: { desiredState: "On" } }, { [seenAnnotation]: "Hot" }),
          ...["deep", "shallow"].map((name) => create(Loom, name, {}, { [seenAnnotation]: "Silk" })),
        ]);
        await Promise.all(
          ["deep", "shallow"].map(async (name) => {
            await isIn(Loom, name, "Weaving:Silk:Warp");
            await see(Loom, name, "Weft");
            await isIn(Loom, name, "Weaving:Silk:Weft");
            await see(Loom, name, null);
            await target(Loom, name, "Stopped");
            await isIn(Loom, name, "Stopped");
          }),
        );
        const regions = { "Lifecycle.On.Boiler": "Hot", "Lifecycle.On.Pump": "Turning" };
        await isSaid("rebuilt", ["True", no, no, no], regions);
        key = await runs(presses, "robbed", "clean");
        soiled = await runs(presses, "soiled", "clean");
        await soil(soiled, "mill.example.com/sticky");
        await work("soiled", false);
        await eventually(async () => {
          const { metadata } = await server().client.get(ConfigMap, { namespace, name: soiled });
          expect(metadata.deletionTimestamp).toBeDefined();
        });
        // The failure is not told before that is undone.
        const undoing = { state: "Cleaning", tasks: { clean: { key: soiled, phase: "Compensating" } } };
        expect((await at(presses, "soiled")).status?.lifecycle).toMatchObject(undoing);
        await first?.kill();
        const body = { metadata: { finalizers: null } };
        await server().client.patch(ConfigMap, { namespace, name: soiled }, { type: "merge", body });
        await soil(soiled);
        await wipe(presses, "robbed");
        await target(Loom, "deep", "Weaving");
        const annotations = { [humanEventAnnotation]: "rewind" };
        const spec = { lifecycle: { desiredState: "Weaving" } };
        await patch(Loom, "shallow", { metadata: { annotations }, spec });
        second = await startOperator(millOperator(2), server().kubeconfig, { installCrds: true });
      }, limit);

      it("returns to the state that it remembers, or to the beginning of that", async () => {
        await isIn(Loom, "deep", "Weaving:Silk:Weft");
        await isIn(Loom, "shallow", "Weaving:Silk:Warp");
      });

      it("goes on with the Job that runs, although its status was wiped meanwhile", async () => {
        expect(await runs(presses, "robbed", "clean")).toBe(key);
        await rests(presses, "robbed", "a");
        expect(await keysOf("robbed")).toEqual([key]);
      });

      it("goes on undoing what the Job that failed has left behind, and fails only then", async () => {
        const { last, target } = (await isIn(presses, "soiled", "HumanIntervention")) ?? {};
        expect(last?.cause).toBe("clean failed: as the test says");
        expect(target).toMatchObject({ outcome: "failed" });
        await expect(server().client.get(ConfigMap, { namespace, name: soiled })).rejects.toMatchObject({
          code: "API_NOT_FOUND",
        });
        await eventually(async () => {
          const { items } = await server().client.list(KubernetesEvent, { namespace });
          const told = items.filter(({ regarding }) => regarding?.name === "soiled");
          expect(told.map(({ reason }) => reason)).toContain("TaskFailed");
        });
      });

      it("has no condition of a region that the next version has not, and one of each that it has", async () => {
        const regions = { "Lifecycle.On.Boiler": "Hot", "Lifecycle.On.Fan": "Still" };
        await isSaid("rebuilt", ["True", no, no, no], regions);
      });
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
