// More objects of its own types that every API server refuses: wrong-objects.jsonl holds one a line, with the status, the reason and
// the causes of the answer, as kube-apiserver 1.36.1 gives them. wrong-objects-otherwise.jsonl has those that the embedded one knowingly
// answers otherwise, and why; the guide has a table of them.
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import type { ApiServerUnderTest } from "../../support/api-servers.ts";
import { metadataOf, type Body, type RawAnswer, type RawClient } from "./raw-request.ts";

interface WrongObject {
  readonly title: string;
  readonly kind: string;
  readonly content: Body;
  /** What an object with that content is replaced by; else the content itself is refused. */
  readonly then?: Body;
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly string[];
}
/** Status, reason and causes. */
type Answered = readonly (number | string | null)[];

interface OtherwiseAnswered extends Pick<WrongObject, "title" | "kind" | "content"> {
  readonly real: Answered;
  readonly embedded: Answered;
  readonly why: string;
}

function linesOf(file: string): readonly unknown[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
const cases = linesOf("wrong-objects.jsonl") as readonly WrongObject[];
const otherwise = linesOf("wrong-objects-otherwise.jsonl") as readonly OtherwiseAnswered[];
const guide = readFileSync(new URL("../../../docs/guides/embedded-cluster.md", import.meta.url), "utf8");
const [, table = ""] = /### What is refused otherwise\n([^]*?)\n#/.exec(guide) ?? [];

const spaced = "namespaces/default/";
export const roots: Readonly<Record<string, string>> = {
  pods: `/api/v1/${spaced}`,
  services: `/api/v1/${spaced}`,
  configmaps: `/api/v1/${spaced}`,
  secrets: `/api/v1/${spaced}`,
  endpoints: `/api/v1/${spaced}`,
  persistentvolumeclaims: `/api/v1/${spaced}`,
  serviceaccounts: `/api/v1/${spaced}`,
  namespaces: "/api/v1/",
  deployments: `/apis/apps/v1/${spaced}`,
  statefulsets: `/apis/apps/v1/${spaced}`,
  daemonsets: `/apis/apps/v1/${spaced}`,
  replicasets: `/apis/apps/v1/${spaced}`,
  jobs: `/apis/batch/v1/${spaced}`,
  cronjobs: `/apis/batch/v1/${spaced}`,
  ingresses: `/apis/networking.k8s.io/v1/${spaced}`,
  networkpolicies: `/apis/networking.k8s.io/v1/${spaced}`,
  poddisruptionbudgets: `/apis/policy/v1/${spaced}`,
  roles: `/apis/rbac.authorization.k8s.io/v1/${spaced}`,
  rolebindings: `/apis/rbac.authorization.k8s.io/v1/${spaced}`,
  endpointslices: `/apis/discovery.k8s.io/v1/${spaced}`,
  leases: `/apis/coordination.k8s.io/v1/${spaced}`,
  resourcequotas: `/api/v1/${spaced}`,
  limitranges: `/api/v1/${spaced}`,
  events: `/api/v1/${spaced}`,
  nodes: "/api/v1/",
  persistentvolumes: "/api/v1/",
  customresourcedefinitions: "/apis/apiextensions.k8s.io/v1/",
  ingressclasses: "/apis/networking.k8s.io/v1/",
  clusterroles: "/apis/rbac.authorization.k8s.io/v1/",
  clusterrolebindings: "/apis/rbac.authorization.k8s.io/v1/",
  controllerrevisions: `/apis/apps/v1/${spaced}`,
  storageclasses: "/apis/storage.k8s.io/v1/",
  priorityclasses: "/apis/scheduling.k8s.io/v1/",
  runtimeclasses: "/apis/node.k8s.io/v1/",
  csidrivers: "/apis/storage.k8s.io/v1/",
  csinodes: "/apis/storage.k8s.io/v1/",
  csistoragecapacities: `/apis/storage.k8s.io/v1/${spaced}`,
  volumeattachments: "/apis/storage.k8s.io/v1/",
  volumeattributesclasses: "/apis/storage.k8s.io/v1/",
  podtemplates: `/api/v1/${spaced}`,
  replicationcontrollers: `/api/v1/${spaced}`,
  flowschemas: "/apis/flowcontrol.apiserver.k8s.io/v1/",
  prioritylevelconfigurations: "/apis/flowcontrol.apiserver.k8s.io/v1/",
  servicecidrs: "/apis/networking.k8s.io/v1/",
  ipaddresses: "/apis/networking.k8s.io/v1/",
  resourceclaims: `/apis/resource.k8s.io/v1/${spaced}`,
  resourceclaimtemplates: `/apis/resource.k8s.io/v1/${spaced}`,
  deviceclasses: "/apis/resource.k8s.io/v1/",
  resourceslices: "/apis/resource.k8s.io/v1/",
  horizontalpodautoscalers: `/apis/autoscaling/v2/${spaced}`,
  certificatesigningrequests: "/apis/certificates.k8s.io/v1/",
  validatingwebhookconfigurations: "/apis/admissionregistration.k8s.io/v1/",
  mutatingwebhookconfigurations: "/apis/admissionregistration.k8s.io/v1/",
  validatingadmissionpolicies: "/apis/admissionregistration.k8s.io/v1/",
  validatingadmissionpolicybindings: "/apis/admissionregistration.k8s.io/v1/",
  mutatingadmissionpolicies: "/apis/admissionregistration.k8s.io/v1/",
  mutatingadmissionpolicybindings: "/apis/admissionregistration.k8s.io/v1/",
  apiservices: "/apis/apiregistration.k8s.io/v1/",
};

/** Status, reason and causes of an answer. */
function answered({ status, body }: RawAnswer): Answered {
  const { causes = [] } = (body["details"] ?? {}) as {
    causes?: readonly { readonly reason: string; readonly field: string }[];
  };
  const said = causes.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`);
  const { reason = null } = body as { readonly reason?: string };
  return [status, reason, ...said];
}

/** Declares the cases. */
export function declareWrongObjectCases(
  server: () => Pick<ApiServerUnderTest, "kind">,
  client: () => RawClient,
): void {
  beforeAll(async () => {
    // Who gives every namespace an account does not run everywhere, and pods need one.
    const account = { metadata: { name: "default" } };
    await client().send("POST", "/api/v1/namespaces/default/serviceaccounts", account);
  });

  it.each(cases)("refuses $kind with $title", async ({ kind, content, then, status, reason, causes }) => {
    const collection = `${roots[kind] ?? ""}${kind}`;
    const named = (each: Body, more: Body = {}): Body => ({
      ...each,
      metadata: { name: "one", ...(each["metadata"] as Body), ...more },
    });
    const { name } = metadataOf(named(content));
    const object = `${collection}/${String(name)}`;
    let answer: RawAnswer;
    if (then === undefined) answer = await client().send("POST", `${collection}?dryRun=All`, named(content));
    else {
      const created = await client().send("POST", collection, named(content));
      const { resourceVersion } = metadataOf(created.body);
      answer = await client().send("PUT", `${object}?dryRun=All`, named(then, { resourceVersion }));
      await client().send("DELETE", `${object}?gracePeriodSeconds=0`);
    }
    expect(answered(answer)).toEqual([status, reason, ...causes]);
  });

  it.each(otherwise)("answers $kind with $title as is known", async ({ kind, content, ...known }) => {
    const path = `${roots[kind] ?? ""}${kind}?dryRun=All`;
    const answer = await client().send("POST", path, { metadata: { name: "one" }, ...content });
    expect(answered(answer)).toEqual(known[server().kind]);
  });

  it("has the guide say what is answered otherwise", () => {
    const rows = otherwise.map(({ kind, title, embedded: [status], why }) => {
      const how = status === 201 ? "taken" : "refused with other causes";
      return `| \`${kind}\` | ${title} | ${how} | ${why} |`;
    });
    expect(table.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows);
  });
}
