// `install` and `uninstall` on both API servers, with our own controllers, so that a Deployment becomes ready there too.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isNotFound } from "../../src/client/api-error.ts";
import type { RunningControllers } from "../../src/cluster/controllers/start-controllers.ts";
import { ValidatingWebhookConfiguration } from "../../src/kinds/builtin/admissionregistration.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import { Namespace, Service, ServiceAccount } from "../../src/kinds/builtin/core.ts";
import { PodDisruptionBudget } from "../../src/kinds/builtin/policy.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { clientConfigOf } from "../../src/meta/webhook-address.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import type { OperatorDefinition } from "../../src/controller/declaration/define-operator.ts";
import { secretStore } from "../../src/webhook/certificate-store.ts";
import { renewed } from "../../src/webhook/certificates.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";
import { runPods } from "../support/running-pods.ts";

/** Where its modules find the package as an author's do. */
const modules = join(import.meta.dirname, "../../node_modules");
const Jar: ResourceType<KubeObject & { readonly spec: object }> = {
  group: "kitchen.example.com",
  version: "v1",
  kind: "Jar",
  plural: "jars",
  namespaced: true,
};
const key = { namespace: "default", name: "plums" };
const account = { namespace: "jar-operator", name: "jar-operator" };

/** An operator whose resources have to be finalized. */
const operatorWith = (
  spec: string,
  options = "{}",
): string => `import { defineController, defineKind, defineOperator } from "xstate-operator";
import { z } from "zod";
const Jar = defineKind({ group: "kitchen.example.com", version: "v1", kind: "Jar", finalize: true, spec: z.object(${spec}) });
export default defineOperator({ name: "jar-operator", controllers: [defineController(Jar, ${options})] });
`;

/** Another one, of which an old version is stored. */
const versionedOperator = `import { defineController, defineKind, defineOperator } from "xstate-operator";
import { z } from "zod";
const Pot = defineKind({
  group: "kitchen.example.com", version: "v1", kind: "Pot", finalize: true, storage: "v1alpha1",
  spec: z.object({ litres: z.int() }),
  versions: { v1alpha1: { spec: z.object({ ml: z.int() }), convert: {
    up: ({ spec: { ml } }) => ({ spec: { litres: ml / 1000 } }),
    down: ({ spec: { litres } }) => ({ spec: { ml: litres * 1000 } }),
  } } },
});
export default defineOperator({ name: "pot-operator", controllers: [defineController(Pot, {})] });
`;
const Pot: typeof Jar = { ...Jar, version: "v1alpha1", kind: "Pot", plural: "pots" };

