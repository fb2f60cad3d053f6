// Reads a request's body: bounded in size; JSON, YAML or protobuf; with the fields that occur twice.
import type { IncomingMessage } from "node:http";
import { messageOf } from "../../../ports/operator-error.ts";
import type { StructuralSchema } from "../../../schema/structural-schema.ts";
import { fieldsOf, isFields, type Fields } from "../api-object.ts";
import { beginningOf, statedKindFault, unrecognized } from "../stated-kind.ts";
import { decodeObject, openEnvelope, startsLikeObject } from "../protobuf/decode-object.ts";
import { badRequest, tooLarge, unsupportedMediaType } from "../status-error.ts";
import { readJson, UnreadableText } from "../requests/json-text.ts";
import { repeatedFields, repeatedKeys, type TextFaults } from "../requests/repeated-fields.ts";
import { withWrittenNumbers } from "../requests/written-numbers.ts";
import { readYaml } from "../requests/yaml-text.ts";
import { bodyTypeOf } from "../requests/media-type.ts";

const limit = 3_145_728;
const readable = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** A parsed body. */
export interface RequestBody {
  readonly value: unknown;
  /** What occurs twice in the text. */
  readonly textFaults: TextFaults;
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
  const type = bodyTypeOf(contentType);
  const text = bytes.toString("utf8");
  const isYaml = type === "application/yaml";
  const fail = (detail: string): never => {
    throw unrecognized(kind, detail);
  };
  /** The beginning of what was sent: as text only where it looks like JSON. */
  const shown = (): string => {
    if (text === "") return "<empty>";
    return text.startsWith("{") && !isYaml ? beginningOf(text) : beginningOf(bytes.toString("hex"), 60);
  };
  if (type === "application/vnd.kubernetes.protobuf" && schema !== undefined) {
    return {
      value: decodeProtobuf(bytes, schema, (detail) => fail(`${detail} (${shown()})`)),
      textFaults: repeatedFields([]),
    };
  }
  if (!isYaml && type !== "application/json") throw unsupportedMediaType(readable);
  let read: RequestBody;
  try {
    read = readText(text, isYaml);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    if (kind === "DeleteOptions" && !isYaml) {
      throw badRequest(`couldn't get version/kind; json parse error: ${error.message}`);
    }
    const origin = isYaml ? "" : "couldn't get version/kind; json parse error: ";
    return fail(`${origin}${error.message} (${shown()})`);
  }
  const { value, textFaults } = read;
  // Of its own types the real server takes nothing for an empty object.
  if (value === null && schema !== undefined) return { value: {}, textFaults };
  if (value === null && isYaml) return fail(`Object 'Kind' is missing in '${text}' (<empty>)`);
  if (value === null) return fail(`Object 'Kind' is missing in '${text}' (${shown()})`);
  const fault = statedKindFault(value);
  if (fault !== undefined || !isFields(value)) return fail(`${fault ?? ""} (${shown()})`);
  if (isYaml || schema === undefined) return { value, textFaults };
  return { value: fieldsOf(withWrittenNumbers(text, value, schema)), textFaults };
}

function readText(text: string, isYaml: boolean): RequestBody {
  if (!isYaml) {
    const { value, duplicateFields } = readJson(text);
    return { value, textFaults: repeatedFields(duplicateFields) };
  }
  const repeated: string[] = [];
  const value = readYaml(text, repeated);
  return { value, textFaults: repeatedKeys(repeated) };
}

function decodeProtobuf(bytes: Buffer, schema: StructuralSchema, fail: (detail: string) => never): Fields {
  if (!startsLikeObject(bytes)) {
    return fail("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (bytes.length === 4) return fail("empty body");
  try {
    return decodeObject(schema, openEnvelope(bytes));
  } catch (error) {
    return fail(messageOf(error));
  }
}
