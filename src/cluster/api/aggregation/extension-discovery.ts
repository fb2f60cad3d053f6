// What another API server says it serves: in one document if it has that, else in the form of its group and version.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go
import { fieldsList, fieldsOf, textOf, type Fields } from "../api-object.ts";
import type { ExtensionService } from "../discovery/api-services.ts";
import { askExtension, ExtensionUnreachable, type ExtensionSource } from "./ask-extension.ts";
import { aggregatorUser } from "./remote-user.ts";

const timeout = 5_000;
const wholeDocument = ["v2", "v2beta1"]
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(",");

/** Asks for the resources of an APIService, in the form of aggregated discovery. Errors: {@link ExtensionUnreachable}. */
export async function discoverExtension(
  source: ExtensionSource,
  service: ExtensionService,
): Promise<readonly unknown[]> {
  const { group, version } = service;
  const whole = await askExtension(source, service, {
    path: "/apis",
    user: aggregatorUser,
    accept: wholeDocument,
    timeout,
  });
  if (whole.status === 200 && whole.contentType.includes("as=APIGroupDiscoveryList")) {
    const groups = fieldsList(parse(whole.text)["items"]);
    const found = groups.find(({ metadata }) => fieldsOf(metadata)["name"] === group);
    const document = fieldsList(found?.["versions"]).find((each) => each["version"] === version);
    return fieldsList(document?.["resources"]).map(withKinds);
  }
  if (whole.status === 503) throw new ExtensionUnreachable(`/apis was answered with ${whole.status}`);
  const path = `/apis/${group}/${version}`;
  const listed = await askExtension(source, service, { path, user: aggregatorUser, timeout });
  if (listed.status !== 200) throw new ExtensionUnreachable(`${path} was answered with ${listed.status}`);
  return nestedResources(fieldsList(parse(listed.text)["resources"]));
}

function parse(text: string): Fields {
  return fieldsOf(JSON.parse(text));
}

/** Clients of some versions cannot do without. */
function withKinds(resource: Fields): Fields {
  const subresources = fieldsList(resource["subresources"]);
  return {
    ...resource,
    responseKind: resource["responseKind"] ?? noKind,
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((each) => ({
            ...each,
            responseKind: each["responseKind"] ?? noKind,
          })),
        }),
  };
}

const noKind = { group: "", version: "", kind: "" };

/** Resources with their subresources in them, of a list in which these stand beside each other. */
function nestedResources(listed: readonly Fields[]): readonly Fields[] {
  const nested = new Map<string, { readonly resource: Fields; readonly subresources: Fields[] }>();
  const partsOf = (each: Fields): readonly [name: string, subresource: string | undefined] => {
    const [name = "", ...rest] = textOf(each["name"]).split("/");
    return [name, rest.length === 0 ? undefined : rest.join("/")];
  };
  for (const each of listed) {
    const [name, subresource] = partsOf(each);
    if (subresource === undefined) nested.set(name, { resource: resourceOf(each, name), subresources: [] });
  }
  for (const each of listed) {
    const [name, subresource] = partsOf(each);
    if (subresource === undefined) continue;
    const parent = nested.get(name) ?? {
      resource: { resource: name, responseKind: noKind, scope: scopeOf(each) },
      subresources: [],
    };
    nested.set(name, parent);
    const responseKind = textOf(each["kind"]) === "" ? noKind : kindOf(each);
    parent.subresources.push({ subresource, responseKind, verbs: each["verbs"] });
  }
  return [...nested.values()].map(({ resource, subresources }) =>
    subresources.length === 0 ? resource : { ...resource, subresources },
  );
}

function resourceOf(each: Fields, resource: string): Fields {
  const { singularName, verbs, shortNames, categories } = each;
  return {
    resource,
    responseKind: kindOf(each),
    scope: scopeOf(each),
    singularResource: singularName,
    verbs,
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
  };
}

function kindOf({ group, version, kind }: Fields): Fields {
  return { group: textOf(group), version: textOf(version), kind };
}

function scopeOf({ namespaced }: Fields): string {
  return namespaced === true ? "Namespaced" : "Cluster";
}
