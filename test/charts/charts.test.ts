// Charts and kustomizations: what is made of them, when their tools are run, and what is said when they cannot be rendered.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { helmChart, kustomization, type HelmChart } from "../../src/charts/index.ts";
import { ConfigMap, Deployment, Secret, Service } from "../../src/kinds/index.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import { callsOf, makeChart, makeFakeHelm } from "../support/fake-helm.ts";

const config = (name: string, data = "a: b"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { ${data} }\n`;

let folder: string;
let program: string;
let chart: string;
let made = 0;
const { signal } = new AbortController();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "charts-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  made += 1;
  program = makeFakeHelm(join(folder, `helm-${made}`));
  chart = join(folder, `chart-${made}`);
});

function chartOf(templates: Readonly<Record<string, string>>, more: object = {}): HelmChart {
  makeChart(chart, templates);
  return helmChart({ chart, types: [ConfigMap, Deployment], program, ...more });
}

/** What it is refused with: code, message, and what to do. */
async function refusal(asked: Promise<unknown>): Promise<object> {
  const error: unknown = await asked.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (!isOperatorError(error)) throw new Error("not refused as expected", { cause: error });
  const { code, message, remedy } = error;
  return { code, message: message.replaceAll(chart, "<chart>").replaceAll(program, "<helm>"), remedy };
}

describe("a chart", () => {
  it("becomes its objects, in the release's namespace unless they say another", async () => {
    const release = chartOf({
      "a.yaml": config("{{ .Release.Name }}", "size: {{ .Values.size }}"),
      "b.yaml": `${config("other").replace("name: other", "name: other, namespace: elsewhere")}---\n---\n# nothing\n`,
      "c.yaml":
        "apiVersion: v1\nkind: List\nitems: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: listed } }]\n",
    });
    const values = { size: "$(id) `id`; 'x' \"y\"" };
    const objects = await release.objects({ name: "one", namespace: "shop", values, signal });
    expect(objects).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: "shop" }, data: values },
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "other", namespace: "elsewhere" },
        data: { a: "b" },
      },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "listed", namespace: "shop" } },
    ]);
    expect(callsOf(program)).toEqual(["template --namespace shop --values - one"]);
  });

  it("is rendered again when the values or its files change, and not otherwise", async () => {
    const release = chartOf({ "a.yaml": config("a", "size: {{ .Values.size }}") });
    const sizes = async (name: string, size: string): Promise<unknown> =>
      (await release.objects({ name, values: { size }, signal })).map(
        (each) => (each as { data?: object }).data,
      );
    for (const size of ["1", "1", "2", "2"]) expect(await sizes("one", size)).toEqual([{ size }]);
    await sizes("two", "2");
    await sizes("one", "2");
    expect(callsOf(program)).toHaveLength(3);
    makeChart(chart, { "a.yaml": config("a", "size: {{ .Values.size }}, more: {{ .Values.size }}") });
    // Nobody looks at files while nothing has to be rendered; then everything else is rendered of them, too.
    expect(await sizes("one", "3")).toEqual([{ size: "3", more: "3" }]);
    expect(await sizes("two", "2")).toEqual([{ size: "2", more: "2" }]);
  });

  it("passes on which Kubernetes templates see", async () => {
    await chartOf(
      { "a.yaml": config("a") },
      { kubeVersion: "1.36", apiVersions: ["monitoring.coreos.com/v1"] },
    ).objects({ name: "one", signal });
    expect(callsOf(program)).toEqual([
      "template --kube-version 1.36 --api-versions monitoring.coreos.com/v1 --values - one",
    ]);
  });

  it("is refused with the line that its tool names", async () => {
    const release = chartOf({ "a.yaml": config("a", "size: {{ .Values.size }}") });
    expect(await refusal(release.objects({ name: "one", signal }))).toEqual({
      code: "CHART_INVALID",
      message:
        '<helm>: template: web/templates/a.yaml:4:14: executing "a.yaml" at <.Values.size>: nil pointer',
      remedy: "Correct what is named, or the values that are given; then start the operator again.",
    });
  });

  it.each([
    ["not YAML", "a: 'b\n", "CHART_INVALID", /renders what is not YAML: /],
    ["no object", "just: data\n", "CHART_INVALID", /renders {"just":"data"}, which is no object/],
    [
      "another type",
      config("a").replace("ConfigMap", "Secret"),
      "CHART_TYPE_UNDECLARED",
      /makes Secret "a" of v1, which is not among its types/,
    ],
    [
      "a hook",
      config("a").replace("name: a", "name: a, annotations: { helm.sh/hook: pre-upgrade }"),
      "CHART_HOOKS",
      /has the hook pre-upgrade \(ConfigMap "a"\), which nobody runs here/,
    ],
    [
      "a password at random",
      config("a", "password: {{ randAlphaNum 8 }}"),
      "CHART_UNSTABLE",
      /renders something else each time: data\.password of ConfigMap "a"/,
    ],
    ["too much", config("a", "password: {{ much }}"), "CHART_INVALID", /prints more than 33554432 bytes/],
  ])("that makes %s is refused", async (_, template, code, message) => {
    expect(await refusal(chartOf({ "a.yaml": template }).objects({ name: "one", signal }))).toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it("may have hooks that are ignored, and tests in any case", async () => {
    const annotated = (hook: string): string =>
      config("a").replace("name: a", `name: a, annotations: { helm.sh/hook: "${hook}" }`);
    const random = annotated("test").replace("name: a", "name: a-{{ randAlphaNum 8 }}");
    const tests = chartOf({ "a.yaml": random, "b.yaml": config("b") });
    expect(await tests.objects({ name: "one", signal })).toHaveLength(1);
    const hooks = chartOf({ "a.yaml": annotated("pre-install,pre-upgrade") }, { hooks: "ignore" });
    expect(await hooks.objects({ name: "one", signal })).toHaveLength(1);
  });

  it("is not waited for longer than its timeout, nor once the run has ended", async () => {
    const endless = chartOf({ "a.yaml": config("{{ forever }}") }, { timeout: "300ms" });
    expect(await refusal(endless.objects({ name: "one", signal }))).toMatchObject({
      code: "CHART_TIMEOUT",
      message: "the chart <chart> was not rendered within 300 ms",
    });
    const run = new AbortController();
    const asked = endless.objects({ name: "one", signal: run.signal });
    run.abort(new Error("the run is over"));
    await expect(asked).rejects.toThrow("the run is over");
  });

  it("says which tool is missing and where to get it, and refuses a folder that is none", async () => {
    makeChart(chart, { "a.yaml": config("a") });
    const release = helmChart({ chart, types: [ConfigMap], program: "helm-that-is-not-there" });
    expect(await refusal(release.objects({ name: "one", signal }))).toEqual({
      code: "CHART_TOOL_MISSING",
      message: "helm-that-is-not-there cannot be started: it is not on the PATH",
      remedy: "Install it, in the operator's image too, or name it by its path as program.",
    });
    for (const [path, message] of [
      ["/nowhere/chart", "there is no chart /nowhere/chart"],
      [folder, `${folder} is no chart`],
    ] as const) {
      expect(() => helmChart({ chart: path, types: [] })).toThrow(
        expect.objectContaining({ code: "CHART_MISSING", message }) as Error,
      );
    }
    expect(() => helmChart({ chart, typs: [] } as never)).toThrow(
      expect.objectContaining({ code: "CHART_OPTIONS_INVALID" }) as Error,
    );
  });
});

