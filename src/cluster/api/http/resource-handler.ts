// Requests below a group and version: finds the type, chooses the verb, runs it, represents the result.
import { isFields, type ApiObject } from "../api-object.ts";
import type { ApiCore } from "../api-core.ts";
import { parseDeleteQuery } from "../options/delete-options.ts";
import { parseListQuery, parseRevision } from "../options/list-options.ts";
import { parseWriteQuery, type WriteKind } from "../options/write-options.ts";
import { hasSubresource, type ServedType } from "../served-type.ts";
import { badRequest, methodNotAllowed, notFound, StatusError, unknownResource } from "../status-error.ts";
import { answerReview } from "../verbs/review.ts";
import { createObject } from "../verbs/create.ts";
import { deleteCollection } from "../verbs/delete-collection.ts";
import { deleteObject } from "../verbs/delete.ts";
import { toIncomingObject } from "../verbs/incoming-object.ts";
import { assertNotFuture, listObjects } from "../verbs/list.ts";
import type { ObjectRequest, WriteObjectRequest } from "../verbs/object-request.ts";
import { parsePatchBody, patchObject, patchTypeOf } from "../verbs/patch.ts";
import { patchScale, readScale, replaceScale } from "../verbs/scale.ts";
import { bindPod } from "../verbs/bind-pod.ts";
import { currentObject, updateObject } from "../verbs/update.ts";
import { sendAnswer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { chooseRepresentation } from "./media-type.ts";
import { representList, representObject } from "./represent.ts";
import { parseObjectBody, readBytes } from "./request-body.ts";
import type { ResourcePath } from "./request-path.ts";
import { startWatch } from "./watch-response.ts";
import { runWrite, type WriteGate } from "./write-gate.ts";
import { sendPodLog, type PodLogSource } from "./pod-log.ts";

/** What the handler needs besides the core. */
export interface ResourceServices {
  readonly core: ApiCore;
  readonly writes: WriteGate;
  podLogs(): PodLogSource | undefined;
}

/** Sent for a path that is not served at all. */
export class PathNotServed extends Error {}

/** Answers a request for a resource. Errors: StatusError, PathNotServed. */
export async function handleResource(
  services: ResourceServices,
  exchange: Exchange,
  path: ResourcePath,
): Promise<void> {
  const { core } = services;
  const type = core.registry.find(path.group, path.version, path.plural ?? "");
  if (type === undefined) {
    if (core.registry.ofGroupVersion(path.group, path.version).some((each) => !each.custom)) {
      throw unknownResource();
    }
    throw new PathNotServed();
  }
  assertScope(type, path);
  const request: ObjectRequest = {
    type,
    namespace: type.namespaced ? path.namespace : "",
    name: path.name ?? "",
    subresource: path.subresource,
    user: exchange.user,
    warnings: type.deprecation === undefined ? [] : [type.deprecation],
  };
  if (type.review === true) return handleReview(services, exchange, request);
  if (path.name === undefined) return handleCollection(services, exchange, request, path.watchPrefix);
  if (path.subresource === undefined) return handleObject(services, exchange, request);
  return handleSubresource(services, exchange, request);
}

function assertScope(type: ServedType, { namespace, name }: ResourcePath): void {
  const isMisplaced = type.namespaced ? namespace === "" && name !== undefined : namespace !== "";
  if (!isMisplaced) return;
  if (type.custom) throw new PathNotServed();
  throw unknownResource();
}

async function handleCollection(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
  watchPrefix: boolean,
): Promise<void> {
  const { core } = services;
  const { type } = request;
  switch (exchange.method) {
    case "GET": {
      const query = parseListQuery(exchange.query, watchPrefix);
      const representation = chooseRepresentation(exchange.request.headers.accept);
      if (query.watch) return startWatch(core, exchange, request, query, representation);
      const page = listObjects(core, request, query);
      return send(exchange, request, 200, representList(exchange, type, page, core.clock.now()));
    }
    case "POST": {
      if (type.namespaced && request.namespace === "") {
        if (type.custom) throw new PathNotServed();
        throw methodNotAllowed();
      }
      const write = await readWrite(exchange, request, "CreateOptions");
      return sendWritten(services, exchange, write.request, "create", 201, () =>
        createObject(core, write.request, write.incoming),
      );
    }
    case "DELETE": {
      const options = await readDeleteOptions(exchange);
      const selection = parseListQuery(exchange.query, false);
      return runWrite(services.writes, exchange, "deletecollection", () => {
        const page = deleteCollection(core, request, selection, options);
        return answer(exchange, request, 200, representList(exchange, type, page, core.clock.now()));
      });
    }
    default:
      throw methodNotAllowed();
  }
}

async function handleObject(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core } = services;
  switch (exchange.method) {
    case "GET": {
      assertNotFuture(core, parseRevision(exchange.query.get("resourceVersion") ?? "", false));
      return sendObject(core, exchange, request, 200, currentObject(core, request));
    }
    case "PUT": {
      const write = await readWrite(exchange, request, "UpdateOptions");
      return runWrite(services.writes, exchange, "update", () => {
        const existed =
          core.store.get(request.type.storageKey, request.namespace, request.name) !== undefined;
        const object = updateObject(core, write.request, write.incoming);
        return answerObject(core, exchange, request, existed ? 200 : 201, object);
      });
    }
    case "PATCH":
      return handlePatch(services, exchange, request);
    case "DELETE": {
      const options = await readDeleteOptions(exchange);
      return runWrite(services.writes, exchange, "delete", () => {
        const result = deleteObject(core, request, options);
        return result.kind === "Status"
          ? answer(exchange, request, 200, { body: result, yaml: false })
          : answerObject(core, exchange, request, 200, result as ApiObject);
      });
    }
    default:
      throw methodNotAllowed();
  }
}

