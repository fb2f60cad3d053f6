// What an API server has carried out and did not say so: nothing is made twice, nothing that was made once is replaced, and "try later" is
// no failure. By a proxy that loses and replaces answers and holds watches back, on a whole operator.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineController,
  defineKind,
  defineOperator,
  findCondition,
  fromManifest,
  setupLifecycle,
  type InstanceOf,
} from "../../src/index.ts";
import { isAlreadyExists } from "../../src/client/index.ts";
import { jobTask } from "../../src/controller/jobs/job-task.ts";
import { applyTask } from "../../src/controller/tasks/apply-task.ts";
import { ConfigMap, Job, Secret } from "../../src/kinds/index.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { keyOf } from "../../src/meta/object-key.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  startRequestProxy,
  type Fault,
  type RequestMatch,
  type RequestProxy,
} from "../support/request-proxy.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const group = "answers.example.com";
const namespace = "default";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Keeps a password that it has made once. */
const Vault = defineKind({
  group,
  version: "v1",
  kind: "Vault",
  spec: z.object({ write: z.enum(["apply", "update", "patch"]), size: z.int().default(1) }),
});

const work = (src: string) =>
  ({ invoke: { id: src, src, onDone: "Idle", onError: "HumanIntervention" } }) as const;

/** Works by a Job, by objects of its own, and as an author writes it by hand. */
const Mill = defineKind({
  group,
  version: "v1",
  kind: "Mill",
  spec: z.object({}),
  lifecycle: setupLifecycle().createMachine({
    id: "mill",
    version: "1",
    initial: "Idle",
    states: {
      Idle: {
        on: {
          "desired.ByJob": "ByJob",
          "desired.ByObjects": "ByObjects",
          "desired.ByHand": "ByHand",
        },
      },
      ByJob: work("job"),
      ByObjects: work("objects"),
      ByHand: work("hand"),
    },
  }),
});
type Mill = InstanceOf<typeof Mill>;

const doneAnnotation = "answers.example.com/done";
const isDone = ({ metadata }: KubeObject): boolean => metadata.annotations?.[doneAnnotation] === "yes";

/** Passwords as they were made, by the name of the vault. */
const made = new Map<string, string[]>();
function newPassword(name: string): string {
  const all = made.get(name) ?? [];
  all.push(`${name}-${all.length + 1}`);
  made.set(name, all);
  return base64(all.at(-1) ?? "");
}

const operator = defineOperator({
  name: "answers-operator",
  controllers: [
    defineController(Vault, {
      owns: [Secret],
      steps: {
        ObjectsGetter: ({ cr, lookUp, registry }) => {
          const password = lookUp(Secret, keyOf(cr))?.data?.["password"] ?? newPassword(cr.metadata.name);
          const data = { password, size: base64(String(cr.spec.size)) };
          const manifest = { apiVersion: "v1", kind: "Secret", metadata: keyOf(cr), data };
          registry.add(fromManifest(manifest, { write: cr.spec.write }));
        },
      },
    }),
    defineController(Mill, {
      owns: [Job, ConfigMap],
      application: {
        observe: () => ({}),
        tasks: {
          job: jobTask({
            job: () => ({
              spec: {
                suspend: true,
                template: {
                  spec: {
                    restartPolicy: "Never",
                    containers: [{ name: "work", image: "example.com/work:1" }],
                  },
                },
              },
            }),
            observe: (_call, job) => ({ phase: isDone(job) ? "Succeeded" : "Running" }),
            poll: "200ms",
          }),
          objects: applyTask({
            objects: ({ cr }) => [
              { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `${cr.metadata.name}-objects` } },
            ],
            healthy: isDone,
            poll: "200ms",
          }),
          hand: {
            start: async ({ cr, client, key, signal }) => {
              const { apiVersion, kind, metadata } = cr;
              const ownerReferences = [
                { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true },
              ];
              const child = { name: key, namespace, ownerReferences };
              await client
                .create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: child }, { signal })
                .catch((error: unknown) => {
                  if (!isAlreadyExists(error)) throw error;
                });
            },
            // By the cache alone, which may not have seen it yet.
            observe: ({ key, lookUp }) => {
              const found = lookUp(ConfigMap, { namespace, name: key });
              if (found === undefined) return { phase: "NotFound" };
              return { phase: isDone(found) ? "Succeeded" : "Running" };
            },
            poll: "200ms",
          },
        },
      },
    }),
  ],
});

/** What may become of a write that the server carries out or refuses. */
const faults: Readonly<Record<string, (proxy: RequestProxy, match: RequestMatch) => Fault>> = {
  "was carried out, and its answer lost": (proxy, match) => proxy.loseAnswers(match),
  "was carried out, and answered with 500": (proxy, match) =>
    proxy.replaceAnswers(match, { status: 500, reason: "InternalError" }),
  "was carried out, and answered with 504": (proxy, match) =>
    proxy.replaceAnswers(match, { status: 504, reason: "Timeout" }),
  "never arrived": (proxy, match) => proxy.loseRequests(match),
  "was refused with 500 by something on the way": (proxy, match) => proxy.refuse(match, { status: 500 }),
  "was to be made again later": (proxy, match) =>
    proxy.refuse(match, { status: 429, reason: "TooManyRequests", retryAfter: 1 }),
};
const fates = Object.entries(faults).map(([what, inject], index) => ({ what, inject, id: String(index) }));