const kubectl = join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl");
const hasKubectl = process.env["KUBEBUILDER_ASSETS"] !== undefined;
if (!hasKubectl) console.log("skipped: kustomizations, as KUBEBUILDER_ASSETS names no kubectl");

describe.skipIf(!hasKubectl)("a kustomization", () => {
  beforeEach(() => {
    mkdirSync(chart, { recursive: true });
    writeFileSync(join(chart, "kustomization.yaml"), "resources: [config.yaml, web.yaml]\n");
    writeFileSync(join(chart, "config.yaml"), config("settings"));
    writeFileSync(
      join(chart, "web.yaml"),
      `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web, envFrom: [{ configMapRef: { name: settings } }] }] }
`,
    );
  });

  it("is built with an overlay for each custom resource, of which nothing is left behind", async () => {
    const built = kustomization({ folder: chart, types: [ConfigMap, Deployment], program: kubectl });
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("xstate-operator-overlay-"));
    const objects = await built.objects({
      namespace: "shop",
      overlay: {
        namePrefix: "one-",
        images: [{ name: "web", newTag: "v2" }],
        patches: [
          { target: { kind: "Deployment" }, patch: [{ op: "add", path: "/spec/replicas", value: 3 }] },
        ],
      },
      signal,
    });
    expect(objects).toMatchObject([
      { kind: "ConfigMap", metadata: { name: "one-settings", namespace: "shop" } },
      {
        kind: "Deployment",
        metadata: { name: "one-web", namespace: "shop" },
        spec: {
          replicas: 3,
          template: {
            spec: {
              containers: [{ image: "web:v2", envFrom: [{ configMapRef: { name: "one-settings" } }] }],
            },
          },
        },
      },
    ]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("xstate-operator-overlay-"))).toEqual(
      before,
    );
  });

  it("is refused with what its tool says", async () => {
    writeFileSync(join(chart, "config.yaml"), "kind: [\n");
    const built = kustomization({ folder: chart, types: [Secret, Service], program: kubectl });
    expect(await refusal(built.objects({ signal }))).toMatchObject({
      code: "CHART_INVALID",
      message: expect.stringMatching(/config\.yaml/) as string,
    });
  });
});
