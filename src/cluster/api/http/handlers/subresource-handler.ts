// Requests for a subresource: status, scale, finalize, and those of pods.
import type { ApiCore } from "../../api-core.ts";
import type { Fields } from "../../api-object.ts";
import { builtinSchema } from "../../builtin/builtin-schemas.ts";
import { hasSubresource } from "../../served-type.ts";
import { methodNotAllowed, notFound, StatusError, unknownResource } from "../../status-error.ts";
import { bindPod } from "../../verbs/bind-pod.ts";
import { evictPod } from "../../verbs/evict-pod.ts";
import type { ObjectRequest, WriteObjectRequest } from "../../verbs/object-request.ts";
import { admitConnection } from "../../verbs/connect.ts";
import { requestToken } from "../../verbs/request-token.ts";
import { readScale, replaceScale } from "../../verbs/scale.ts";
import { currentObject, updateObject } from "../../verbs/update.ts";
import { carryOut, readOut } from "../../verbs/carry-out.ts";
import { queryOfOptions, readConnectOptions } from "../../requests/connect-options.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { servePorts } from "../pod-ports.ts";
import { serveAttach, serveExec } from "../pod-streams.ts";
import { sendPodLog } from "../pod-log.ts";
import { readBodyWrite, readObjectWrite } from "../read-write.ts";
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
  if (!hasSubresource(type, subresource)) {
    if (type.custom && (subresource === "status" || subresource === "scale")) throw notFound(type, name);
    if (type.custom) throw new PathNotServed();
    throw unknownResource();
  }
  switch (subresource) {
    case "log":
      if (exchange.method !== "GET") throw methodNotAllowed();
      return sendPodLog(services.podRuntime(), exchange, currentObject(services.core, request));
    case "exec":
    case "attach":
    case "portforward": {
      if (exchange.method !== "GET" && exchange.method !== "POST") throw methodNotAllowed();
      const serve = { exec: serveExec, attach: serveAttach, portforward: servePorts }[subresource];
      const options = readConnectOptions(subresource, exchange.query);
      const query = queryOfOptions(await admitConnection(services.core, request, options));
      const pod = currentObject(services.core, request);
      return serve(services.podRuntime(), { ...exchange, query }, pod);
    }
    case "binding":
      return handlePosting(services, exchange, request, {
        kind: "Binding",
        schema: builtinSchema("io.k8s.api.core.v1.Binding"),
        carryOut: bindPod,
      });
    case "eviction":
      return handlePosting(services, exchange, request, {
        kind: "Eviction",
        schema: builtinSchema("io.k8s.api.policy.v1.Eviction"),
        carryOut: evictPod,
      });
    case "token":
      return handlePosting(services, exchange, request, {
        kind: "TokenRequest",
        schema: builtinSchema("io.k8s.api.authentication.v1.TokenRequest"),
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
      if (
        type.otherSubresources?.some(
          ({ name, verbs }) => name === request.subresource && !verbs.includes("patch"),
        )
      )
        throw methodNotAllowed();
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
      const schema = builtinSchema("io.k8s.api.autoscaling.v1.Scale");
      const write = await readBodyWrite(exchange, request, "UpdateOptions", { kind: "Scale", schema });
      await runWrite(writes, exchange, "update", () =>
        carryOut(core, write.request, (run) =>
          answerScale(run, exchange, request, replaceScale(run, write.request, write.body)),
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

/** What is posted to a subresource of an object, and what is done with it. */
interface Posting {
  readonly kind: string;
  readonly schema?: ReturnType<typeof builtinSchema>;
  readonly carryOut: (core: ApiCore, request: WriteObjectRequest, body: Fields) => unknown;
}

async function handlePosting(
  { core, writes }: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
  { kind, schema, carryOut: act }: Posting,
): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const { request: write, body } = await readBodyWrite(exchange, request, "CreateOptions", { kind, schema });
  await runWrite(writes, exchange, "create", () =>
    carryOut(core, write, (run) => answerPlain(exchange, request, 201, act(run, write, body))),
  );
}