describeOnEachApiServer(
  "a write",
  (server) => {
    let proxy: RequestProxy;
    let running: RunningOperator;
    beforeAll(async () => {
      proxy = await startRequestProxy(server().kubeconfig);
      const kubeconfig = await proxy.kubeconfigFor(server().kubeconfig);
      running = await startOperator(operator, kubeconfig, { installCrds: true });
    });
    afterAll(async () => {
      await running.stop();
      await proxy.stop();
    });

    const client = () => server().client;
    const at = (name: string) => ({ namespace, name });
    const isReconciled = (name: string, generation: number) =>
      eventually(async () => {
        const { status } = await client().get(Vault, at(name));
        expect(status?.conditions).toContainEqual(
          expect.objectContaining({
            type: "ReconciliationSuccess",
            status: "True",
            observedGeneration: generation,
          }),
        );
      });
    const secret = (name: string) => client().get(Secret, at(name));

    describe.each(["apply", "update", "patch"] as const)("of a value that is made once, by %s,", (write) => {
      it.concurrent.each(write === "apply" ? fates : fates.slice(0, 2))(
        "that $what replaces nothing, however late the watch is",
        async ({ id, inject }) => {
          const name = `vault-${write}-${id}`;
          const late = proxy.holdWatches("secrets");
          const method = write === "apply" ? "PATCH" : "POST";
          const fault = inject(proxy, { method, plural: "secrets", body: `"name":"${name}"` });
          await client().create(Vault, {
            apiVersion: `${group}/v1`,
            kind: "Vault",
            metadata: at(name),
            spec: { write },
          });
          await isReconciled(name, 1);
          expect(fault.strikes).toBe(1);
          const first = await secret(name);
          await client().patch(Vault, at(name), { type: "merge", body: { spec: { size: 2 } } });
          await isReconciled(name, 2);
          late.end();
          await client().patch(Vault, at(name), { type: "merge", body: { spec: { size: 3 } } });
          await isReconciled(name, 3);
          expect((await secret(name)).data).toEqual({ ...first.data, size: base64("3") });
        },
      );
    });

    it("of a value that another process has made meanwhile leaves it as it is", async () => {
      const name = "vault-raced";
      const late = proxy.holdWatches("secrets");
      const held = proxy.hold({ method: "PATCH", plural: "secrets", name });
      const { apiVersion, kind, metadata } = await client().create(Vault, {
        apiVersion: `${group}/v1`,
        kind: "Vault",
        metadata: at(name),
        spec: { write: "apply" },
      });
      await eventually(() => expect(held.strikes).toBe(1));
      const owner = { apiVersion, kind, name, uid: metadata.uid, controller: true };
      await client().create(Secret, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { ...at(name), ownerReferences: [owner] },
        data: { password: base64("theirs"), size: base64("1") },
      });
      held.end();
      await isReconciled(name, 1);
      late.end();
      expect((await secret(name)).data?.["password"]).toBe(base64("theirs"));
    });

    const mill = (name: string) => client().get(Mill, at(name));
    const childrenOf = async (type: typeof Job | typeof ConfigMap, { metadata }: Mill) => {
      const { items } = await client().list(type, { namespace });
      return items.filter(({ metadata: { ownerReferences = [] } }) =>
        ownerReferences.some(({ uid }) => uid === metadata.uid),
      );
    };
    const tasks = [
      { id: "job", how: "by a Job", type: Job, target: "ByJob", method: "POST" },
      {
        id: "objects",
        how: "by objects of its own",
        type: ConfigMap,
        target: "ByObjects",
        method: "POST",
      },
      { id: "hand", how: "as an author writes it", type: ConfigMap, target: "ByHand", method: "POST" },
    ] as const;

    describe.each(tasks)("that starts a task, $how,", ({ id, type, target, method }) => {
      it.concurrent.each(fates)("and $what makes one and fails nothing", async (fate) => {
        const name = `mill-${id}-${fate.id}`;
        const late = proxy.holdWatches(type.plural);
        const fault = fate.inject(proxy, { method, plural: type.plural, body: `"name":"${name}"` });
        await client().create(Mill, {
          apiVersion: `${group}/v1`,
          kind: "Mill",
          metadata: at(name),
          spec: { lifecycle: { desiredState: target } },
        });
        await eventually(async () => {
          expect((await mill(name)).status?.lifecycle?.tasks?.[id]).toMatchObject({ phase: "Running" });
        });
        expect(fault.strikes).toBe(1);
        late.end();
        const [child, ...others] = await childrenOf(type, await mill(name));
        expect(others).toEqual([]);
        const body = { metadata: { annotations: { [doneAnnotation]: "yes" } } };
        await client().patch(type, at(child?.metadata.name ?? ""), {
          type: "merge",
          body,
        });
        await eventually(async () => {
          const { conditions, lifecycle } = (await mill(name)).status ?? {};
          expect(lifecycle).toMatchObject({ state: "Idle", target: { reached: true } });
          expect(findCondition(conditions, "Lifecycle")?.status).toBe("True");
          expect(lifecycle?.last?.cause).not.toContain("failed");
        });
        expect(await childrenOf(type, await mill(name))).toHaveLength(1);
      });
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" }, long: true },
);
