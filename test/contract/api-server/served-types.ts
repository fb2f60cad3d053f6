// The types that an API server serves of its own, as discovery tells them.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { ApiServerUnderTest } from "../../support/api-servers.ts";
import type { RawClient } from "./raw-request.ts";

const recorded = readFileSync(new URL("served-types.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");
const guide = readFileSync(new URL("../../../docs/guides/embedded-cluster.md", import.meta.url), "utf8");
const [, table = ""] = /### What is not served\n([^]*?)\n#/.exec(guide) ?? [];
/** What the guide says is not served. */
const left = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);

/** Declares the case: served-types.txt is what kube-apiserver 1.36.1 serves by default, in the order of its discovery. */
export function declareServedTypes(
  server: () => Pick<ApiServerUnderTest, "kind">,
  client: () => RawClient,
): void {
  it("serves the types that kube-apiserver serves, but for what the guide says", async () => {
    const isLeft = (line: string): boolean =>
      server().kind === "embedded" && left.some((name) => line.startsWith(`v1 ${name} `));
    expect(left).not.toEqual([]);
    expect(await servedTypes(client())).toEqual(recorded.filter((line) => !isLeft(line)));
  });
}

interface Subresource {
  readonly subresource: string;
  readonly responseKind?: { readonly kind: string };
  readonly verbs: readonly string[];
}

interface Resource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
}

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[] }[];
  }[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const isOwn = (group: string): boolean => !group.includes(".") || group.endsWith(".k8s.io");

/** A line for each of Kubernetes' groups, in its order, and for each type and subresource, in the order of their names. */
async function servedTypes(client: Pick<RawClient, "send">): Promise<readonly string[]> {
  const lines: string[] = [];
  const groups: string[] = [];
  for (const root of ["/api", "/apis"]) {
    const { body } = await client.send("GET", root, undefined, { accept });
    for (const { metadata, versions } of (body as unknown as Discovery).items) {
      const { name: group = "" } = metadata;
      if (!isOwn(group) || group.endsWith("metrics.k8s.io")) continue;
      groups.push(`group ${group} ${versions.map(({ version }) => version).join(",")}`.trim());
      for (const { version, resources } of versions) {
        const of = group === "" ? version : `${group}/${version}`;
        lines.push(...resources.flatMap((resource) => linesOf(of, resource)));
      }
    }
  }
  return [...groups, ...lines.toSorted()];
}

function linesOf(of: string, resource: Resource): readonly string[] {
  const { resource: plural, responseKind, scope, singularResource, verbs, shortNames, categories } = resource;
  const names = [singularResource, ...(shortNames ?? []), ...(categories ?? [])].join(",");
  return [
    `${of} ${plural} ${responseKind.kind} ${scope} ${names} ${verbs.join(",")}`,
    ...(resource.subresources ?? []).map(
      ({ subresource, responseKind: kind, verbs: allowed }) =>
        `${of} ${plural}/${subresource} ${kind?.kind ?? ""} ${allowed.join(",")}`,
    ),
  ];
}
