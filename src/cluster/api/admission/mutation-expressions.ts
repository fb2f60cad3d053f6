// The expressions of mutations: objects that are laid over what is written, and lists of changes as JSON patches have them.
// https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
import { toJson } from "../../../schema/cel/cel-json.ts";
import { callForMessages, Message, registerMessages } from "../../../schema/cel/message-literals.ts";
import {
  compileExpression,
  type CelEnvironment,
  type CompiledExpression,
  type FailedExpression,
} from "../../../schema/cel/compile-expression.ts";
import { fieldsOf, textOf, type Fields } from "../api-object.ts";

/** What a mutation is made by. */
export type PatchType = "ApplyConfiguration" | "JSONPatch";

/** A mutation of a policy. */
export interface Mutation {
  readonly patchType: PatchType;
  readonly expression: string;
  readonly compiled: CompiledExpression | FailedExpression;
}

const messages = { ApplyConfiguration: ["Object"], JSONPatch: ["JSONPatch", "Object"] } as const;
/** What an expression has to come to. */
export const mutationTypes: Readonly<Record<PatchType, string>> = {
  ApplyConfiguration: "Object",
  JSONPatch: "list<JSONPatch>",
};

/** The namespace `jsonpatch`. */
class PatchNamespace {
  escapeKey(text: string): string {
    return text.replaceAll("~", "~0").replaceAll("/", "~1");
  }
}

function registerPatchFunctions(environment: CelEnvironment): void {
  environment.registerType("kubernetes.JSONPatchNamespace", PatchNamespace);
  environment.registerConstant("jsonpatch", "kubernetes.JSONPatchNamespace", new PatchNamespace());
  environment.registerFunction(
    "kubernetes.JSONPatchNamespace.escapeKey(string): string",
    (namespace: PatchNamespace, text: string) => namespace.escapeKey(text),
  );
}

/** A mutation as it is declared, compiled over the variables of its policy. */
export function readMutation(mutation: Fields, environment: CelEnvironment): Mutation {
  const patchType: PatchType = mutation["patchType"] === "JSONPatch" ? "JSONPatch" : "ApplyConfiguration";
  const holder = fieldsOf(mutation[patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"]);
  const expression = textOf(holder["expression"]);
  const scope = environment.clone();
  registerMessages(scope, messages[patchType]);
  if (patchType === "JSONPatch") registerPatchFunctions(scope);
  return {
    patchType,
    expression,
    compiled: compileExpression(scope, callForMessages(expression, messages[patchType])),
  };
}

/** An object that an expression has made, as JSON. Errors: a message of another type than its place has. */
export function appliedObject(value: unknown): Fields {
  return fieldsOf(plain(value, "Object"));
}

/** The changes that an expression has made, as a JSON patch. */
export function patchOperations(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.map((each) => plain(each, "JSONPatch")) : [];
}

function plain(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((each) => plain(each, place));
  if (value instanceof Message) {
    if (value.type !== place && value.type.startsWith("Object")) {
      if (place.startsWith("Object"))
        throw new Error(`unexpected type name "${value.type}", expected "${place}"`);
    }
    const own = value.type;
    return Object.fromEntries([...value.fields].map(([name, each]) => [name, plain(each, `${own}.${name}`)]));
  }
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each, place)]));
  }
  return toJson(value);
}
