// Reads the query and the body of a write.
import { apiVersionOf } from "../../../meta/resource-type.ts";
import type { ApiObject } from "../api-object.ts";
import { builtinSchema } from "../builtin/builtin-schemas.ts";
import { shapeObject } from "../builtin/shape-object.ts";
import { badRequest } from "../status-error.ts";
import { parseDeleteQuery, type DeleteQuery } from "../options/delete-options.ts";
import { parseWriteQuery, type WriteKind } from "../options/write-options.ts";
import { toIncomingObject } from "../verbs/incoming-object.ts";
import type { ObjectRequest, WriteObjectRequest } from "../verbs/object-request.ts";
import type { ServedType } from "../served-type.ts";
import type { Exchange } from "../requests/exchange.ts";
import { parseObjectBody, readBytes } from "./request-body.ts";

/** A write whose body is an object. */
export interface ReadObjectWrite {
  readonly request: WriteObjectRequest;
  readonly incoming: ApiObject;
}

/**
 * Reads a create or update of an object. `type` is what the body is, such as a Scale; default the request's type. `formerly` is an
 * apiVersion in which it was called the same, and still may be. Errors: 400, 413, 415, 422.
 */
export async function readObjectWrite(
  exchange: Exchange,
  request: ObjectRequest,
  kind: WriteKind,
  { type = request.type, formerly }: { readonly type?: ServedType; readonly formerly?: string } = {},
): Promise<ReadObjectWrite> {
  const bytes = await readBytes(exchange.request);
  const query = parseWriteQuery(exchange.query, kind, { userAgent: exchange.userAgent });
  const write = { ...request, query };
  const { value, textFaults } = parseObjectBody(bytes, exchange.request.headers["content-type"], {
    kind: type.kind,
    schema: type.custom ? undefined : type.schema,
  });
  const body =
    formerly !== undefined && value["apiVersion"] === formerly
      ? { ...value, apiVersion: apiVersionOf(type) }
      : value;
  return { request: write, incoming: toIncomingObject({ ...write, type }, body, { textFaults }) };
}

/** Reads the options of a deletion, from the body if it has one. Errors: 400, 413, 415, 422. */
export async function readDeleteOptions(exchange: Exchange): Promise<DeleteQuery> {
  const bytes = await readBytes(exchange.request);
  if (bytes.length === 0) return parseDeleteQuery(exchange.query, undefined);
  const schema = builtinSchema("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  const contentType = exchange.request.headers["content-type"];
  const { value } = parseObjectBody(bytes, contentType, { kind: "DeleteOptions", schema });
  const [fault] = shapeObject(schema, value).typeErrors;
  if (fault !== undefined) throw badRequest(fault);
  return parseDeleteQuery(exchange.query, value);
}