async function handleSubresource(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core } = services;
  const { type, name, subresource = "" } = request;
  if (!hasSubresource(type, subresource)) {
    if (type.custom && (subresource === "status" || subresource === "scale")) throw notFound(type, name);
    if (type.custom) throw new PathNotServed();
    throw unknownResource();
  }
  if (subresource === "log") return handleLog(services, exchange, request);
  if (subresource === "binding") return handleBinding(services, exchange, request);
  const isScale = subresource === "scale";
  switch (exchange.method) {
    case "GET":
      return isScale
        ? send(exchange, request, 200, { body: readScale(core, request), yaml: false })
        : sendObject(core, exchange, request, 200, currentObject(core, request));
    case "PUT": {
      if (isScale) {
        const write = await readWriteBody(exchange, request, "UpdateOptions");
        return runWrite(services.writes, exchange, "update", () =>
          answer(exchange, request, 200, {
            body: replaceScale(core, write.request, write.body),
            yaml: false,
          }),
        );
      }
      const write = await readWrite(exchange, request, "UpdateOptions");
      return sendWritten(services, exchange, write.request, "update", 200, () =>
        updateObject(core, write.request, write.incoming),
      );
    }
    case "PATCH":
      return handlePatch(services, exchange, request);
    case "POST":
      if (!type.custom) throw methodNotAllowed();
      throw new StatusError(
        405,
        "MethodNotAllowed",
        `create is not supported on resources of kind "${type.plural}.${type.group}"`,
        { group: type.group, kind: type.plural },
      );
    default:
      throw methodNotAllowed();
  }
}

async function handlePatch(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core } = services;
  const patchType = patchTypeOf(exchange.request.headers["content-type"], request.type.custom);
  const apply = patchType === "apply";
  const bytes = await readBytes(exchange.request);
  const query = parseWriteQuery(exchange.query, "PatchOptions", { userAgent: exchange.userAgent, apply });
  const body = parsePatchBody(bytes, patchType);
  const write: WriteObjectRequest = { ...request, query };
  return runWrite(services.writes, exchange, apply ? "apply" : "patch", () => {
    if (request.subresource === "scale") {
      return answer(exchange, request, 200, {
        body: patchScale(core, write, patchType, body),
        yaml: false,
      });
    }
    const { object, created } = patchObject(core, write, patchType, body);
    return answerObject(core, exchange, request, created ? 201 : 200, object);
  });
}

