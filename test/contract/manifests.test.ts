// What `generate manifests` prints is taken by an API server, by server-side apply and without a warning.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { Deployment, Pod } from "../../src/kinds/index.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { assets } from "../support/control-plane.ts";

const root = join(import.meta.dirname, "../..");

describeOnEachApiServer(
  "the generated manifests",
  (server) => {
    it.skipIf(assets === undefined).each([
      ["memcached", ["--leader-elect", "--replicas", "2"]],
      ["website", ["--sharding", "--replicas", "2", "-n", "default", "--install-crds"]],
      ["database", ["--metrics-secure"]],
    ])("of the example %s are applied without a warning", async (example, flags) => {
      const module = join(root, "examples", example, "operator.ts");
      const { out, code, err } = await runCommand(["generate", "manifests", module, ...flags]);
      expect(code, err).toBe(0);
      const args = [
        "apply",
        "--server-side",
        "--warnings-as-errors",
        "-f",
        "-",
        "--kubeconfig",
        server().kubeconfig,
      ];
      // Not synchronously: the embedded API server is in this process.
      const child = spawn(join(assets ?? "", "kubectl"), args);
      child.stdin.end(out);
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      const [said, status] = await Promise.all([text(child.stderr), ended, text(child.stdout)]);
      expect({ status, said }).toEqual({ status: 0, said: "" });
    });

    it("run a pod that the strictest namespace admits", async () => {
      const namespace = "memcached-operator";
      const { metadata, spec } = await server().client.get(Deployment, { namespace, name: namespace });
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { namespace, name: "like-the-operator" },
        spec: spec.template.spec,
      };
      expect(metadata.namespace).toBe(namespace);
      await server().client.create(Pod, pod, { dryRun: true });
      const privileged = { ...pod, spec: { ...spec.template.spec, hostNetwork: true } };
      await expect(server().client.create(Pod, privileged, { dryRun: true })).rejects.toThrow(/restricted/);
    });
  },
  {
    embedded: { controllers: false },
    real: { controllers: "none", apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] },
  },
);
