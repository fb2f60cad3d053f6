// Helm and kustomize themselves, built from their Go modules: the chart that `helm create` makes, as the children of a kind.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helmChart, kustomization } from "../../src/charts/index.ts";
import { Deployment, Ingress, Service, ServiceAccount } from "../../src/kinds/index.ts";
import { HorizontalPodAutoscaler } from "../../src/kinds/builtin/autoscaling.ts";
import { readOperator } from "../../src/operator-file/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator } from "../support/running-operator.ts";
import { buildGo, hasGo } from "./go-program.ts";

if (!hasGo()) console.log("skipped: there is no Go toolchain (go version fails)");
const none = { failure: "there is no Go toolchain" };
const helm = hasGo() ? buildGo("charts", "helm.sh/helm/v4/cmd/helm") : none;
const kustomize = hasGo() ? buildGo("charts", "sigs.k8s.io/kustomize/kustomize/v5") : none;
for (const built of [helm, kustomize]) {
  if ("failure" in built) console.log(`skipped: a tool cannot be built here: ${built.failure}`);
}

const folder = mkdtempSync(join(tmpdir(), "foreign-charts-"));
const chart = join(folder, "web");
const { signal } = new AbortController();
const types = [Deployment, Service, ServiceAccount, Ingress, HorizontalPodAutoscaler];
beforeAll(() => {
  if ("file" in helm) spawnSync(helm.file, ["create", "web"], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf("failure" in helm)("helm", () => {
  const program = "file" in helm ? helm.file : "";

  it("renders the chart that it makes, without its test", async () => {
    const made = helmChart({ chart, types, program });
    const release = {
      name: "one",
      namespace: "shop",
      values: { replicaCount: 2, ingress: { enabled: true } },
      signal,
    };
    const objects = await made.objects(release);
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name} in ${metadata.namespace}`)).toEqual([
      "ServiceAccount/one-web in shop",
      "Service/one-web in shop",
      "Deployment/one-web in shop",
      "Ingress/one-web in shop",
    ]);
  });

  it("says where a template is wrong, and which value does not fit", async () => {
    const made = helmChart({ chart, types, program });
    await expect(made.objects({ name: "one", values: { image: "nginx" }, signal })).rejects.toMatchObject({
      code: "CHART_INVALID",
      message: expect.stringMatching(/web\/templates\/deployment\.yaml:\d+/) as string,
    });
    await expect(made.objects({ name: "Not_A_Name", signal })).rejects.toMatchObject({
      code: "CHART_INVALID",
      message: expect.stringContaining("release name") as string,
    });
  });

  describeOnEachApiServer("a chart as an operator", (server) => {
    it("lives as the children of a kind", async () => {
      writeFileSync(
        join(folder, "operator.yaml"),
        `operator: web-operator
kinds:
  - group: web.example.com
    version: v1
    kind: Web
    spec: { properties: { replicas: { type: integer, default: 1 }, host: { type: string } } }
    children:
      - chart:
          path: web
          program: ${program}
          values:
            replicaCount: "\${ spec.replicas }"
            ingress: { enabled: "\${ has(spec.host) }", hosts: [{ host: "\${ spec.?host.orValue('') }", paths: [{ path: /, pathType: Prefix }] }] }
          types:
            - { apiVersion: apps/v1, kind: Deployment }
            - { apiVersion: v1, kind: Service }
            - { apiVersion: v1, kind: ServiceAccount }
            - { apiVersion: networking.k8s.io/v1, kind: Ingress }
`,
      );
      const operator = readOperator(join(folder, "operator.yaml"));
      const Web = operator.controllers[0]!.kind as unknown as typeof Deployment;
      const { client, kubeconfig } = server();
      const running = await startOperator(operator, kubeconfig, { installCrds: true });
      const key = { namespace: "default", name: "one" };
      const child = { namespace: "default", name: "one-web" };
      try {
        const web = {
          apiVersion: "web.example.com/v1",
          kind: "Web",
          metadata: key,
          spec: { host: "one.example.com" },
        };
        await client.create(Web, web);
        await eventually(async () => {
          expect((await client.get(Deployment, child)).spec.replicas).toBe(1);
          expect((await client.get(Ingress, child)).spec?.rules?.[0]?.host).toBe("one.example.com");
        });
        await client.patch(Web, key, { type: "merge", body: { spec: { replicas: 3, host: null } } });
        await eventually(async () => {
          expect((await client.get(Deployment, child)).spec.replicas).toBe(3);
          expect((await client.list(Ingress, { namespace: "default" })).items).toEqual([]);
        });
      } finally {
        await running.stop();
      }
    });
  });
});

describe.skipIf("failure" in kustomize)("kustomize", () => {
  it("builds with an overlay", async () => {
    mkdirSync(join(folder, "config"));
    writeFileSync(join(folder, "config/kustomization.yaml"), "resources: [service.yaml]\n");
    writeFileSync(
      join(folder, "config/service.yaml"),
      "apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [{ port: 80 }] }\n",
    );
    const program = "file" in kustomize ? kustomize.file : "";
    const built = kustomization({ folder: join(folder, "config"), types: [Service], program });
    const [service] = await built.objects({ namespace: "shop", overlay: { nameSuffix: "-one" }, signal });
    expect(service?.metadata).toMatchObject({ name: "web-one", namespace: "shop" });
  });
});