async function handleReview(
  { core }: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const write = await readWrite(exchange, request, "CreateOptions");
  const body = answerReview(request, write.incoming);
  return sendObject(core, exchange, request, 201, body);
}

async function handleLog(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  if (exchange.method !== "GET") throw methodNotAllowed();
  const pod = currentObject(services.core, request);
  return sendPodLog(services.podLogs(), exchange, pod);
}

async function handleBinding(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const { request: write, body } = await readWriteBody(exchange, request, "CreateOptions");
  return runWrite(services.writes, exchange, "create", () =>
    answer(exchange, request, 201, { body: bindPod(services.core, write, body), yaml: false }),
  );
}

/** Reads query and body of a create or update. */
async function readWrite(
  exchange: Exchange,
  request: ObjectRequest,
  kind: WriteKind,
): Promise<{ readonly request: WriteObjectRequest; readonly incoming: ApiObject }> {
  const { request: write, body, duplicateFields } = await readWriteBody(exchange, request, kind);
  return { request: write, incoming: toIncomingObject(write, body, duplicateFields) };
}

async function readWriteBody(
  exchange: Exchange,
  request: ObjectRequest,
  kind: WriteKind,
): Promise<{
  readonly request: WriteObjectRequest;
  readonly body: Record<string, unknown>;
  readonly duplicateFields: readonly string[];
}> {
  const bytes = await readBytes(exchange.request);
  const query = parseWriteQuery(exchange.query, kind, { userAgent: exchange.userAgent });
  const body = parseObjectBody(bytes, exchange.request.headers["content-type"], request.type.kind);
  return { request: { ...request, query }, body: body.value, duplicateFields: body.duplicateFields };
}

async function readDeleteOptions(exchange: Exchange): ReturnType<typeof readOptions> {
  return readOptions(exchange);
}

async function readOptions(exchange: Exchange): Promise<ReturnType<typeof parseDeleteQuery>> {
  const bytes = await readBytes(exchange.request);
  if (bytes.length === 0) return parseDeleteQuery(exchange.query, undefined);
  const { value } = parseObjectBody(bytes, exchange.request.headers["content-type"], "DeleteOptions");
  if (!isFields(value))
    throw badRequest("the object provided is unrecognized (must be of type DeleteOptions)");
  return parseDeleteQuery(exchange.query, value);
}

function sendWritten(
  services: ResourceServices,
  exchange: Exchange,
  request: WriteObjectRequest,
  verb: "create" | "update",
  status: number,
  write: () => ApiObject,
): Promise<void> {
  return runWrite(services.writes, exchange, verb, () =>
    answerObject(services.core, exchange, request, status, write()),
  );
}

function sendObject(
  core: ApiCore,
  exchange: Exchange,
  request: ObjectRequest,
  status: number,
  object: ApiObject,
): void {
  answerObject(core, exchange, request, status, object).send();
}

function send(exchange: Exchange, request: ObjectRequest, status: number, represented: Represented): void {
  answer(exchange, request, status, represented).send();
}

/** A body in its final form. */
interface Represented {
  readonly body: unknown;
  readonly yaml: boolean;
}

/** An answer that is ready to be sent. */
interface ReadyAnswer {
  readonly status: number;
  send(): void;
}

function answerObject(
  core: ApiCore,
  exchange: Exchange,
  request: ObjectRequest,
  status: number,
  object: ApiObject,
): ReadyAnswer {
  return answer(exchange, request, status, representObject(exchange, request.type, object, core.clock.now()));
}

function answer(
  { request: incoming, response }: Exchange,
  request: ObjectRequest,
  status: number,
  { body, yaml }: Represented,
): ReadyAnswer {
  return {
    status,
    send: () => sendAnswer(incoming, response, { status, body, yaml, warnings: request.warnings }),
  };
}
