// A type that the API server does not serve, or not to the operator: what can be served is served, what cannot says why, and
// it is taken up when it can be. By real means: CRDs that are created and removed, roles that are granted and revoked.
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { defineController, defineKind, defineOperator, fromManifest } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { ConfigMap, Namespace } from "../../src/kinds/index.ts";
import { findCondition, type Condition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { RunOptions } from "../../src/manager/run-options.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startFaultProxy } from "../support/fault-proxy.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const Shop = defineKind({
  group: "partial.example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({ monitored: z.boolean().default(false) }),
  status: z.object({ listed: z.int() }),
});
/** What an operator may own without its CRD being there. */
const Monitor = defineKind({
  group: "monitoring.partial.example.com",
  version: "v1",
  kind: "Monitor",
  spec: z.object({ of: z.string() }),
});
const NewMonitor = { ...Monitor, version: "v2" } as typeof Monitor;

const shops = (Type: typeof Monitor) =>
  defineController(Shop, {
    owns: [ConfigMap, Type],
    steps: {
      ObjectsGetter: ({ cr, registry }) => {
        const { name, namespace } = cr.metadata;
        if (cr.spec.monitored) {
          registry.add(
            fromManifest({
              apiVersion: `${Type.group}/${Type.version}`,
              kind: Type.kind,
              metadata: { name, namespace },
              spec: { of: name },
            }),
          );
        }
        registry.add(
          fromManifest({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: {} }),
        );
      },
      SuccessManager: ({ owned }) => ({ listed: owned(ConfigMap).length }),
    },
  });
const operator = defineOperator({ name: "partial", controllers: [shops(Monitor)] });

const conditionOf = (object: KubeObject, type: string): Condition | undefined =>
  findCondition(
    (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status?.conditions,
    type,
  );

describeOnEachApiServer(
  "partial service",
  (server) => {
    const cleanUp: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const each of cleanUp.splice(0).reverse()) await each();
    });

    async function start(
      definition: typeof operator,
      kubeconfig: string,
      options: Partial<RunOptions> = {},
    ): Promise<RunningOperator & { readyz: () => Promise<{ status: number; body: string }> }> {
      const running = await startOperator(definition, kubeconfig, {
        healthProbeBindAddress: "127.0.0.1:0",
        ...options,
      });
      cleanUp.push(() => running.stop());
      const served = running.lines.find(({ message }) => message === "health probes served");
      const readyz = async () => {
        const response = await fetch(`${String(served?.fields["url"])}/readyz`);
        return { status: response.status, body: await response.text() };
      };
      return { ...running, readyz };
    }

    async function install(kind: typeof Shop | typeof Monitor): Promise<void> {
      const { client } = server();
      const crd = crdOf(kind);
      await client.apply(CustomResourceDefinition, crd, { fieldManager: "test" });
      await eventually(() => client.list(kind as typeof Shop));
      cleanUp.push(() => remove(kind));
    }

    async function remove(kind: typeof Shop | typeof Monitor): Promise<void> {
      const { client } = server();
      const { name } = crdOf(kind).metadata;
      await client.delete(CustomResourceDefinition, { name }).catch(() => undefined);
      await eventually(async () => {
        await expect(client.get(CustomResourceDefinition, { name })).rejects.toMatchObject({ status: 404 });
      });
    }

    async function shop(name: string, monitored: boolean, namespace = "default"): Promise<void> {
      await server().client.create(Shop, {
        apiVersion: "partial.example.com/v1",
        kind: "Shop",
        metadata: { name, namespace },
        spec: { monitored },
      });
    }

    const success = async (name: string, namespace = "default") =>
      conditionOf(await server().client.get(Shop, { name, namespace }), "ReconciliationSuccess");

    it("of an owned type without its CRD: others are served, the type is named, and taken up and let go with the CRD", async () => {
      const { client } = server();
      await install(Shop);
      const running = await start(operator, server().kubeconfig);
      await shop("plain", false);
      await shop("watched", true);
      await eventually(async () => expect(await success("plain")).toMatchObject({ status: "True" }));
      await eventually(async () =>
        expect(await success("watched")).toMatchObject({
          status: "Unknown",
          reason: "Pending",
          message: expect.stringMatching(
            /^Monitor\/watched waits: .*does not serve monitors\.monitoring\.partial\.example\.com in version v1.*Install its CRD/,
          ),
        }),
      );
      // What does not hang on it is there, and the whole is not called ready.
      await client.get(ConfigMap, { name: "watched", namespace: "default" });
      const watched = await client.get(Shop, { name: "watched", namespace: "default" });
      expect(conditionOf(watched, "Ready")).toMatchObject({ status: "False", reason: "TypeUnavailable" });
      const ready = await running.readyz();
      expect(ready.status).toBe(200);
      expect(ready.body).toContain(
        "[!] watch of monitors.monitoring.partial.example.com: the API server does not serve",
      );
      const said = running.lines.filter(({ message }) => message.startsWith("a type is unavailable"));
      expect(said).toHaveLength(1);
      expect(said[0]?.fields["remedy"]).toContain("Install its CRD");

      await install(Monitor);
      await eventually(async () => expect(await success("watched")).toMatchObject({ status: "True" }));
      await client.get(Monitor, { name: "watched", namespace: "default" });
      expect(await running.readyz()).toEqual({ status: 200, body: "ok\n" });

      await remove(Monitor);
      await eventually(async () =>
        expect(await success("watched")).toMatchObject({
          status: "Unknown",
          message: expect.stringMatching(/^Monitor\/watched waits: .*Install its CRD/),
        }),
      );
      expect(await success("plain")).toMatchObject({ status: "True" });
    });

    it("of an owned type that is served in another version only: says in which", async () => {
      await install(Shop);
      await install(Monitor);
      const running = await start(
        defineOperator({ name: "partial", controllers: [shops(NewMonitor)] }),
        server().kubeconfig,
      );
      await shop("newer", true);
      await eventually(async () =>
        expect(await success("newer")).toMatchObject({
          message: expect.stringContaining("in version v2, only in v1"),
        }),
      );
      expect((await running.readyz()).status).toBe(200);
    });

    it("of one of two kinds: the other is served, and readiness says that nothing is of the first", async () => {
      await install(Shop);
      const both = defineOperator({
        name: "partial",
        controllers: [shops(Monitor), defineController(Monitor, { steps: {} })],
      });
      const running = await start(both, server().kubeconfig);
      await shop("alone", false);
      await eventually(async () => expect(await success("alone")).toMatchObject({ status: "True" }));
      const ready = await running.readyz();
      expect(ready.status).toBe(503);
      expect(ready.body).toContain(
        "[-] watch of monitors.monitoring.partial.example.com: the API server does not",
      );
    });

    it("of one namespace of two: the other is served, the role is asked for, and taken up when it is there", async () => {
      const { client } = server();
      await install(Shop);
      for (const name of ["open", "closed"]) {
        await client
          .create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } })
          .catch(() => undefined);
      }
      const roles = await rolesOf(server());
      cleanUp.push(roles.end);
      await roles.grant("open");
      const running = await start(operator, roles.kubeconfig, { namespaces: ["open", "open", "closed"] });
      await shop("here", false, "open");
      await shop("there", false, "closed");
      await eventually(async () => expect(await success("here", "open")).toMatchObject({ status: "True" }));
      // The namespace that is named twice is not counted twice.
      const here = await client.get(Shop, { name: "here", namespace: "open" });
      expect(here.status).toMatchObject({ listed: 1 });
      const ready = await running.readyz();
      expect(ready.status).toBe(200);
      expect(ready.body).toContain(
        "[!] watch of shops.partial.example.com in namespace closed: the operator may not list and watch it",
      );
      expect(await success("there", "closed")).toBeUndefined();
      const said = running.lines.find(
        ({ fields }) => fields["namespace"] === "closed" && fields["reason"] === "forbidden",
      );
      expect(said?.fields["remedy"]).toMatch(/Grant "get", "list" and "watch" on .* in namespace "closed"/);

      await roles.grant("closed");
      await eventually(async () =>
        expect(await success("there", "closed")).toMatchObject({ status: "True" }),
      );

      await roles.revoke("closed");
      await eventually(async () =>
        expect((await running.readyz()).body).toContain("shops.partial.example.com in namespace closed"),
      );
      await shop("more", false, "open");
      await eventually(async () => expect(await success("more", "open")).toMatchObject({ status: "True" }));
    });
  },
  { real: { controllers: "none" } },
);

