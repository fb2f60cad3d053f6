// What is generated for an operator with webhooks, and not for one without.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { runCommand } from "../cli/run-in-process.ts";

const operator = join(import.meta.dirname, "../webhook/volume-operator.ts");
const without = join(import.meta.dirname, "../../examples/website/operator.ts");

interface Generated {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly object[];
  readonly webhooks?: readonly object[];
}

async function generate(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand(["generate", ...args]);
  expect(code, err).toBe(0);
  return out;
}

const manifests = async (...args: readonly string[]): Promise<readonly Generated[]> =>
  parseAllDocuments(await generate("manifests", ...args)).map((document) => document.toJS() as Generated);

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "xstate-operator-webhooks-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const webhook = (action: string, operations: readonly string[], more: object = {}): object => ({
  name: `${action}.volumes.storage.example.com`,
  admissionReviewVersions: ["v1"],
  clientConfig: {
    service: {
      name: "volumes-webhook",
      namespace: "volumes",
      path: `/${action}/volumes.storage.example.com`,
      port: 443,
    },
  },
  rules: [
    {
      apiGroups: ["storage.example.com"],
      apiVersions: ["v1"],
      operations,
      resources: ["volumes"],
      scope: "Namespaced",
    },
  ],
  matchPolicy: "Equivalent",
  matchConditions: [
    {
      name: "not-by-the-operator",
      expression: 'request.userInfo.username != "system:serviceaccount:volumes:volumes"',
    },
  ],
  failurePolicy: "Fail",
  sideEffects: "None",
  timeoutSeconds: 10,
  ...more,
});

describe("the manifests of an operator with webhooks", () => {
  it("configure them last, for its own kind alone and without its own writes, reached by a Service", async () => {
    const documents = await manifests(operator, "--leader-elect");
    expect(documents.slice(-2)).toMatchObject([
      {
        kind: "MutatingWebhookConfiguration",
        metadata: { name: "volumes", labels: { "app.kubernetes.io/name": "volumes" } },
        webhooks: [webhook("mutate", ["CREATE", "UPDATE"])],
      },
      {
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "volumes" },
        webhooks: [webhook("validate", ["CREATE", "UPDATE", "DELETE"])],
      },
    ]);
    const service = documents.find(({ metadata }) => metadata.name === "volumes-webhook");
    expect(service?.spec).toMatchObject({ ports: [{ port: 443, targetPort: "webhook" }] });
    expect(await manifests(operator, "--leader-elect")).toEqual(documents);
  });

  it("limit them to the namespaces that it serves", async () => {
    const documents = await manifests(operator, "-n", "shop", "bank");
    const selector = {
      namespaceSelector: {
        matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["bank", "shop"] }],
      },
    };
    expect(documents.at(-1)?.webhooks).toEqual([
      webhook("validate", ["CREATE", "UPDATE", "DELETE"], selector),
    ]);
  });

  it("run it with the port, and with time for its last callers", async () => {
    const documents = await manifests(operator, "--drain-timeout", "2s");
    const deployment = documents.find(({ kind }) => kind === "Deployment");
    const { template } = (deployment?.spec ?? {}) as { readonly template: { readonly spec: object } };
    expect(template.spec).toMatchObject({
      // Five seconds until nobody calls it any more, ten for the last answers, and five as always.
      terminationGracePeriodSeconds: 20,
      containers: [
        { ports: [{ name: "metrics" }, { name: "health" }, { name: "webhook", containerPort: 9443 }] },
      ],
    });
    expect(JSON.stringify(template)).toContain("--webhook-bind-address=:9443");
  });

  it("allow it its certificate and whom the API server trusts, by name", async () => {
    const documents = await manifests(operator);
    const rules = documents.flatMap(({ rules: each = [] }) => each);
    expect(rules).toEqual(
      expect.arrayContaining([
        { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
        {
          apiGroups: [""],
          resources: ["secrets"],
          resourceNames: ["volumes-webhook-certificate"],
          verbs: ["get", "update"],
        },
        {
          apiGroups: ["admissionregistration.k8s.io"],
          resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
          resourceNames: ["volumes"],
          verbs: ["get", "patch"],
        },
      ]),
    );
  });

  it("have nothing of it for an operator without", async () => {
    expect(await generate("manifests", without)).not.toMatch(/webhook/i);
  });
});

describe("a chart and a bundle with webhooks", () => {
  it("a chart follows its release's namespace, wherever the webhooks name it", async () => {
    const out = folder();
    await generate("manifests", operator, "--format", "helm", "--out", out);
    const text = readFileSync(join(out, "templates/webhook-configurations.yaml"), "utf8");
    expect(text).toContain('"system:serviceaccount:{{ .Release.Namespace }}:volumes"');
    expect(text).toContain("namespace: {{ .Release.Namespace }}");
    expect(readdirSync(join(out, "templates"))).toContain("webhook-service.yaml");
    await generate("manifests", without, "--format", "helm", "--out", out);
    expect(readdirSync(join(out, "templates")).filter((name) => name.startsWith("webhook"))).toEqual([]);
  });

  it("kustomize has them in its base", async () => {
    const out = folder();
    await generate("manifests", operator, "--format", "kustomize", "--out", out);
    const { resources } = parse(readFileSync(join(out, "base/kustomization.yaml"), "utf8")) as {
      readonly resources: readonly string[];
    };
    expect(resources).toEqual(
      expect.arrayContaining(["webhook-service.yaml", "webhook-configurations.yaml"]),
    );
  });

  it("a bundle leaves Service, certificate and configurations to the Operator Lifecycle Manager", async () => {
    const out = folder();
    await generate("bundle", operator, "--out", out);
    const text = readFileSync(join(out, "manifests/volumes.clusterserviceversion.yaml"), "utf8");
    const { spec } = parse(text) as {
      readonly spec: { readonly webhookdefinitions: readonly object[]; readonly install: object };
    };
    expect(spec.webhookdefinitions).toMatchObject([
      {
        type: "MutatingAdmissionWebhook",
        generateName: "mutate.volumes.storage.example.com",
        deploymentName: "volumes",
        containerPort: 443,
        targetPort: 9443,
        webhookPath: "/mutate/volumes.storage.example.com",
        sideEffects: "None",
        failurePolicy: "Fail",
      },
      { type: "ValidatingAdmissionWebhook", webhookPath: "/validate/volumes.storage.example.com" },
    ]);
    const install = JSON.stringify(spec.install);
    expect(install).toContain("--webhook-cert-dir=/tmp/k8s-webhook-server/serving-certs");
    expect(install).not.toMatch(/"secrets"|webhookconfigurations/);
  });
});
