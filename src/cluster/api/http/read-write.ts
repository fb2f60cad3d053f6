// Reads the query and the body of a write.
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import { builtinSchema } from "../builtin/builtin-schemas.ts";
import { parseDeleteQuery, type DeleteQuery } from "../options/delete-options.ts";
import { parseWriteQuery, type WriteKind } from "../options/write-options.ts";
import { toIncomingObject } from "../verbs/incoming-object.ts";
import type { ObjectRequest, WriteObjectRequest } from "../verbs/object-request.ts";
import type { Exchange } from "../requests/exchange.ts";
import { parseObjectBody, readBytes } from "./request-body.ts";

/** A write whose body is an object of the request's type. */
export interface ReadObjectWrite {
  readonly request: WriteObjectRequest;
  readonly incoming: ApiObject;
}

/** A write with any body. */
export interface ReadBodyWrite {
  readonly request: WriteObjectRequest;
  readonly body: Fields;
  readonly duplicateFields: readonly string[];
}

/** Reads a create or update of an object. Errors: 400, 413, 415, 422. */
export async function readObjectWrite(
  exchange: Exchange,
  request: ObjectRequest,
  kind: WriteKind,
): Promise<ReadObjectWrite> {
  const { type } = request;
  const expected = { kind: type.kind, schema: type.custom ? undefined : type.schema };
  const write = await readBodyWrite(exchange, request, kind, expected);
  return {
    request: write.request,
    incoming: toIncomingObject(write.request, write.body, { duplicateFields: write.duplicateFields }),
  };
}

/** Reads a write whose body is of another type, like a Scale. Errors: 400, 413, 415, 422. */
export async function readBodyWrite(
  exchange: Exchange,
  request: ObjectRequest,
  kind: WriteKind,
  expected: { readonly kind: string; readonly schema?: StructuralSchema | undefined },
): Promise<ReadBodyWrite> {
  const bytes = await readBytes(exchange.request);
  const query = parseWriteQuery(exchange.query, kind, { userAgent: exchange.userAgent });
  const { value, duplicateFields } = parseObjectBody(
    bytes,
    exchange.request.headers["content-type"],
    expected,
  );
  return { request: { ...request, query }, body: value, duplicateFields };
}

/** Reads the options of a deletion, from the body if it has one. Errors: 400, 413, 415, 422. */
export async function readDeleteOptions(exchange: Exchange): Promise<DeleteQuery> {
  const bytes = await readBytes(exchange.request);
  if (bytes.length === 0) return parseDeleteQuery(exchange.query, undefined);
  const { value } = parseObjectBody(bytes, exchange.request.headers["content-type"], {
    kind: "DeleteOptions",
    schema: builtinSchema("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"),
  });
  return parseDeleteQuery(exchange.query, value);
}
