// What `generate` makes of the kinds that a cluster has: a custom one, in each of its versions, and one of Kubernetes' own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { storeStoredAs } from "../kinds/versions/three-versions.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";

describeOnEachApiServer(
  "generate --from-cluster",
  (server) => {
    const folder = mkdtempSync(join(tmpdir(), "xstate-operator-from-cluster-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    beforeAll(async () => {
      await server().client.create(CustomResourceDefinition, crdOf(storeStoredAs("v1alpha1")));
    });
    const generate = (...args: readonly string[]): Promise<CommandOutcome> =>
      runCommand(["generate", ...args, "--kubeconfig", server().kubeconfig]);
    const resource = (...args: readonly string[]): Promise<CommandOutcome> =>
      generate(
        "resource",
        "--kind",
        "Shop",
        "--group",
        "shop.example.com",
        "--version",
        "v1",
        "--path",
        folder,
        "--from-cluster",
        "--force",
        ...args,
      );

    it("prints the types of a custom kind, and where those of Kubernetes' own are", async () => {
      const { code, out, err } = await generate("types", "--from-cluster", "stores");
      expect(code, err).toBe(0);
      expect(out.match(/^export const \w+/gm)).toEqual([
        "export const Store",
        "export const StoreV1beta1",
        "export const StoreV1alpha1",
      ]);
      expect(await generate("types", "--from-cluster", "deployments")).toEqual({
        code: 0,
        err: "",
        out: 'export { Deployment } from "xstate-operator/kinds";\n',
      });
      const none = await generate("types", "--from-cluster", "Nothing");
      expect(none).toMatchObject({ code: 1, err: expect.stringContaining("KIND_NOT_FOUND") });
      expect(none.err).toContain("do: The custom kinds on the cluster: stores.data.example.com.");
    });

    it.each([
      ["a custom kind", "Store", 'version: "v1"', "readonly amount: number"],
      ["another version of it", "StoreV1beta1", 'version: "v1beta1"', "readonly sizeGb: number"],
      [
        "one of Kubernetes' own",
        "Deployment",
        'import { Deployment } from "xstate-operator/kinds"',
        "replicas",
      ],
    ])("writes a resource of %s", async (_, type, ...parts) => {
      const { code, out, err } = await resource("--type", type);
      expect(code, err).toBe(0);
      const [file = ""] = /[\w-]+\.ts/.exec(out) ?? [];
      const text = readFileSync(join(folder, file), "utf8");
      for (const part of parts) expect(text).toContain(part);
    });

    it("takes the kinds of a manifest from the cluster", async () => {
      const manifest = join(folder, "store.yaml");
      const store =
        "apiVersion: data.example.com/v1beta1\nkind: Store\nmetadata: { name: a }\nspec: { sizeGb: 1 }\n";
      writeFileSync(
        manifest,
        `${store}---\n${store.replaceAll("Store", "Secret").replace("data.example.com/v1beta1", "v1")}`,
      );
      const { code, out, err } = await resource(manifest);
      expect(code, err).toBe(0);
      expect(out).toMatch(/a-store\.ts\n.*a-secret\.ts\n/);
      expect(readFileSync(join(folder, "a-store.ts"), "utf8")).toContain("readonly sizeGb: number");
      expect((await resource()).code).toBe(2);
    });

    it("says of what no custom kind is called what it is, or may have been meant to be", async () => {
      const migrate = (kind: string): Promise<CommandOutcome> =>
        runCommand(["migrate", kind, "--kubeconfig", server().kubeconfig]);
      expect((await migrate("deployments")).err).toContain(
        "do: Deployment is one of Kubernetes' own kinds. The custom kinds on the cluster: stores.data.example.com.",
      );
      expect((await migrate("stroes")).err).toContain("do: Did you mean stores? The custom kinds");
      expect((await migrate("nope")).err).toContain(
        "do: The custom kinds on the cluster: stores.data.example.com.",
      );
      expect((await migrate("store.data.example.com")).code).toBe(0);
    });
  },
  { real: { controllers: "none" } },
);
