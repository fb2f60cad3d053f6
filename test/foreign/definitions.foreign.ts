// The CustomResourceDefinitions of public projects, out of their Go modules: what the real API server accepts the embedded one accepts,
// and stores in the same form; what it refuses is refused with the same causes. DEFINITIONS_OF=keda,tekton chooses projects.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { ApiError } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { startCluster } from "../../src/cluster/index.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { leaseControlPlane } from "../support/leased-control-plane.ts";
import { differencesBetween, showDifference, type LeftBehind } from "../support/left-behind.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { hasGo } from "./go-program.ts";

/** Modules with definitions in them. */
const projects: readonly (readonly [name: string, module: string])[] = [
  ["argo-cd", "github.com/argoproj/argo-cd/v3@v3.5.7"],
  ["argo-rollouts", "github.com/argoproj/argo-rollouts@v1.9.1"],
  ["argo-workflows", "github.com/argoproj/argo-workflows/v3@v3.6.5"],
  ["cert-manager", "github.com/cert-manager/cert-manager@v1.21.2"],
  ["cloudnative-pg", "github.com/cloudnative-pg/cloudnative-pg@v1.25.1"],
  ["cluster-api", "sigs.k8s.io/cluster-api@v1.9.6"],
  ["contour", "github.com/projectcontour/contour@v1.30.3"],
  ["external-secrets", "github.com/external-secrets/external-secrets@v0.16.2"],
  ["flux source-controller", "github.com/fluxcd/source-controller@v1.9.6"],
  ["flux kustomize-controller", "github.com/fluxcd/kustomize-controller@v1.9.6"],
  ["gatekeeper", "github.com/open-policy-agent/gatekeeper/v3@v3.23.1"],
  ["gateway-api", "sigs.k8s.io/gateway-api@v1.3.0"],
  ["istio", "istio.io/api@v1.31.4"],
  ["jobset", "sigs.k8s.io/jobset@v0.11.0"],
  ["karpenter", "sigs.k8s.io/karpenter@v1.3.3"],
  ["keda", "github.com/kedacore/keda/v2@v2.16.1"],
  ["knative serving", "knative.dev/serving@v0.44.0"],
  ["kuberay", "github.com/ray-project/kuberay/ray-operator@v1.4.0"],
  ["kueue", "sigs.k8s.io/kueue@v0.17.0"],
  ["kyverno", "github.com/kyverno/kyverno@v1.13.4"],
  ["lws", "sigs.k8s.io/lws@v0.7.0"],
  ["opentelemetry-operator", "github.com/open-telemetry/opentelemetry-operator@v0.122.0"],
  ["prometheus-operator", "github.com/prometheus-operator/prometheus-operator@v0.85.0"],
  ["rabbitmq cluster-operator", "github.com/rabbitmq/cluster-operator/v2@v2.16.0"],
  ["tekton pipelines", "github.com/tektoncd/pipeline@v0.70.0"],
  ["velero", "github.com/vmware-tanzu/velero@v1.15.2"],
  ["volume snapshots", "github.com/kubernetes-csi/external-snapshotter/client/v8@v8.2.0"],
];
const chosen = process.env["DEFINITIONS_OF"]?.split(",");

interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [key: string]: unknown;
}

/** The definitions in a module, each once; or why it cannot be had. */
function definitionsIn(module: string): readonly Definition[] | string {
  const { status, stdout } = spawnSync("go", ["mod", "download", "-json", module], {
    cwd: tmpdir(),
    encoding: "utf8",
  });
  if (status !== 0) return `go mod download ${module}: ${stdout.trim().split("\n").slice(0, 3).join(" ")}`;
  const folder = (JSON.parse(stdout) as { Dir: string }).Dir;
  // What projects install at once repeats the same documents in large files.
  const documents = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    if (!/\.ya?ml$/.test(file) || /(?:^|\/)(?:testdata|vendor)\//.test(file)) continue;
    for (const text of readFileSync(join(folder, file), "utf8").split(/^---(?:[ \t].*)?$/m)) {
      if (text.includes("kind: CustomResourceDefinition")) documents.add(text.trim());
    }
  }
  const found = new Map<string, Definition>();
  for (const text of documents) {
    const document = parseDocument(text);
    // A template of a chart is none.
    if (document.errors.length > 0) continue;
    const object = document.toJS({ maxAliasCount: -1 }) as Definition | null;
    if (object?.kind !== "CustomResourceDefinition" || object.apiVersion !== "apiextensions.k8s.io/v1") {
      continue;
    }
    const key = `${object.metadata.name} ${JSON.stringify(object)}`;
    if (!found.has(key)) found.set(key, object);
  }
  return [...found.values()];
}

