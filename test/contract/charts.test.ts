// A chart, a kustomization and children that come and go, of an operator without code that has its generated role and no other right.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { crdOf } from "../../src/kinds/crd.ts";
import { ConfigMap, CustomResourceDefinition } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { readOperator } from "../../src/operator-file/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { callsOf, makeChart, makeFakeHelm } from "../support/fake-helm.ts";
import { accessIn, admit } from "../support/generated-access.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const key = { namespace: "default", name: "one" };
const assets = process.env["KUBEBUILDER_ASSETS"];
let folder: string;
let program: string;
let calls: Server;
const called: string[] = [];
const keys = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "contract-charts-"));
  program = makeFakeHelm(join(folder, "bin"));
  calls = createServer((request, response) => {
    called.push(`${request.method ?? ""} ${request.url ?? ""}`);
    keys.add(String(request.headers["idempotency-key"]));
    response.end("{}");
  });
  await new Promise<void>((resolve) => calls.listen(0, "127.0.0.1", resolve));
  const config = (name: string, data: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { ${data} }\n`;
  makeChart(join(folder, "chart"), {
    "main.yaml": config("{{ .Release.Name }}-chart", "size: {{ .Values.size }}"),
    "extra.yaml": `{{ if .Values.extra }}\n${config("{{ .Release.Name }}-extra", "a: b")}`,
  });
  mkdirSync(join(folder, "config"));
  writeFileSync(join(folder, "config/kustomization.yaml"), "resources: [config.yaml]\n");
  writeFileSync(join(folder, "config/config.yaml"), config("base", "a: b"));
  // Without kubectl there is one child less.
  const built =
    assets === undefined
      ? ""
      : `      - kustomization:
          path: config
          program: ${join(assets, "kubectl")}
          overlay: { namePrefix: "\${ metadata.name }-" }
          types: [{ apiVersion: v1, kind: ConfigMap }]
`;
  const { port } = calls.address() as AddressInfo;
  writeFileSync(
    join(folder, "operator.yaml"),
    `operator: site-operator
kinds:
  - group: charts.example.com
    version: v1
    kind: Site
    spec:
      properties:
        size: { type: string }
        extra: { type: boolean, default: true }
        pages: { type: array, items: { type: string }, default: [] }
    lifecycle:
      initial: New
      states:
        New: { on: { observed.There: Up } }
        Up: { tags: stable, on: { desired.Down: { target: Down, actions: announce } } }
        Down: { tags: stable, on: { desired.Up: { target: Up, actions: announce } } }
    effects:
      announce: { http: { url: "http://127.0.0.1:${port}/\${ state }" } }
    observe: { states: [{ state: There }] }
    children:
      - in: [New, Up]
        chart:
          path: chart
          program: ${program}
          values: { size: "\${ spec.?size }", extra: "\${ spec.extra }" }
          types: [{ apiVersion: v1, kind: ConfigMap }]
${built}      - each: { page: "\${ spec.pages }" }
        manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: "\${ metadata.name }-page-\${ page }" } }
      - when: "\${ spec.extra }"
        manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: "\${ metadata.name }-when" } }
      - manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: "\${ metadata.name }-\${ spec.pages.size() }" } }
`,
  );
});
afterAll(async () => {
  await new Promise((resolve) => calls.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

describeOnEachApiServer("children that are rendered", (server) => {
  let running: RunningOperator;
  let Site: typeof ConfigMap;
  beforeAll(async () => {
    const operator = readOperator(join(folder, "operator.yaml"));
    const [controller] = operator.controllers;
    Site = controller!.kind as never;
    const { client, plane } = server();
    await client.apply(CustomResourceDefinition, crdOf(controller!.kind), { fieldManager: "admin" });
    await eventually(() => client.list(Site));
    const { kubeconfig } =
      plane === undefined ? server() : await admit({ client, plane }, operator, accessIn("default"));
    running = await startOperator(operator, kubeconfig, { namespaces: ["default"] });
  });
  afterAll(() => running.stop());

  const edit = (spec: object): Promise<unknown> =>
    server().client.patch(Site, key, { type: "merge", body: { spec } });
  const children = async (): Promise<readonly string[]> =>
    (await server().client.list(ConfigMap, { namespace: "default" })).items
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === "Site")
      .map(({ metadata, data }) => `${metadata.name} ${JSON.stringify(data ?? {})}`)
      .toSorted();
  const base = assets === undefined ? [] : ['one-base {"a":"b"}'];

  it("are made, of the values in the spec", async () => {
    const { client } = server();
    await client.create(Site, {
      apiVersion: "charts.example.com/v1",
      kind: "Site",
      metadata: key,
      spec: { size: "3", pages: ["a", "b"] },
    });
    await eventually(async () =>
      expect(await children()).toEqual([
        "one-2 {}",
        ...base,
        'one-chart {"size":"3"}',
        'one-extra {"a":"b"}',
        "one-page-a {}",
        "one-page-b {}",
        "one-when {}",
      ]),
    );
  });

  it("are deleted once values, conditions and lists leave them out", async () => {
    await edit({ size: "4", extra: false, pages: ["b"] });
    await eventually(async () =>
      expect(await children()).toEqual(["one-1 {}", ...base, 'one-chart {"size":"4"}', "one-page-b {}"]),
    );
  });

  it("go and come with the states that they belong to, and a move calls a service once", async () => {
    called.length = 0;
    keys.clear();
    await edit({ lifecycle: { desiredState: "Down" } });
    await eventually(async () => expect(await children()).toEqual(["one-1 {}", ...base, "one-page-b {}"]));
    await edit({ lifecycle: { desiredState: "Up" } });
    await eventually(async () => expect(await children()).toContain('one-chart {"size":"4"}'));
    await eventually(() => expect(called).toHaveLength(2));
    expect({ called, keys: keys.size }).toEqual({ called: ["POST /Down", "POST /Up"], keys: 2 });
  });

  it("are left as they are while the chart cannot be rendered, and the condition names its line", async () => {
    await edit({ size: null });
    await eventually(async () => {
      const { status } = (await server().client.get(Site, key)) as KubeObject & {
        readonly status?: { readonly conditions?: [] };
      };
      expect(findCondition(status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "False",
        message: expect.stringContaining("web/templates/main.yaml:4:14") as string,
      });
    });
    expect(await children()).toContain('one-chart {"size":"4"}');
    const before = callsOf(program).length;
    await edit({ size: "4" });
    await eventually(async () => {
      const { metadata, status } = (await server().client.get(Site, key)) as KubeObject & {
        readonly status?: { readonly observedGeneration?: number };
      };
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
    expect(callsOf(program).length - before).toBeLessThanOrEqual(1);
  });
});
