// Requests by path that the built-in controllers make, without HTTP: discovery, OpenAPI, metrics, scales, the binding of
// pods, the tokens of accounts, the deletion of a collection, and the end of a namespace. Others are not served here.
import { toApiError } from "../../../client/status-body.ts";
import type { ApiCore } from "../api-core.ts";
import { fieldsOf } from "../api-object.ts";
import { groupList, resourceList } from "../discovery/group-discovery.ts";
import { openApiDocument } from "../discovery/open-api.ts";
import { answerMetrics } from "../metrics/metrics-api.ts";
import { parseDeleteQuery } from "../options/delete-options.ts";
import { parseListQuery } from "../options/list-options.ts";
import { parseWriteQuery } from "../options/write-options.ts";
import { parseResourcePath, type ResourcePath } from "../requests/request-path.ts";
import { readRequestUrl } from "../requests/request-url.ts";
import type { ApiUser } from "../requests/users.ts";
import { bindPod } from "../verbs/bind-pod.ts";
import { carryOut, readOut } from "../verbs/carry-out.ts";
import { deleteCollection } from "../verbs/delete-collection.ts";
import { toIncomingObject } from "../verbs/incoming-object.ts";
import type { ObjectRequest, WriteObjectRequest } from "../verbs/object-request.ts";
import { requestToken } from "../verbs/request-token.ts";
import { readScale, replaceScale } from "../verbs/scale.ts";
import { updateObject } from "../verbs/update.ts";

/** A request by its path. */
export interface PathRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly user: ApiUser;
  readonly userAgent: string;
}

/** What the path is answered with. Errors: `ApiError` 404 for one that is not served here; those of what is asked for. */
export function answerPath(core: ApiCore, given: PathRequest): unknown {
  const { path, query } = readRequestUrl(given.path);
  const named = parseResourcePath(path);
  if (given.method === "GET" && path === "/apis") return groupList(core);
  const published = given.method === "GET" ? openApiOf(core, path) : undefined;
  if (published !== undefined) return published;
  const measured = named === undefined ? undefined : answerMetrics(core, given.method, named, query);
  if (measured !== undefined) return measured;
  const answer =
    named?.plural === undefined
      ? discovered(core, given.method, named)
      : carriedOut(core, given, query, requestOf(core, named, given));
  if (answer !== undefined) return answer;
  throw toApiError({ status: 404, body: "404 page not found", request: `${given.method} ${path}` });
}

function openApiOf(core: ApiCore, path: string): unknown {
  const [, published] = /^\/openapi\/v3\/(.+)$/.exec(path) ?? [];
  return published === undefined ? undefined : openApiDocument(core.registry, published)?.body;
}

function discovered(core: ApiCore, method: string, named: ResourcePath | undefined): unknown {
  if (method !== "GET" || named === undefined) return undefined;
  return resourceList(core.registry, named.group, named.version);
}

/** What a request comes to; undefined for one that is not served here. */
function carriedOut(
  core: ApiCore,
  { method, body, userAgent }: PathRequest,
  query: URLSearchParams,
  request: ObjectRequest | undefined,
): unknown {
  if (request === undefined) return undefined;
  const writeOf = (kind: "CreateOptions" | "UpdateOptions"): WriteObjectRequest => ({
    ...request,
    query: parseWriteQuery(query, kind, { userAgent }),
  });
  const { type, name, subresource = "" } = request;
  if (method === "DELETE" && name === "") {
    return deleteCollection(core, request, parseListQuery(query, false), parseDeleteQuery(query, body));
  }
  if (subresource === "scale" && type.scale !== undefined) {
    if (method === "GET") return readOut(request, () => readScale(core, request));
    const write = writeOf("UpdateOptions");
    return carryOut(core, write, (run) => replaceScale(run, write, fieldsOf(body)));
  }
  switch (`${method} ${type.storageKey}/${subresource}`) {
    case "POST pods/binding": {
      const write = writeOf("CreateOptions");
      return carryOut(core, write, (run) => bindPod(run, write, fieldsOf(body)));
    }
    case "POST serviceaccounts/token": {
      const write = writeOf("CreateOptions");
      return carryOut(core, write, (run) => requestToken(run, write, fieldsOf(body)));
    }
    case "PUT namespaces/finalize": {
      const write = writeOf("UpdateOptions");
      const incoming = toIncomingObject(write, fieldsOf(body));
      return carryOut(core, write, (run) => updateObject(run, write, incoming));
    }
    default:
      return undefined;
  }
}

function requestOf(core: ApiCore, path: ResourcePath, { user }: PathRequest): ObjectRequest | undefined {
  const { group, version, plural = "", namespace, name = "", subresource } = path;
  const type = core.registry.find(group, version, plural);
  return type === undefined ? undefined : { type, namespace, name, subresource, user, warnings: [] };
}
