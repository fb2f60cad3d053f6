// Applies a JSON patch (RFC 6902) as the API server does: all operations or none, with its answers for what fails.
// Fed with the body of an `application/json-patch+json` request. The server is laxer than the RFC:
// an absent value is null, replacing an absent member adds it, a negative index counts from the end.
import { applyPatch, Pointer } from "rfc6902";
import type { Operation } from "rfc6902";
import { isJsonArray, isJsonObject, jsonTypeOf } from "../schema/json-value.ts";
import type { JsonObject } from "../schema/json-value.ts";
import { badPatch, PatchError } from "./patch-error.ts";

const maxOperations = 10_000;

/**
 * The object with a JSON patch applied; the given object is not changed.
 *
 * **Errors**: {@link PatchError} 400 for a body that is no patch, 413 for more than 10,000 operations,
 * 422 for an operation that fails (a missing path, a failed test).
 */
export function applyJsonPatch(object: unknown, patch: unknown): unknown {
  if (patch === null) return object;
  if (!isJsonArray(patch)) throw unreadable(patch, "[]handlers.jsonPatchOp");
  if (patch.length > maxOperations) {
    throw new PatchError(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
      { status: 413, reason: "RequestEntityTooLarge" },
    );
  }
  const strange = patch.find((each) => !isJsonObject(each));
  if (strange !== undefined) throw unreadable(strange, "handlers.jsonPatchOp");
  const document: unknown = structuredClone(object);
  for (const each of patch.flatMap((raw) => (isJsonObject(raw) ? [raw] : []))) {
    for (const step of each["op"] === "move" ? splitMove(document, each) : [each]) {
      const operation = toOperation(document, step);
      if (operation === undefined) throw refused();
      const [error] = applyPatch(document, [operation]);
      if (error !== null && error !== undefined) throw refused();
    }
  }
  return document;
}

/** A move as a removal and an addition: an index in its path counts after the removal. */
function splitMove(document: unknown, { path, from }: JsonObject): readonly JsonObject[] {
  const source = toPath(document, from, false);
  if (source === undefined) throw refused();
  const value: unknown = Pointer.fromJSON(source).get(document);
  return [
    { op: "remove", path: source },
    { op: "add", path, value },
  ];
}

function toOperation(document: unknown, raw: JsonObject): Operation | undefined {
  const { op, value = null } = raw;
  const path = toPath(document, raw["path"], op === "add" || op === "copy");
  if (path === undefined) return undefined;
  const isAbsent = isAbsentMember(document, path);
  switch (op) {
    case "add":
      return { op, path, value };
    case "remove":
      return { op, path };
    case "replace":
      return { op: isAbsent ? "add" : op, path, value };
    case "test":
      return value === null && isAbsent ? { op, path: "", value: document } : { op, path, value };
    case "copy": {
      const from = toPath(document, raw["from"], false);
      if (from === undefined) return undefined;
      return isAbsentMember(document, from) ? { op: "add", path, value: null } : { op, from, path };
    }
    default:
      return undefined;
  }
}

/** Whether a path names a member that an existing object does not have. */
function isAbsentMember(document: unknown, path: string): boolean {
  const { parent, key } = Pointer.fromJSON(path).evaluate(document);
  return isJsonObject(parent) && !Object.hasOwn(parent, key);
}

/** The path as the library takes it; undefined for one that leads nowhere. What precedes the first slash is dropped. */
function toPath(document: unknown, raw: unknown, inserts: boolean): string | undefined {
  const slash = typeof raw === "string" ? raw.indexOf("/") : -1;
  if (typeof raw !== "string" || slash < 0) return undefined;
  const path = raw.slice(slash);
  const { parent, key } = Pointer.fromJSON(path).evaluate(document);
  if (!isJsonArray(parent)) return path;
  if (key === "-") return inserts ? path : undefined;
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const end = inserts ? parent.length : parent.length - 1;
  const given = Number(key);
  const index = given < 0 ? given + end + 1 : given;
  if (index < 0 || index > end) return undefined;
  return `${path.slice(0, path.lastIndexOf("/"))}/${index}`;
}

function unreadable(given: unknown, type: string): PatchError {
  const kind = jsonTypeOf(given);
  const name = kind === "integer" ? "number" : kind === "boolean" ? "bool" : kind;
  return badPatch(`error decoding patch: json: cannot unmarshal ${name} into Go value of type ${type}`);
}

function refused(): PatchError {
  return new PatchError("the server rejected our request due to an error in our request", {
    status: 422,
    reason: "Invalid",
  });
}