/** An operator's account whose permissions come and go, namespace by namespace. */
interface Roles {
  readonly kubeconfig: string;
  grant(namespace: string): Promise<void>;
  /** Also ends the watches that are open, as the server would within minutes. */
  revoke(namespace: string): Promise<void>;
  end(): Promise<void>;
}

async function rolesOf({ client, plane, faults, kubeconfig, url }: ApiServerUnderTest): Promise<Roles> {
  const proxy = await startFaultProxy(url);
  if (plane === undefined) {
    const deny = (namespace: string) =>
      ["shops", "configmaps", "monitors"].map((plural) =>
        faults?.refuse({ verb: ["list", "watch"], plural, namespace }, { status: 403 }),
      );
    const denied = new Map<string, ReturnType<typeof deny>>(
      ["open", "closed"].map((each) => [each, deny(each)]),
    );
    return {
      kubeconfig: await proxy.kubeconfigFor(kubeconfig),
      grant: async (namespace) => {
        for (const fault of denied.get(namespace) ?? []) fault?.end();
      },
      revoke: async (namespace) => {
        denied.set(namespace, deny(namespace));
        proxy.reset();
      },
      end: () => proxy.stop(),
    };
  }
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rule = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  const user = { kind: "User", name: "stranger", apiGroup: "rbac.authorization.k8s.io" };
  const metadata = { name: "partial-operator" };
  const post = (path: string, body: object) =>
    client.request({ method: "POST", path: `${rbac}${path}`, body });
  await forWholeCluster(post, { metadata, user });
  return {
    kubeconfig: await proxy.kubeconfigFor(plane.strangersKubeconfig),
    grant: async (namespace) => {
      const path = `/namespaces/${namespace}`;
      await post(`${path}/roles`, { metadata, rules: [rule] }).catch(() => undefined);
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: metadata.name };
      await post(`${path}/rolebindings`, { metadata, roleRef, subjects: [user] });
    },
    revoke: async (namespace) => {
      const path = `${rbac}/namespaces/${namespace}/rolebindings/${metadata.name}`;
      await client.request({ method: "DELETE", path });
      proxy.reset();
    },
    end: () => proxy.stop(),
  };
}

/** What no namespace has: the definitions of the kinds. */
async function forWholeCluster(
  post: (path: string, body: object) => Promise<unknown>,
  { metadata, user }: { readonly metadata: { readonly name: string }; readonly user: object },
): Promise<void> {
  const rules = [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get"] },
  ];
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name };
  await post("/clusterroles", { metadata, rules });
  await post("/clusterrolebindings", { metadata, roleRef, subjects: [user] });
}
