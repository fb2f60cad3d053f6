// Reads a request's body: bounded in size; JSON, YAML or protobuf; with the fields that occur twice.
import type { IncomingMessage } from "node:http";
import { messageOf } from "../../../ports/operator-error.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import { isFields, type Fields } from "../api-object.ts";
import { decodeObject, openEnvelope } from "../protobuf/decode-object.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../status-error.ts";
import { parseYaml } from "../requests/yaml-text.ts";
import { duplicateFieldsOf } from "./duplicate-fields.ts";
import { parseMediaType } from "../requests/media-type.ts";

const limit = 3_145_728;
const readable = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** A parsed body. */
export interface RequestBody {
  readonly value: unknown;
  /** Paths that occur twice in the text. */
  readonly duplicateFields: readonly string[];
}

/** Reads the bytes. Errors: 413 above 3 MiB. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw tooLarge(`limit is ${limit}`);
  return Buffer.concat(chunks);
}

/** What a body should be. */
export interface ExpectedBody {
  readonly kind: string;
  /** The schema of a built-in type, whose protobuf form is understood too. */
  readonly schema?: StructuralSchema | undefined;
}

/** The object in a body of JSON, YAML or protobuf. Errors: 400, 415. */
export function parseObjectBody(
  bytes: Buffer,
  contentType: string | undefined,
  { kind, schema }: ExpectedBody,
): RequestBody & { readonly value: Fields } {
  const { type } = parseMediaType(contentType ?? "application/json");
  if (type === "application/vnd.kubernetes.protobuf" && schema !== undefined) {
    return { value: decodeProtobuf(bytes, schema), duplicateFields: [] };
  }
  const text = bytes.toString("utf8");
  if (type === "application/yaml") {
    const value = parseYaml(text);
    if (!isFields(value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
    return { value, duplicateFields: [] };
  }
  if (type !== "application/json") throw unsupportedMediaType(readable);
  const fail = (detail: string): never => {
    const shown = text === "" ? "<empty>" : text.length > 30 ? `${text.slice(0, 30)} ...` : text;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${detail} (${shown})`,
    );
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fail(jsonFault(text, error));
  }
  if (!isFields(value)) return fail("json: cannot unmarshal into an object");
  return { value, duplicateFields: duplicateFieldsOf(text) };
}

function decodeProtobuf(bytes: Buffer, schema: StructuralSchema): Fields {
  try {
    return decodeObject(schema, openEnvelope(bytes));
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${messageOf(error)}`);
  }
}

function jsonFault(text: string, error: unknown): string {
  if (text.trim() === "") return "unexpected end of JSON input";
  const at = /position (\d+)/.exec(messageOf(error))?.[1];
  const character = at === undefined ? undefined : text[Number(at)];
  return character === undefined
    ? "unexpected end of JSON input"
    : `invalid character '${character}' looking for beginning of ${text.trimStart().startsWith("{") && Number(at) <= 2 ? "object key string" : "value"}`;
}
