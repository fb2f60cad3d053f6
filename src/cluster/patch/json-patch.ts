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
    const missing = (what: string) => (): PatchError =>
      refused(`${op} operation does not apply: ${what}: missing value`);
    const noDestination = missing(`doc is missing destination path: ${path}`);
    const noSource = missing(`doc is missing from path: ${from}`);
    const at = (where: string) => (detail: string) => refused(`error in ${op} for ${where}: ${detail}`);
    const atPath = at(`path: '${path}'`);
    switch (op) {
      case "add":
        add(placeOf(document, path, missing(`doc is missing path: "${path}"`)), value, atPath);
        break;
      case "remove":
        remove(placeOf(document, path, missing(`doc is missing path: "${path}"`)), atPath);
        break;
      case "replace":
        if (path === "" && isContainer(value)) document = copyOf(value);
        else {
          const place = placeOf(document, path, missing(`doc is missing path: ${path}`));
          replace(place, value, missing(`doc is missing key: ${path}`));
        }
        break;
      case "test": {
        const place = placeOf(document, path, missing(`is missing path: ${path}`));
        if (!equal(valueAt(place, atPath) ?? null, value)) {
          throw refused(`testing value ${path} failed: test failed`, TestFailed);
        }
        break;
      }
      case "move": {
        const source = placeOf(document, from, noSource);
        const atSource = at(`path: '${source.key}'`);
        const moved = valueAt(source, atSource);
        remove(source, atSource);
        add(placeOf(document, path, noDestination), moved ?? null, atPath);
        break;
      }
      case "copy": {
        const copied = valueAt(placeOf(document, from, noSource), at(`from: '${from}'`)) ?? null;
        const place = placeOf(document, path, noDestination);
        copiedBytes += Buffer.byteLength(JSON.stringify(copied));
        if (copiedBytes > maxCopiedBytes) throw refused();
        add(place, copyOf(copied), (detail) => refused(`error while adding value during copy: ${detail}`));
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
  const op = Object.hasOwn(fields, "op") ? text("op") : "unknown";
  return { op, path: text("path"), from: text("from"), value: fieldOf(fields, "value") ?? null };
}

/** The refusal of a place, of which this is wrong. */
type RefusePlace = (detail: string) => PatchError;

/** The place that a path names, whose parent must exist. Errors: `missing`. */
function placeOf(document: unknown, path: string, missing: () => PatchError): Place {
  const steps = path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = steps.pop();
  if (key === undefined) throw missing();
  let parent = document;
  for (const step of steps) {
    parent = isContainer(parent) ? valueAt({ parent, key: step }, missing) : undefined;
  }
  if (!isContainer(parent)) throw missing();
  return { parent, key };
}

function isContainer(value: unknown): value is Place["parent"] {
  return typeof value === "object" && value !== null;
}

/** What is there; undefined for an absent member. Errors: those of a place outside a list. */
function valueAt({ parent, key }: Place, refuse: RefusePlace): unknown {
  return Array.isArray(parent) ? parent[indexIn(parent.length, key, refuse)] : fieldOf(parent, key);
}

function add({ parent, key }: Place, value: unknown, refuse: RefusePlace): void {
  if (!Array.isArray(parent)) setField(parent, key, value);
  else if (key === "-") parent.push(value);
  else {
    const refuseIndex: RefusePlace = (detail) =>
      refuse(isIndex(key) ? detail : `value was not a proper array index: '${key}': ${detail}`);
    parent.splice(indexIn(parent.length + 1, key, refuseIndex), 0, value);
  }
}

function remove({ parent, key }: Place, refuse: RefusePlace): void {
  if (Array.isArray(parent)) parent.splice(indexIn(parent.length, key, refuse), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw refuse(`Unable to remove nonexistent key: ${key}: missing value`);
}

function replace({ parent, key }: Place, value: unknown, missing: () => PatchError): void {
  if (Array.isArray(parent)) parent[indexIn(parent.length, key, missing)] = value;
  else setField(parent, key, value);
}

function isIndex(key: string): boolean {
  return /^[+-]?\d+$/.test(key);
}

/** A place among `count` ones, negative from the end. Errors: for none of them. */
function indexIn(count: number, key: string, refuse: RefusePlace): number {
  if (!isIndex(key)) throw refuse(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
  const given = Number(key);
  const index = given < 0 ? given + count : given;
  if (index < 0 || index >= count) {
    throw refuse(`Unable to access invalid index: ${given}: invalid index referenced`);
  }
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
