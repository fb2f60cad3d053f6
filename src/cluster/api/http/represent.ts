// Objects and lists in the form a client asked for: as they are, as a table, or only their metadata.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import type { ApiObject } from "../api-object.ts";
import { toPartial } from "../representation/partial-object.ts";
import { includeOf, toTable } from "../representation/table.ts";
import { byKeys } from "../field-order.ts";
import type { ServedType } from "../served-type.ts";
import { StatusError } from "../status-error.ts";
import type { ObjectPage } from "../verbs/list.ts";
import type { Exchange } from "../requests/exchange.ts";
import { chooseRepresentation } from "../requests/media-type.ts";

/** A body and whether it is to be sent as YAML. */
export interface RepresentedBody {
  readonly body: unknown;
  readonly yaml: boolean;
}

/** One object. Errors: 406. */
export function representObject(
  { request, query }: Exchange,
  type: ServedType,
  object: ApiObject,
  now: number,
): RepresentedBody {
  const { as, yaml, version } = chooseRepresentation(request.headers.accept, type.custom);
  if (as === "partialList") {
    // The real server does not foresee it of custom types.
    if (type.custom) throw new StatusError(500, undefined, "content is not a list");
    throw notAcceptable("PartialObjectMetadataList", `not a list (${goTypeOf(type)})`);
  }
  if (as === "partial") return { body: toPartial(type, object, version), yaml };
  if (as === "object") return { body: object, yaml };
  const { resourceVersion } = object.metadata;
  const metadata = resourceVersion === undefined ? {} : { resourceVersion };
  const options = { metadata, version, include: includeOf(query), now, withDefinitions: true };
  return { body: toTable(type, [object], options), yaml };
}

/** One page of a list. Errors: 406. */
export function representList(
  { request, query }: Exchange,
  type: ServedType,
  page: ObjectPage,
  now: number,
): RepresentedBody {
  const { as, yaml, version } = chooseRepresentation(request.headers.accept, type.custom);
  if (as === "partial") throw notAcceptable("PartialObjectMetadata", `a list (${goTypeOf(type)}List)`);
  const { items, resourceVersion, continue: token, remainingItemCount } = page;
  const metadata = {
    ...(type.custom && as === "object" ? { continue: "" } : {}),
    resourceVersion,
    ...(token === undefined ? {} : { continue: token }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
  if (as === "table") {
    const options = { metadata, version, include: includeOf(query), now, withDefinitions: true };
    return { body: toTable(type, items, options), yaml };
  }
  if (as === "partialList") {
    const kind = "PartialObjectMetadataList";
    return {
      body: {
        kind,
        apiVersion: `meta.k8s.io/${version}`,
        metadata,
        items: items.map((item) => toPartial(type, item, version)),
      },
      yaml,
    };
  }
  const [kind, apiVersion] = [type.listKind, apiVersionOf(type)];
  if (type.custom) return { body: { apiVersion, items, kind, metadata: byKeys(metadata) }, yaml };
  // The real server leaves these out of the items of built-in types.
  const plain = items.map(({ kind: _kind, apiVersion: _version, ...item }) => item);
  return { body: { kind, apiVersion, metadata, items: plain }, yaml };
}

function notAcceptable(asked: string, found: string): StatusError {
  return new StatusError(
    406,
    "NotAcceptable",
    `you requested ${asked}, but the requested object is ${found}`,
  );
}

/** What the real server calls objects of a type. */
function goTypeOf({ group, kind, custom }: ServedType): string {
  if (custom) return "*unstructured.Unstructured";
  return `*${group === "" || group === "events.k8s.io" ? "core" : group.split(".")[0]}.${kind}`;
}
