// PATCH: computes the next state of an object with one of the patch types, then updates it as a PUT would.
import { invalidValue } from "../../../schema/status-cause.ts";
import { canonicalJson, fieldOf } from "../../../schema/json-value.ts";
import { goPrint } from "../../patch/go-print.ts";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch, readMergePatch } from "../../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../patch/strategic-merge-patch.ts";
import { typedSchemaOf } from "../typed-schema.ts";
import type { ApiCore } from "../api-core.ts";
import { goTypeName } from "../go-words.ts";
import { fieldsOf, isFields, textOf, type ApiObject, type Fields } from "../api-object.ts";
import { readJson, UnreadableText } from "../requests/json-text.ts";
import { patchFaults, repeatedFields, repeatedKeys, type TextFaults } from "../requests/repeated-fields.ts";
import { readYaml } from "../requests/yaml-text.ts";
import { badRequest, invalidObject, StatusError, unsupportedMediaType } from "../status-error.ts";
import { recordOwnership } from "./field-ownership.ts";
import { toIncomingObject } from "./incoming-object.ts";
import type { WriteObjectRequest } from "./object-request.ts";
import { currentObject, replaceObject, undeterminable } from "./update.ts";
import { applyObject } from "./apply.ts";
import { withPatchErrors, type PatchOutcome } from "./patch-outcome.ts";

/** How a patch is written. */
export type PatchType = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** The patch type of a content type. Errors: 415. */
export function patchTypeOf(contentType: string | undefined, custom: boolean): PatchType {
  const type = fieldOf(types, contentType?.split(";")[0] ?? "");
  if (type === undefined && !custom) throw unsupportedMediaType();
  if (type === undefined || (type === "strategic" && custom)) {
    throw unsupportedMediaType(Object.keys(types).filter((each) => !each.includes("strategic")));
  }
  return type;
}

/** What is said before the fault of a body that cannot be read. */
const cannotRead: Readonly<Record<PatchType, string>> = {
  json: "error decoding patch: ",
  merge: "error decoding patch: ",
  strategic: "",
  apply: "error decoding YAML: error converting YAML to JSON: ",
};

/** The body of a patch. */
export interface PatchBody {
  readonly value: unknown;
  readonly textFaults: TextFaults;
}

/** Reads the body of a patch. Errors: 400. */
export function parsePatchBody(bytes: Buffer, type: PatchType): PatchBody {
  const text = bytes.toString("utf8");
  try {
    if (type === "apply") {
      const repeated: string[] = [];
      const value = readYaml(text, repeated);
      return { value, textFaults: repeatedKeys(repeated) };
    }
    const { value, duplicateFields } = readJson(text);
    const textFaults =
      type === "json" ? patchFaults(duplicateFields, value) : repeatedFields(duplicateFields);
    return { value, textFaults };
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    throw badRequest(`${cannotRead[type]}${error.message}`);
  }
}

/** Patches the object of a request; `read` gives the body. Errors: 400, 404, 409, 413, 415, 422. */
export function patchObject(
  core: ApiCore,
  request: WriteObjectRequest,
  type: PatchType,
  read: () => PatchBody,
): PatchOutcome {
  if (type === "apply") return applyObject(core, request, readApplied(request, read()));
  const current = currentObject(core, request);
  const { value: body, textFaults } = read();
  const next = patched(current, type, body, request);
  const incoming = asPatchFault(
    () => (type === "strategic" ? goPrint(body) : canonicalJson(next)),
    () => toIncomingObject(request, next, { patched: true, textFaults }),
  );
  // Without a version nothing but the kind is read of it.
  if (!request.type.custom && textOf(next["apiVersion"]) === "") throw undeterminable(request.name);
  const { managedFields, ownerReferences } = incoming.metadata;
  const merged = (fieldsOf(next["metadata"]) as Partial<ApiObject["metadata"]>).ownerReferences;
  // References that are there twice fall out only after their owners are known.
  const repeated = (merged?.length ?? 0) > (ownerReferences?.length ?? 0) ? merged : undefined;
  const own = recordOwnership(core, request, managedFields, repeated);
  return { object: replaceObject(core, request, incoming, current, { own, otherUid: 1 }), created: false };
}

/** What is applied. Errors: 400 for what occurs twice in a text that is read strictly. */
export function readApplied(
  { query, warnings }: WriteObjectRequest,
  { value, textFaults }: PatchBody,
): unknown {
  const { refusal } = textFaults;
  if (query.fieldValidation === "Strict" && refusal !== "") {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${refusal}`);
  }
  if (query.fieldValidation === "Warn") warnings.push(...textFaults.warnings);
  return value;
}

/** Reads what a patch came to; what cannot be read is the fault of the patch, of which `show` gives the text. Errors: 422. */
export function asPatchFault<T>(show: () => string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    throw invalidObject("", "", "", [invalidValue("patch", show(), error.message)]);
  }
}

function patched(current: ApiObject, type: PatchType, body: unknown, request: WriteObjectRequest): Fields {
  const result = withPatchErrors(() => {
    if (type === "json") return applyJsonPatch(current, body);
    if (type === "merge") return applyMergePatch(current, readMergePatch(body));
    const patch = readMergePatch(body ?? {});
    const { apiVersion, kind } = current;
    return {
      ...applyStrategicMergePatch(typedSchemaOf(request.type).schema, current, patch),
      apiVersion,
      kind,
    };
  });
  if (isFields(result)) return result;
  const target = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  const fault = `json: cannot unmarshal ${goTypeName(result)} into Go value of type ${target}`;
  return asPatchFault(
    () => JSON.stringify(result),
    () => {
      throw badRequest(`couldn't get version/kind; json parse error: ${fault}`);
    },
  );
}
