// Requests for a subresource: status, scale, finalize, and those of pods.
import type { ApiCore } from "../../api-core.ts";
import type { Fields } from "../../api-object.ts";
import { hasSubresource, type ServedType } from "../../served-type.ts";
import { badRequest, methodNotAllowed, notFound, StatusError, unknownResource } from "../../status-error.ts";
import { bindPod } from "../../verbs/bind-pod.ts";
import { evictPod } from "../../verbs/evict-pod.ts";
import type { ObjectRequest, WriteObjectRequest } from "../../verbs/object-request.ts";
import { bindings, evictions, scales, tokenRequests } from "../../verbs/posted-types.ts";
import { admitConnection } from "../../verbs/connect.ts";
import { requestToken } from "../../verbs/request-token.ts";
import { readScale, replaceScale } from "../../verbs/scale.ts";
import { currentObject, updateObject } from "../../verbs/update.ts";
import { carryOut, readOut } from "../../verbs/carry-out.ts";
import { queryOfOptions, readConnectOptions } from "../../requests/connect-options.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { httpVerbOf } from "../../requests/request-verb.ts";
import { servePorts } from "../pod-ports.ts";
import { proxySubresource, serveProxy } from "../proxy/serve-proxy.ts";
import { serveAttach, serveExec } from "../pod-streams.ts";
import { sendPodLog } from "../pod-log.ts";
import { readObjectWrite, type ReadObjectWrite } from "../read-write.ts";
import { answerObject, answerPlain, answerScale } from "../ready-answer.ts";
import { PathNotServed, type ResourceServices } from "../resource-services.ts";
import { runWrite } from "../write-gate.ts";
import { handlePatch } from "./object-handler.ts";

/** Answers a request for a subresource. Errors: StatusError, PathNotServed. */
export async function handleSubresource(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { type, name, subresource = "" } = request;
  const [first = ""] = subresource.split("/");
  if (first === proxySubresource && hasSubresource(type, first)) {
    return serveProxy(services.core, services.podRuntime(), exchange, request);
  }
  if (!hasSubresource(type, subresource)) {
    if (type.custom && (subresource === "status" || subresource === "scale")) throw notFound(type, name);
    if (type.custom) throw new PathNotServed();
    throw unknownResource();
  }
  const others = type.otherSubresources?.find(({ name: own }) => own === subresource);
  if (others?.verbs.includes(httpVerbOf(exchange.method, true, false)) === false) throw methodNotAllowed();
  switch (subresource) {
    case "log":
      return sendPodLog(services.podRuntime(), exchange, currentObject(services.core, request));
    case "exec":
    case "attach":
    case "portforward": {
      const serve = { exec: serveExec, attach: serveAttach, portforward: servePorts }[subresource];
      const options = readConnectOptions(subresource, exchange.query);
      const query = queryOfOptions(await admitConnection(services.core, request, options));
      const pod = currentObject(services.core, request);
      return serve(services.podRuntime(), { ...exchange, query }, pod);
    }
    case "binding":
      return handlePosting(services, exchange, request, {
        type: bindings,
        carryOut: bindPod,
      });
    case "eviction":
      return handlePosting(services, exchange, request, {
        type: evictions,
        formerly: "policy/v1beta1",
        carryOut: evictPod,
      });
    case "token":
      return handlePosting(services, exchange, request, {
        type: tokenRequests,
        carryOut: requestToken,
      });
    case "scale":
      return handleScale(services, exchange, request);
    default:
      return handlePart(services, exchange, request);
  }
}

/** The status, or the finalizers of a namespace: the object itself, of which only a part may be written. */
async function handlePart(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core, writes } = services;
  const { type } = request;
  switch (exchange.method) {
    case "GET":
      answerObject(
        core,
        exchange,
        request,
        200,
        await readOut(request, () => currentObject(core, request)),
      ).send();
      return;
    case "PUT": {
      const write = await readObjectWrite(exchange, request, "UpdateOptions");
      await runWrite(writes, exchange, "update", () =>
        carryOut(core, write.request, (run) =>
          answerObject(run, exchange, request, 200, updateObject(run, write.request, write.incoming)),
        ),
      );
      return;
    }
    case "PATCH":
      await handlePatch(services, exchange, request);
      return;
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

async function handleScale(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core, writes } = services;
  switch (exchange.method) {
    case "GET":
      answerScale(core, exchange, request, await readOut(request, () => readScale(core, request))).send();
      return;
    case "PUT": {
      const write = await readScaleWrite(exchange, request);
      await runWrite(writes, exchange, "update", () =>
        carryOut(core, write.request, (run) =>
          answerScale(run, exchange, request, replaceScale(run, write.request, write.incoming)),
        ),
      );
      return;
    }
    case "PATCH":
      await handlePatch(services, exchange, request);
      return;
    default:
      throw methodNotAllowed();
  }
}

/** Reads the Scale of a write. Errors: 400, in other words for a custom resource: of a Scale its server cannot say what is wrong. */
async function readScaleWrite(exchange: Exchange, request: ObjectRequest): Promise<ReadObjectWrite> {
  try {
    return await readObjectWrite(exchange, request, "UpdateOptions", { type: scales });
  } catch (error) {
    const isUnsaid = error instanceof StatusError && error.message.includes("cannot be handled as a");
    if (!request.type.custom || !isUnsaid) throw error;
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
  }
}

/** What is posted to a subresource of an object, and what is done with it. */
interface Posting {
  readonly type: ServedType;
  readonly formerly?: string;
  readonly carryOut: (core: ApiCore, request: WriteObjectRequest, body: Fields) => unknown;
}

async function handlePosting(
  { core, writes }: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
  { carryOut: act, ...posted }: Posting,
): Promise<void> {
  const { request: write, incoming } = await readObjectWrite(exchange, request, "CreateOptions", posted);
  await runWrite(writes, exchange, "create", () =>
    carryOut(core, write, (run) => answerPlain(exchange, request, 201, act(run, write, incoming))),
  );
}
