// What people type: kubectl, against both API servers.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/kinds/builtin/apiextensions.ts";
import { crdOf, type CrdManifest } from "../../src/kinds/crd.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";
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

const machine = setupLifecycle().createMachine({
  id: "door",
  version: "1",
  initial: "Draft",
  states: {
    Draft: { tags: ["stable"], on: { "desired.Open": "Open", "desired.Closed": "Closed" } },
    Open: { on: { "desired.Closed": "Closed" } },
    Closed: { tags: ["stable"] },
  },
});
const kind = (name: string) =>
  defineKind({
    group: "house.example.com",
    version: "v1",
    kind: name,
    spec: z.object({}),
    lifecycle: machine,
  });
const [Door, Gate] = [kind("Door"), kind("Gate")];
const gateOperator = defineOperator({
  name: "gates",
  controllers: [defineController(Gate, { application: { observe: () => ({}) } })],
});

const door = (name: string, desiredState: string): object => ({
  apiVersion: "house.example.com/v1",
  kind: name,
  metadata: { name: "front", namespace: "default" },
  spec: { lifecycle: { desiredState } },
});

/** As it was before a version that has more to refuse. */
function withoutRules(crd: CrdManifest): CrdManifest {
  return JSON.parse(
    JSON.stringify(crd, (name, value: unknown) =>
      name === "x-kubernetes-validations" || name === "enum" ? undefined : value,
    ),
  ) as CrdManifest;
}

const why = whyNoControlPlane === undefined ? "" : ` (skipped: ${whyNoControlPlane})`;
describeOnEachApiServer(`kubectl apply${why}`, (server) => {
  const typed = it.skipIf(whyNoControlPlane !== undefined);

  const apply = (manifest: object): Promise<Said> => kubectl(["apply", "-f", "-"], stringify(manifest));

  async function kubectl(args: readonly string[], input = ""): Promise<Said> {
    const child = spawn(join(assets ?? "", "kubectl"), ["--kubeconfig", server().kubeconfig, ...args]);
    child.stdin.end(input);
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

  typed(
    "hears which states can be desired: of a state that there is not, and of one that no path leads to",
    async () => {
      const { client } = server();
      await client.create(CustomResourceDefinition, crdOf(Door));
      await eventually(() => client.list(Door));
      const { code, err } = await apply(door("Door", "Nowhere"));
      expect(code).toBe(1);
      expect(err).toContain(
        'spec.lifecycle.desiredState: Unsupported value: "Nowhere": supported values: "Draft", "Open", "Closed"\n',
      );
      expect((await apply(door("Door", "Closed"))).code).toBe(0);
      const key = { namespace: "default", name: "front" };
      const body = { status: { lifecycle: { state: "Closed" } } };
      await client.patch(Door, key, { type: "merge", body }, { subresource: "status" });
      expect(await apply(door("Door", "Open"))).toMatchObject({
        code: 1,
        err: 'The Door "front" is invalid: spec.lifecycle.desiredState: Forbidden: no path of the lifecycle leads there: from Closed only Closed can be desired\n',
      });
    },
  );

  typed("reads the same on the resource where the definition is older than that", async () => {
    const { client, kubeconfig } = server();
    await client.create(CustomResourceDefinition, withoutRules(crdOf(Gate)));
    await eventually(() => client.list(Gate));
    const running = await startOperator(gateOperator, kubeconfig);
    onTestFinished(() => running.stop());
    const wide = async (): Promise<string> => (await kubectl(["get", "gate", "front", "-o", "wide"])).out;
    expect((await apply(door("Gate", "Closed"))).code).toBe(0);
    await eventually(async () => expect(await wide()).toMatch(/^front +Closed +Closed +True /m));
    expect((await apply(door("Gate", "Nowhere"))).code).toBe(0);
    await eventually(async () => {
      expect(await wide()).toMatch(
        /^front +Closed +Closed +False .*"Nowhere" is not a state that may be desired; accepted: Draft, Open, Closed$/m,
      );
    });
  });
});
