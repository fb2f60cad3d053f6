// What people type: kubectl, against both API servers.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { assets, whyNoControlPlane } from "../support/control-plane.ts";

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const configMap = (name: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  ...more,
});

const why = whyNoControlPlane === undefined ? "" : ` (skipped: ${whyNoControlPlane})`;
describeOnEachApiServer(`kubectl apply${why}`, (server) => {
  const typed = it.skipIf(whyNoControlPlane !== undefined);

  async function apply(manifest: object): Promise<Said> {
    const args = ["--kubeconfig", server().kubeconfig, "apply", "-f", "-"];
    const child = spawn(join(assets ?? "", "kubectl"), args);
    child.stdin.end(stringify(manifest));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, out, err };
  }

  typed("takes a List, item by item", async () => {
    const items = [configMap("one", { data: { a: "1" } }), configMap("two")];
    const said = await apply({ apiVersion: "v1", kind: "List", items });
    expect(said).toEqual({ code: 0, out: "configmap/one created\nconfigmap/two created\n", err: "" });
    expect((await apply({ apiVersion: "v1", kind: "List", items })).out).toMatch(/^(.* unchanged\n){2}$/);
  });

  typed("hears of a field that there is not, in a List too", async () => {
    const items = [configMap("three", { dat: {} })];
    for (const manifest of [...items, { apiVersion: "v1", kind: "List", items }]) {
      const { code, err } = await apply(manifest);
      expect(code).toBe(1);
      expect(err).toMatch(/unknown field "(?:ConfigMap\.)?dat"/);
    }
  });

  typed("hears of a kind that there is not", async () => {
    const { code, err } = await apply({
      ...configMap("four"),
      apiVersion: "nobody.example.com/v1",
      kind: "Thing",
    });
    expect(code).toBe(1);
    expect(err).toContain('no matches for kind "Thing" in version "nobody.example.com/v1"');
  });
});