/** What one server made of a definition: `stored`, or `refused`. */
type Outcome = LeftBehind extends ReadonlyMap<string, infer Fields> ? Fields : never;

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Groups whose definitions say where they were approved. */
const ofCommunity = /\.(?:k8s|kubernetes)\.io$/;

async function install(client: KubeClient, definition: Definition): Promise<Outcome> {
  try {
    await client.request({ method: "POST", path, body: definition, timeout: 60_000 });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const causes = (error.details.causes ?? []).map(
      ({ reason, field, message }) => `${String(reason)} ${String(field)}: ${String(message)}`,
    );
    return { refused: { status: error.status, reason: error.reason, causes: causes.toSorted() } };
  }
  const own = `${path}/${definition.metadata.name}`;
  const stored = await eventually(async () => {
    const now = (await client.request({ method: "GET", path: own })) as Definition;
    const { conditions = [] } = now["status"] as { conditions?: readonly { type: string; status: string }[] };
    expect(conditions.find(({ type }) => type === "Established")?.status).toBe("True");
    // Several controllers of the real server set them, each in its own time.
    const types = conditions.map(({ type }) => type);
    if (ofCommunity.test(definition.metadata.name)) {
      expect(types).toContain("KubernetesAPIApprovalPolicyConformant");
    }
    return now;
  }, 120_000);
  await client.request({ method: "DELETE", path: own });
  await eventually(async () => {
    const left = await client.request({ method: "GET", path: own }).catch((error: unknown) => error);
    // The real server may find that it has only begun to serve the type, and does not look again.
    if (JSON.stringify(left).includes('"InstanceDeletionFailed"')) {
      const body = { metadata: { finalizers: null } };
      await client.request({ method: "PATCH", path: own, contentType: "application/merge-patch+json", body });
    }
    expect(left).toMatchObject({ status: 404 });
  }, 120_000);
  return { stored: plain(stored) } as Outcome;
}

/** Without what each server draws by itself. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const drawn = /^(?:uid|resourceVersion|creationTimestamp|lastTransitionTime|time)$/;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => !(drawn.test(key) && typeof each === "string"))
      .map(([key, each]) => [key, inOneOrder(key, plain(each))]),
  );
}

/** Who owns fields is ordered by the second in which each began to, and conditions by who was first. */
function inOneOrder(key: string, value: unknown): unknown {
  const by = { managedFields: "manager", conditions: "type" }[key];
  if (by === undefined || !Array.isArray(value)) return value;
  return (value as readonly Readonly<Record<string, string>>[]).toSorted((one, other) =>
    (one[by] ?? "").localeCompare(other[by] ?? ""),
  );
}

if (!hasGo()) console.log("skipped: there is no Go toolchain (go version fails)");

describeOnRealApiServer("definitions of public projects on the embedded API server and", () => {
  let servers: readonly { readonly client: KubeClient; stop(): Promise<void> }[] = [];
  const table: Record<string, string | number>[] = [];

  beforeAll(async () => {
    const [cluster, plane] = await Promise.all([startCluster(), leaseControlPlane({ controllers: "none" })]);
    servers = await Promise.all(
      [cluster, plane].map(async (each) => ({
        client: await clientOf(each.kubeconfig),
        stop: () => each.stop(),
      })),
    );
  });
  afterAll(async () => {
    for (const { client, stop } of servers) {
      await client.close();
      await stop();
    }
    console.table(table);
  });

  const asked = projects.filter(
    ([name]) => chosen === undefined || chosen.some((each) => name.startsWith(each)),
  );
  it.skipIf(!hasGo()).for(asked)("%s", async ([name, module], { skip }) => {
    const definitions = definitionsIn(module);
    if (typeof definitions === "string") {
      console.log(`skipped: ${name}: ${definitions}`);
      skip(definitions);
      return;
    }
    expect(definitions).not.toEqual([]);
    const counted = { accepted: 0, refused: 0 };
    const differences: string[] = [];
    // One of several versions of a definition at a time.
    const byName = Map.groupBy(definitions, ({ metadata }) => metadata.name);
    await Promise.all(
      [...byName].map(async ([title, versions]) => {
        for (const definition of versions) {
          const [embedded, real] = await Promise.all(
            servers.map(async ({ client }) => [[title, await install(client, definition)]] as const),
          );
          counted["stored" in real![0][1] ? "accepted" : "refused"] += 1;
          differences.push(...differencesBetween(new Map(embedded), new Map(real)).map(showDifference));
        }
      }),
    );
    table.push({ project: name, module, ...counted, differences: differences.length });
    expect(differences).toEqual([]);
  });
});
