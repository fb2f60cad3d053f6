// A kind that a new build of an operator does not have: `install`, `uninstall` and `explain` say so, on both API servers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningControllers } from "../../src/cluster/controllers/start-controllers.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { Deployment } from "../../src/kinds/builtin/apps.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { runPods } from "../support/running-pods.ts";

const modules = join(import.meta.dirname, "../../node_modules");
const group = "pantry.example.com";
const Lid: ResourceType<KubeObject & { readonly spec: object }> = {
  group,
  version: "v1",
  kind: "Lid",
  plural: "lids",
  namespaced: true,
};
const lids = { name: `lids.${group}` };
const finalizer = `lids.${group}/finalizer`;
const account = { namespace: "jar-operator", name: "jar-operator" };
const label = "xstate-operator.dev/operator";

const operatorOf = (
  name: string,
  ...kinds: readonly string[]
): string => `import { defineController, defineKind, defineOperator } from "xstate-operator";
import { z } from "zod";
const kind = (kind) => defineKind({ group: "${group}", version: "v1", kind, finalize: true, spec: z.object({ size: z.int() }) });
export default defineOperator({ name: "${name}", controllers: ${JSON.stringify(kinds)}.map((name) => defineController(kind(name), {})) });
`;

describeOnEachApiServer(
  "a kind that an operator no longer has",
  (server) => {
    let folder: string;
    let controllers: RunningControllers | undefined;
    beforeAll(async () => {
      folder = mkdtempSync(join(modules, ".xstate-operator-removed-"));
      writeFileSync(join(folder, "both.ts"), operatorOf("jar-operator", "Jar", "Lid"));
      writeFileSync(join(folder, "jars.ts"), operatorOf("jar-operator", "Jar"));
      writeFileSync(join(folder, "lids.ts"), operatorOf("lid-operator", "Lid"));
      const { kind, client } = server();
      if (kind === "embedded") return;
      controllers = await runPods(client);
    });
    afterAll(async () => {
      await controllers?.stop();
      rmSync(folder, { recursive: true });
    });
    const command = (name: string, module: string, ...more: readonly string[]): Promise<CommandOutcome> =>
      runCommand([name, join(folder, module), "--kubeconfig", server().kubeconfig, ...more]);
    const explain = async (name: string): Promise<string> =>
      (await runCommand(["explain", `lid/${name}`, "--kubeconfig", server().kubeconfig])).out;
    /** As the operator's run does it. */
    const create = async (name: string, fieldManager: string): Promise<void> => {
      const key = { namespace: "default", name };
      await eventually(() =>
        server().client.create(Lid, {
          apiVersion: `${group}/v1`,
          kind: "Lid",
          metadata: key,
          spec: { size: 1 },
        }),
      );
      const body = { metadata: { finalizers: [finalizer] } };
      await server().client.patch(Lid, key, { type: "merge", body }, { fieldManager });
    };
    const finalizersOf = async (name: string): Promise<readonly string[]> =>
      (await server().client.get(Lid, { namespace: "default", name })).metadata.finalizers ?? [];
    const imageOf = async (): Promise<string | undefined> =>
      (await server().client.get(Deployment, account)).spec.template.spec?.containers[0]?.image;

    it("is marked as the operator's while it has it", async () => {
      const { code, err } = await command("install", "both.ts", "--image", "example.com/jar:1");
      expect(code, err).toBe(0);
      const { metadata } = await server().client.get(CustomResourceDefinition, lids);
      expect(metadata.labels).toEqual({ [label]: "jar-operator" });
      await create("red", "jar-operator");
      expect(await explain("red")).not.toContain("no operator has the kind");
    }, 60_000);

    it("is not taken from under resources that could never be deleted then", async () => {
      const { code, err } = await command("install", "jars.ts", "--image", "example.com/jar:2");
      expect(code).toBe(1);
      expect(err).toContain("UPGRADE_REFUSED");
      expect(err).toContain(`lids.${group}: the kind is removed, and what has the operator's finalizer`);
      expect(err).toContain("default/red has it");
      expect(err).toContain("--release --release");
      expect(await imageOf()).toBe("example.com/jar:1");
      const uninstalled = await command("uninstall", "jars.ts");
      expect(uninstalled.code).toBe(1);
      expect(uninstalled.err).toContain("RESOURCES_HELD");
      expect(uninstalled.err).toContain("1 lids have the operator's finalizer");
      expect((await command("uninstall", "jars.ts", "--drain")).err).toContain("RESOURCES_HELD");
      expect((await command("install", "jars.ts", "--release")).code).toBe(2);
      expect(await finalizersOf("red")).toEqual([finalizer]);
    }, 60_000);

    it("is found by the finalizers that its operator has set where an earlier install has marked nothing", async () => {
      const { client } = server();
      const unmarked = { metadata: { labels: { [label]: null } } };
      await client.patch(CustomResourceDefinition, lids, { type: "merge", body: unmarked });
      const refused = await command("install", "jars.ts", "--image", "example.com/jar:2");
      expect(refused.err).toContain("default/red has it");
      // Those of another operator are none of its business.
      await client.delete(Lid, { namespace: "default", name: "red" });
      const body = { metadata: { finalizers: null } };
      await client.patch(Lid, { namespace: "default", name: "red" }, { type: "merge", body });
      await create("green", "lid-operator");
      const { code, err } = await command("install", "jars.ts", "--image", "example.com/jar:2");
      expect(code, err).toBe(0);
      expect(err).not.toContain("lids");
      expect(await finalizersOf("green")).toEqual([finalizer]);
    }, 60_000);

    it("is explained as one that nobody has", async () => {
      await create("blue", "jar-operator");
      await server().client.delete(Lid, { namespace: "default", name: "blue" });
      const said = await explain("blue");
      expect(said).toContain(
        "no operator has the kind Lid any more: jar-operator (Deployment jar-operator/jar-operator)",
      );
      expect(said).toContain(`nobody is there to remove the former operator's finalizer ${finalizer}`);
      // Its definition does not say whose it is, and its finalizer is another one's.
      expect(await explain("green")).not.toContain("no operator has the kind");
    }, 60_000);

    it("lets its resources go when that is said twice, once the new build runs", async () => {
      const { code, err } = await command(
        "install",
        "jars.ts",
        "--image",
        "example.com/jar:3",
        "--release",
        "--release",
      );
      expect(code, err).toBe(0);
      expect(err).toContain("Lid: 1 released\n");
      expect(err.indexOf("Deployment jar-operator: changed")).toBeLessThan(err.indexOf("Lid: 1 released"));
      await expect(finalizersOf("blue")).rejects.toMatchObject({ status: 404 });
      expect(await finalizersOf("green")).toEqual([finalizer]);
    }, 60_000);

    it("is nobody's concern any more once another operator has it", async () => {
      await create("white", "jar-operator");
      const taken = await command("install", "lids.ts", "--image", "example.com/lid:1");
      expect(taken.code, taken.err).toBe(0);
      const { code, err } = await command("install", "jars.ts", "--image", "example.com/jar:3");
      expect(code, err).toBe(0);
      expect(await explain("white")).not.toContain("no operator has the kind");
      expect((await command("uninstall", "jars.ts")).code).toBe(0);
      expect((await command("uninstall", "lids.ts")).err).toContain("RESOURCES_HELD");
      const released = await command("uninstall", "lids.ts", "--release", "--release");
      expect(released.code, released.err).toBe(0);
      expect(await finalizersOf("white")).toEqual([]);
    }, 120_000);

    it("says of a definition that is left how many resources nobody reconciles", async () => {
      expect((await command("install", "both.ts", "--image", "example.com/jar:1")).code).toBe(0);
      const { code, err } = await command("install", "jars.ts", "--image", "example.com/jar:1");
      expect(code, err).toBe(0);
      expect(err).toContain(
        `CustomResourceDefinition lids.${group}: kept, though jar-operator no longer has the kind; nobody reconciles its resources (2)\n`,
      );
    }, 60_000);
  },
  {
    real: { controllers: "none", apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] },
    long: true,
  },
);
