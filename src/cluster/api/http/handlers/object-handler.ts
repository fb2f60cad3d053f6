// Requests for one object: read, replace, patch, delete.
import { assertAllowed } from "../../access/authorize.ts";
import type { ApiObject } from "../../api-object.ts";
import { parseRevision } from "../../options/list-options.ts";
import { parseWriteQuery } from "../../options/write-options.ts";
import { methodNotAllowed } from "../../status-error.ts";
import { deleteObject } from "../../verbs/delete.ts";
import { assertNotFuture } from "../../verbs/list.ts";
import type { ObjectRequest, WriteObjectRequest } from "../../verbs/object-request.ts";
import { parsePatchBody, patchObject, patchTypeOf } from "../../verbs/patch.ts";
import { patchScale } from "../../verbs/scale.ts";
import { currentObject, findCurrent, updateObject } from "../../verbs/update.ts";
import { carryOut, readOut } from "../../verbs/carry-out.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { readDeleteOptions, readObjectWrite } from "../read-write.ts";
import { answerObject, answerPlain, answerScale } from "../ready-answer.ts";
import { readBytes } from "../request-body.ts";
import type { ResourceServices } from "../resource-services.ts";
import { runWrite } from "../write-gate.ts";

/** Answers a request for an object. Errors: StatusError. */
export async function handleObject(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core, writes, faults } = services;
  switch (exchange.method) {
    case "GET": {
      const store = faults.reads.storeFor(exchange);
      assertNotFuture({ store }, parseRevision(exchange.query.get("resourceVersion") ?? "", false));
      const read = readOut(request, () => currentObject({ store }, request));
      answerObject(core, exchange, request, 200, read instanceof Promise ? await read : read).send();
      return;
    }
    case "PUT": {
      const write = await readObjectWrite(exchange, request, "UpdateOptions");
      await runWrite(writes, exchange, "update", () =>
        carryOut(core, write.request, (run) => {
          const status = findCurrent(run, request) === undefined ? 201 : 200;
          if (status === 201 && request.type.behaviour.createOnUpdate === true)
            assertMayCreate(services, request);
          const object = updateObject(run, write.request, write.incoming);
          return answerObject(run, exchange, request, status, object);
        }),
      );
      return;
    }
    case "PATCH":
      await handlePatch(services, exchange, request);
      return;
    case "DELETE": {
      const options = await readDeleteOptions(exchange);
      await runWrite(writes, exchange, "delete", () =>
        carryOut(core, request, (run) => {
          const result = deleteObject(run, request, options);
          return result.kind === "Status"
            ? answerPlain(exchange, request, 200, result)
            : answerObject(run, exchange, request, 200, result as ApiObject);
        }),
      );
      return;
    }
    default:
      throw methodNotAllowed();
  }
}

/** Answers a patch of an object or of one of its subresources. Errors: StatusError. */
export async function handlePatch(
  services: ResourceServices,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const { core, writes } = services;
  const patchType = patchTypeOf(exchange.request.headers["content-type"], request.type.custom);
  const apply = patchType === "apply";
  const bytes = await readBytes(exchange.request);
  const query = parseWriteQuery(exchange.query, "PatchOptions", { userAgent: exchange.userAgent, apply });
  const body = readOnce(() => parsePatchBody(bytes, patchType));
  const write: WriteObjectRequest = { ...request, query };
  await runWrite(writes, exchange, apply ? "apply" : "patch", () =>
    carryOut(core, write, (run) => {
      if (request.subresource === "scale") {
        return answerScale(run, exchange, request, patchScale(run, write, patchType, body));
      }
      if (apply && findCurrent(run, request) === undefined) assertMayCreate(services, request);
      const { object, created } = patchObject(run, write, patchType, body);
      return answerObject(run, exchange, request, created ? 201 : 200, object);
    }),
  );
}

/** Reads the body when it is asked for: of an object that is not there, nothing else is said. */
function readOnce<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: read() }).value;
}

/** A write that makes the object also needs the right to create it. Errors: 403. */
function assertMayCreate({ authorizer }: ResourceServices, request: ObjectRequest): void {
  const { type, namespace, name, subresource, user } = request;
  if (subresource !== undefined) return;
  const { group, plural } = type;
  assertAllowed(authorizer, user, { verb: "create", group, plural, subresource: "", name, namespace });
}