describeOnEachApiServer(
  "an operator that is installed",
  (server) => {
    let folder: string;
    let controllers: RunningControllers | undefined;
    beforeAll(async () => {
      folder = mkdtempSync(join(modules, ".xstate-operator-install-"));
      writeFileSync(
        join(folder, "first.ts"),
        operatorWith('{ size: z.enum(["small", "large"]), label: z.string().optional() }'),
      );
      writeFileSync(
        join(folder, "second.ts"),
        operatorWith('{ size: z.enum(["small"]), lid: z.boolean().default(true) }'),
      );
      writeFileSync(join(folder, "versioned.ts"), versionedOperator);
      const moved = versionedOperator.replace(', storage: "v1alpha1"', "");
      writeFileSync(join(folder, "moved.ts"), moved);
      writeFileSync(join(folder, "simple.ts"), moved.replace(/ {2}versions: [^]*?\n {2}\} \} \},\n/, ""));
      writeFileSync(
        join(folder, "guarded.ts"),
        operatorWith(
          '{ size: z.enum(["small"]), lid: z.boolean().default(true) }',
          "{ webhooks: { validate: true } }",
        ),
      );
      const { kind, client } = server();
      if (kind === "embedded") return;
      controllers = await runPods(client);
    });
    afterAll(async () => {
      await controllers?.stop();
      rmSync(folder, { recursive: true });
    });
    const command = (
      name: "install" | "uninstall",
      module: string,
      ...more: readonly string[]
    ): Promise<CommandOutcome> =>
      runCommand([
        name,
        join(folder, module),
        "--kubeconfig",
        server().kubeconfig,
        "--leader-elect",
        ...more,
      ]);

    it("is applied in order, and runs when the command is done", async () => {
      const { code, err, out } = await command("install", "first.ts", "--image", "example.com/jar:1");
      expect(code, err).toBe(0);
      expect(out).toBe("jar-operator runs in namespace jar-operator\n");
      expect(err.match(/created$/gm)).toHaveLength(9);
      expect((await server().client.get(Deployment, account)).status?.availableReplicas).toBe(1);
    }, 60_000);

    it("is left as it is by the same command", async () => {
      const { code, err } = await command("install", "first.ts", "--image", "example.com/jar:1");
      expect(code, err).toBe(0);
      expect(err).not.toMatch(/: (created|changed)$/m);
    }, 60_000);

    it("is not replaced by one that would drop or refuse what a resource has", async () => {
      const { client } = server();
      await client.create(Jar, {
        apiVersion: "kitchen.example.com/v1",
        kind: "Jar",
        metadata: { ...key, finalizers: ["jars.kitchen.example.com/finalizer"] },
        spec: { size: "large", label: "2026" },
      });
      const { code, err } = await command("install", "second.ts");
      expect(code).toBe(1);
      expect(err).toContain("UPGRADE_REFUSED");
      expect(err).toContain('spec.size no longer accepts "large", but default/plums has it');
      expect(err).toContain("the field spec.label is removed, but default/plums has it");
      const body = { spec: { size: "small", label: null } };
      await client.patch(Jar, key, { type: "merge", body });
      const second = await command("install", "second.ts", "--image", "example.com/jar:2");
      expect(second.code, second.err).toBe(0);
      expect(second.err).toContain("Deployment jar-operator: changed\n");
    }, 60_000);

    it("is not changed where somebody else has set a field, unless that is taken over", async () => {
      const body = {
        spec: { template: { spec: { containers: [{ name: "operator", image: "example.com/jar:fixed" }] } } },
      };
      await server().client.patch(
        Deployment,
        account,
        { type: "strategic", body },
        { fieldManager: "somebody" },
      );
      const { code, err } = await command("install", "second.ts", "--image", "example.com/jar:2");
      expect(code).toBe(1);
      expect(err).toMatch(/INSTALL_CONFLICT/);
      expect(err).toContain("somebody");
      const forced = await command(
        "install",
        "second.ts",
        "--image",
        "example.com/jar:2",
        "--force-conflicts",
      );
      expect(forced.code, forced.err).toBe(0);
    }, 60_000);

    it("is not uninstalled while resources wait for it", async () => {
      const { code, err } = await command("uninstall", "second.ts");
      expect(code).toBe(1);
      expect(err).toContain("RESOURCES_HELD");
      expect(err).toContain("default/plums");
      expect((await command("uninstall", "second.ts", "--release")).code).toBe(2);
      await server().client.get(Deployment, account);
    }, 60_000);

    it("ends its resources first when it is drained", async () => {
      const { default: operator } = (await import(join(folder, "second.ts"))) as {
        default: OperatorDefinition;
      };
      const running = await startOperator(operator, server().kubeconfig);
      const { code, err } = await command("uninstall", "second.ts", "--drain");
      await running.stop();
      expect(code, err).toBe(0);
      const { client } = server();
      await expect(client.get(Jar, key)).rejects.toSatisfy(isNotFound);
      await expect(client.get(ServiceAccount, account)).rejects.toSatisfy(isNotFound);
      await eventually(() => expect(client.get(Deployment, account)).rejects.toSatisfy(isNotFound));
      await client.get(Namespace, { name: "jar-operator" });
    }, 120_000);

    it("with webhooks waits until they are trusted, and leaves its resources to others although nobody answers", async () => {
      const { client } = server();
      await client.create(Jar, {
        apiVersion: "kitchen.example.com/v1",
        kind: "Jar",
        metadata: { ...key, finalizers: ["somebody.example.com/else", "jars.kitchen.example.com/finalizer"] },
        spec: { size: "small" },
      });
      const installed = command("install", "guarded.ts", "--image", "example.com/jar:3");
      // The pods are simulated: what the operator does in one.
      const { serving, authorities } = await renewed(undefined, ["jar-operator"], systemClock);
      const keeping = secretStore({ client, operator: "jar-operator", namespace: "jar-operator" });
      const { signal } = new AbortController();
      const configuration = { name: "jar-operator" };
      const { caBundle } = clientConfigOf({ url: "" }, "", authorities);
      const body = [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: caBundle }] as const;
      await eventually(() =>
        client.patch(ValidatingWebhookConfiguration, configuration, { type: "json", body }),
      );
      await keeping.write({ serving, authorities }, undefined, signal);
      const { code, err } = await installed;
      expect(code, err).toBe(0);
      await eventually(async () => {
        const label = { type: "merge", body: { metadata: { labels: { a: "b" } } } } as const;
        await expect(client.patch(Jar, key, label, { dryRun: true })).rejects.toMatchObject({ status: 500 });
      });

      const released = await command("uninstall", "guarded.ts", "--release", "--release");
      expect(released.code, released.err).toBe(0);
      expect((await client.get(Jar, key)).metadata.finalizers).toEqual(["somebody.example.com/else"]);
      expect(await keeping.read(signal)).toEqual({ certificates: undefined });
      await expect(client.get(ValidatingWebhookConfiguration, configuration)).rejects.toSatisfy(isNotFound);
    }, 120_000);

    it("has nothing of a former install, and its resources are released while it still runs", async () => {
      const { client, kubeconfig } = server();
      const jar = await client.get(Jar, key);
      await client.patch(Jar, key, { type: "merge", body: { metadata: { finalizers: null } } });
      // Of a version that had webhooks, which its successor does not answer.
      const service = { namespace: "jar-operator", name: "jar-operator-webhook" };
      const labels = { "app.kubernetes.io/name": "jar-operator" };
      const former = (name: string, namespace: string) => ({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name, labels },
        webhooks: [
          {
            name: "validate.jars.kitchen.example.com",
            clientConfig: { service: { name: service.name, namespace } },
            rules: [
              {
                apiGroups: ["kitchen.example.com"],
                apiVersions: ["v1"],
                operations: ["*"],
                resources: ["jars"],
              },
            ],
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            failurePolicy: namespace === "elsewhere" ? "Ignore" : "Fail",
          },
        ],
      });
      for (const [name, namespace] of [
        ["jar-operator", "jar-operator"],
        ["jar-operator-elsewhere", "elsewhere"],
      ] as const)
        await client.apply(ValidatingWebhookConfiguration, former(name, namespace), {
          fieldManager: "xstate-operator-install",
        });
      const flags = ["--image", "example.com/jar:4", "--replicas", "2"];
      const installed = await command("install", "second.ts", ...flags);
      expect(installed.code, installed.err).toBe(0);
      expect(installed.err).toMatch(/^ValidatingWebhookConfiguration jar-operator: deleted$/m);
      // The same operator in another namespace is another installation.
      await client.get(ValidatingWebhookConfiguration, { name: "jar-operator-elsewhere" });

      const { default: operator } = (await import(join(folder, "second.ts"))) as {
        default: OperatorDefinition;
      };
      const running = await startOperator(operator, kubeconfig);
      const finalizers = async () => (await client.get(Jar, key)).metadata.finalizers ?? [];
      await eventually(async () =>
        expect(await finalizers()).toEqual(["jars.kitchen.example.com/finalizer"]),
      );
      // It runs as long as its Deployment is there.
      const ended = eventually(async () => {
        await expect(client.get(Deployment, account)).rejects.toSatisfy(isNotFound);
        await running.stop();
      });
      const released = await command("uninstall", "second.ts", "--release", "--release");
      await ended;
      expect(released.code, released.err).toBe(0);
      expect(await finalizers()).toEqual([]);
      expect(jar.metadata.uid).toBe((await client.get(Jar, key)).metadata.uid);
      // It was made for two replicas, of which the uninstallation knows nothing.
      await expect(client.get(PodDisruptionBudget, account)).rejects.toSatisfy(isNotFound);
    }, 120_000);

    it("with versions is installed again, and uninstalled, while nobody converts its resources", async () => {
      const { client } = server();
      const pots = { namespace: "pot-operator", name: "pot-operator" };
      const first = await command("install", "versioned.ts", "--image", "example.com/pot:1");
      expect(first.code, first.err).toBe(0);
      const pot = { namespace: "default", name: "big" };
      await eventually(() =>
        client.create(Pot, {
          apiVersion: "kitchen.example.com/v1alpha1",
          kind: "Pot",
          metadata: { ...pot, finalizers: ["pots.kitchen.example.com/finalizer"] },
          spec: { ml: 5_000 },
        }),
      );
      // As after an uninstallation that was interrupted.
      await client.delete(Service, { ...pots, name: "pot-operator-webhook" });
      const again = await command("install", "versioned.ts", "--image", "example.com/pot:2");
      expect(again.code, again.err).toBe(0);
      await client.delete(Service, { ...pots, name: "pot-operator-webhook" });
      expect((await command("uninstall", "versioned.ts")).err).toContain("RESOURCES_HELD");
      for (const _ of ["once", "and once more"]) {
        const { code, err } = await command("uninstall", "versioned.ts", "--release", "--release");
        expect(code, err).toBe(0);
      }
      expect((await client.get(Pot, pot)).metadata.finalizers ?? []).toEqual([]);
    }, 120_000);

    it("converts no more when its kind has one version left, whatever its operator has put into the definition", async () => {
      const { client } = server();
      const name = { name: "pots.kitchen.example.com" };
      await client.delete(Pot, { namespace: "default", name: "big" });
      const moved = await command("install", "moved.ts", "--image", "example.com/pot:3");
      expect(moved.code, moved.err).toBe(0);
      // As it is after `migrate`.
      const body = { status: { storedVersions: ["v1"] } };
      await client.patch(CustomResourceDefinition, name, { type: "merge", body }, { subresource: "status" });
      const { authorities } = await renewed(undefined, ["pot-operator"], systemClock);
      const { caBundle } = clientConfigOf({ url: "" }, "", authorities);
      const path = "/spec/conversion/webhook/clientConfig/caBundle";
      await client.patch(
        CustomResourceDefinition,
        name,
        { type: "json", body: [{ op: "add", path, value: caBundle }] },
        { fieldManager: "pot-operator" },
      );
      const { code, err } = await command("install", "simple.ts", "--image", "example.com/pot:3");
      expect(code, err).toBe(0);
      const { conversion, versions } = (await client.get(CustomResourceDefinition, name)).spec;
      expect(conversion).toEqual({ strategy: "None" });
      expect(versions.map((version) => version.name)).toEqual(["v1"]);
    }, 120_000);

    it("goes on where an install was interrupted", async () => {
      const stop = new AbortController();
      const args = [
        "install",
        join(folder, "second.ts"),
        "--kubeconfig",
        server().kubeconfig,
        "--leader-elect",
      ];
      const interrupted = await runCommand(
        [...args, "--image", "example.com/jar:5"],
        {},
        {
          signal: stop.signal,
          onErr: (text) => {
            if (text.includes("ServiceAccount")) stop.abort(new Error("stopped by SIGINT"));
          },
        },
      );
      expect(interrupted.code).toBe(130);
      expect(interrupted.err).toMatch(
        /\ninterrupted; what is done stays, and the same command goes on from there\n$/,
      );
      const { code, err } = await command("install", "second.ts", "--image", "example.com/jar:5");
      expect(code, err).toBe(0);
      expect((await command("uninstall", "second.ts")).code).toBe(0);
    }, 120_000);
  },
  {
    real: { controllers: "none", apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] },
    long: true,
  },
);
