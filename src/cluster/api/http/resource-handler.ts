// Requests below a group and version: finds the type, then hands on to the handler of collection, object or subresource.
import { pathSegmentFault } from "../../../meta/name-rules.ts";
import { hasSubresource, type ServedType } from "../served-type.ts";
import { badRequest, methodNotAllowed, StatusError, unknownResource } from "../status-error.ts";
import type { ObjectRequest } from "../verbs/object-request.ts";
import { carryOut } from "../verbs/carry-out.ts";
import { answerReview } from "../verbs/review.ts";
import { isTrue } from "../options/list-options.ts";
import type { Exchange } from "../requests/exchange.ts";
import { chooseRepresentation } from "../requests/media-type.ts";
import { handleCollection } from "./handlers/collection-handler.ts";
import { handleObject } from "./handlers/object-handler.ts";
import { handleSubresource } from "./handlers/subresource-handler.ts";
import { readObjectWrite } from "./read-write.ts";
import { answerObject } from "./ready-answer.ts";
import type { ResourcePath } from "../requests/request-path.ts";
import { PathNotServed, type ResourceServices } from "./resource-services.ts";

/** Answers a request for a resource. Errors: StatusError, PathNotServed. */
export async function handleResource(
  services: ResourceServices,
  exchange: Exchange,
  path: ResourcePath,
): Promise<void> {
  const type = findType(services, path);
  const request: ObjectRequest = {
    type,
    namespace: type.namespaced ? path.namespace : "",
    name: path.name ?? "",
    subresource: path.subresource,
    user: exchange.user,
    warnings: type.deprecation === undefined ? [] : [type.deprecation],
  };
  if (path.name !== undefined) assertName(path.name);
  try {
    await handle(services, exchange, request, path);
  } catch (error) {
    // What was found before a refusal is said beside it.
    if (error instanceof StatusError)
      error.warnings = [...saidBeside(error, request, exchange.method), ...error.warnings];
    throw error;
  }
}

/** What is no request for the type, or no patch, is refused before the type is looked at, except a custom one. */
function saidBeside(
  { status }: StatusError,
  { type, subresource, warnings }: ObjectRequest,
  method: string,
): readonly string[] {
  const isAbsent = subresource !== undefined && !hasSubresource(type, subresource);
  const isFirst = isAbsent || status.code === 405 || (status.code === 415 && method === "PATCH");
  return type.custom || !isFirst ? warnings : warnings.filter((warning) => warning !== type.deprecation);
}

function handle(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
  { name, subresource, watchPrefix }: ResourcePath,
): Promise<void> {
  assertAcceptable(exchange, request, watchPrefix);
  if (watchPrefix && (request.type.review === true || subresource !== undefined)) throw unknownResource();
  if (request.type.review === true) return handleReview(services, exchange, request);
  if (watchPrefix && exchange.method !== "GET") throw methodNotAllowed();
  if (name === undefined || watchPrefix) return handleCollection(services, exchange, request, watchPrefix);
  if (subresource === undefined) return handleObject(services, exchange, request);
  return handleSubresource(services, exchange, request);
}

/** Subresources that are answered with something else than an object. */
const streams = new Set(["log", "exec", "attach", "portforward", "proxy"]);

/** What cannot be sent in any form that is asked for is not looked for either; a watch sees to it itself. Errors: 406. */
function assertAcceptable(
  { method, request: { headers }, query }: Exchange,
  { type, name, subresource = "" }: ObjectRequest,
  watchPrefix: boolean,
): void {
  const isWatch = watchPrefix || (method === "GET" && name === "" && isTrue(query.get("watch")));
  if (isWatch || streams.has(subresource)) return;
  if (subresource !== "" && !hasSubresource(type, subresource)) return;
  chooseRepresentation(headers.accept, type.custom);
}

function findType({ core: { registry } }: ResourceServices, path: ResourcePath): ServedType {
  const { group, version, plural = "", namespace, name } = path;
  const type = registry.find(group, version, plural);
  if (type === undefined) {
    const isBuiltin = registry.ofGroupVersion(group, version).some((each) => !each.custom);
    if (isBuiltin) throw unknownResource();
    throw new PathNotServed();
  }
  const isMisplaced = type.namespaced ? namespace === "" && name !== undefined : namespace !== "";
  if (!isMisplaced) return type;
  if (type.custom) throw new PathNotServed();
  throw unknownResource();
}

/** Names that no object can have are refused before one is looked for. */
function assertName(name: string): void {
  const fault = pathSegmentFault(name);
  if (fault !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${fault}`);
}

async function handleReview(
  { core, users, authorizer }: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const write = await readObjectWrite(exchange, request, "CreateOptions");
  const answer = await carryOut(core, write.request, (run) =>
    answerReview(run, { users, authorizer }, write.request, write.incoming),
  );
  answerObject(core, exchange, request, 201, answer).send();
}
