// Applies a JSON patch (RFC 6902) as the API server does: all operations or none, with its answers for what fails.
// Fed with the body of an `application/json-patch+json` request. The server is laxer than the RFC: an absent value is null,
// replacing an absent member adds it, the whole may be replaced, a negative index counts from the end, what precedes the first slash is dropped.
import {
  copyOf,
  equal,
  fieldOf,
  isJsonArray,
  isJsonObject,
  isTooDeep,
  jsonTypeOf,
  setField,
} from "../../schema/json-value.ts";
import { badPatch, PatchError } from "./patch-error.ts";

const maxOperations = 10_000;
/** Bytes of JSON that all copies of a patch may add; without it sixteen of them fill the memory. */
const maxCopiedBytes = 3_145_728;

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: unknown;
}

/** Where an operation works: a member of an object or a place in a list. */
interface Place {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string;
}

/**
 * The object with a JSON patch applied; the given object is not changed.
 *
 * **Errors**: {@link PatchError} 400 for a body that is no patch, 413 for more than 10,000 operations,
 * 422 for an operation that fails (a missing path, a failed test) and for copies of more than 3 MiB together.
 */
export function applyJsonPatch(object: unknown, patch: unknown): unknown {
  if (patch === null) return object;
  if (!isJsonArray(patch)) throw unreadable(patch, "value of type []handlers.jsonPatchOp");
  const operations = patch.map(readOperation);
  if (patch.length > maxOperations) {
    throw new PatchError(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
      { status: 413, reason: "RequestEntityTooLarge" },
    );
  }
  let document: unknown = copyOf(object);
  try {
    document = applyOperations(document, operations);
  } catch (error) {
    // Copies into copies nest deeper than the stack goes.
    if (error instanceof RangeError) throw refused();
    throw error;
  }
  if (isTooDeep(document)) throw refused();
  return document;
}

function applyOperations(given: unknown, operations: readonly Operation[]): unknown {
  let document = given;
  let copiedBytes = 0;
  for (const { op, path, from, value } of operations) {
    switch (op) {
      case "add":
        add(placeOf(document, path), value);
        break;
      case "remove":
        remove(placeOf(document, path), path);
        break;
      case "replace":
        if (path === "" && isContainer(value)) document = copyOf(value);
        else replace(placeOf(document, path), value);
        break;
      case "test":
        if (!equal(valueAt(placeOf(document, path)) ?? null, value)) {
          throw refused(`testing value ${path} failed: test failed`, TestFailed);
        }
        break;
      case "move": {
        const source = placeOf(document, from);
        const moved = valueAt(source);
        remove(source, from);
        add(placeOf(document, path), moved ?? null);
        break;
      }
      case "copy": {
        const copied = valueAt(placeOf(document, from)) ?? null;
        copiedBytes += Buffer.byteLength(JSON.stringify(copied));
        if (copiedBytes > maxCopiedBytes) throw refused();
        add(placeOf(document, path), copyOf(copied));
        break;
      }
      default:
        throw refused(`Unexpected kind: ${op}`);
    }
  }
  return document;
}

function readOperation(raw: unknown): Operation {
  if (raw !== null && !isJsonObject(raw)) throw unreadable(raw, "value of type handlers.jsonPatchOp");
  const fields = raw ?? {};
  const text = (name: string): string => {
    const given = fieldOf(fields, name) ?? "";
    if (typeof given !== "string") throw unreadable(given, `struct field jsonPatchOp.${name} of type string`);
    return given;
  };
  return { op: text("op"), path: text("path"), from: text("from"), value: fieldOf(fields, "value") ?? null };
}

/** The place that a path names, whose parent must exist. Errors: 422. */
function placeOf(document: unknown, path: string): Place {
  const steps = path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = steps.pop();
  if (key === undefined) throw refused();
  let parent = document;
  for (const step of steps) parent = isContainer(parent) ? valueAt({ parent, key: step }) : undefined;
  if (!isContainer(parent)) throw refused();
  return { parent, key };
}

function isContainer(value: unknown): value is Place["parent"] {
  return typeof value === "object" && value !== null;
}

/** What is there; undefined for an absent member. Errors: 422 outside a list. */
function valueAt({ parent, key }: Place): unknown {
  return Array.isArray(parent) ? parent[indexIn(parent.length, key)] : fieldOf(parent, key);
}

function add({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) setField(parent, key, value);
  else if (key === "-") parent.push(value);
  else parent.splice(indexIn(parent.length + 1, key), 0, value);
}

function remove({ parent, key }: Place, path: string): void {
  if (Array.isArray(parent)) {
    parent.splice(indexIn(parent.length, key), 1);
    return;
  }
  if (!Object.hasOwn(parent, key)) {
    throw refused(
      `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`,
    );
  }
  delete parent[key];
}

function replace({ parent, key }: Place, value: unknown): void {
  if (Array.isArray(parent)) parent[indexIn(parent.length, key)] = value;
  else setField(parent, key, value);
}

/** A place among `count` ones, negative from the end. Errors: 422 for none of them. */
function indexIn(count: number, key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw refused();
  const given = Number(key);
  const index = given < 0 ? given + count : given;
  if (index < 0 || index >= count) throw refused();
  return index;
}

function unreadable(given: unknown, target: string): PatchError {
  const kind = jsonTypeOf(given);
  const name = kind === "integer" ? "number" : kind === "boolean" ? "bool" : kind;
  return badPatch(`error decoding patch: json: cannot unmarshal ${name} into Go ${target}`);
}

/** A patch of which a test has failed. */
export class TestFailed extends PatchError {}

function refused(detail?: string, Refusal = PatchError): PatchError {
  return new Refusal(
    "the server rejected our request due to an error in our request",
    { status: 422, reason: "Invalid" },
    detail,
  );
}
