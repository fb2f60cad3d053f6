// Expressions over named values: which variables there are, of which type each is, and what an expression says of them.
// For whoever evaluates CEL outside of a schema's rules, such as files that declare operators.
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { additionalSchema, propertySchema, type StructuralSchema } from "../structural-schema.ts";
import { toJson } from "./cel-json.ts";
import { createCelEnvironment } from "./cel-environment.ts";
import { declareType, dynamicType, type CelType } from "./cel-type.ts";
import type { CelFault } from "./compile-error.ts";
import { compileExpression, functionsOf } from "./compile-expression.ts";
import { mentions, namePathsOf } from "./expression-tree.ts";
import { fieldOfCelName } from "./field-names.ts";

/** Of which form the value of a variable is: a schema, anything, or an object with these fields and no others. */
export type VariableType = StructuralSchema | "any" | DeclaredFields;

/** Fields of which the names are known, and perhaps no more. */
export interface DeclaredFields {
  readonly fields: Readonly<Record<string, VariableType>>;
}

/** An expression that may be evaluated. */
export interface CelExpression {
  readonly text: string;
  /** CEL's name of the type that it has, such as `bool`; `dyn` where that depends on the values. */
  readonly type: string;
  /** The variables that it uses. */
  readonly variables: readonly string[];
  /**
   * What it says of these values, as JSON: a time as RFC 3339, a duration as `90s`, bytes in base64; undefined for an optional that
   * is not there. **Errors**: the evaluator's, as for a key that a value does not have.
   */
  readonly evaluate: (values: Readonly<Record<string, unknown>>) => unknown;
}

/** Variables by name. Immutable. */
export class CelScope {
  readonly #environment: Environment;
  readonly #types: ReadonlyMap<string, CelType>;
  readonly #schemas: ReadonlyMap<string, VariableType>;

  constructor(variables: Readonly<Record<string, VariableType>>, parent?: CelScope) {
    this.#environment = parent === undefined ? createCelEnvironment() : parent.#environment.clone();
    const types = new Map(parent === undefined ? [] : parent.#types);
    for (const [name, schema] of Object.entries(variables)) {
      const type = isSchema(schema) ? declareType(this.#environment, schema, `${name}.type`) : undefined;
      types.set(name, remembering(type ?? dynamicType));
      this.#environment.registerVariable(name, type?.name ?? "dyn");
    }
    this.#types = types;
    this.#schemas = new Map([...(parent === undefined ? [] : parent.#schemas), ...Object.entries(variables)]);
  }

  /** This scope with further variables. */
  with(variables: Readonly<Record<string, VariableType>>): CelScope {
    return new CelScope(variables, this);
  }

  /** The names of the variables. */
  get names(): readonly string[] {
    return [...this.#types.keys()];
  }

  /** The names of the functions. */
  get functions(): readonly string[] {
    return [...functionsOf(this.#environment)];
  }

  /** The fields of what a path such as `spec.backup` leads to; undefined where nothing is declared of it. */
  fieldsOf(path: string): readonly string[] | undefined {
    const [variable = "", ...names] = path.split(/\.\??/).filter((name) => name !== "");
    const type = names.reduce<VariableType | undefined>(fieldTypeOf, this.#schemas.get(variable));
    return type === undefined ? undefined : fieldNamesOf(type);
  }

  /** A field that a variable of known fields does not have. The evaluator takes such a variable for anything. */
  #undeclaredField(ast: ASTNode): CelFault | undefined {
    for (const { variable, names } of namePathsOf(ast)) {
      let type = this.#schemas.get(variable);
      if (type === undefined || isSchema(type)) continue;
      for (const { name, end } of names) {
        const known = type === undefined ? undefined : fieldNamesOf(type);
        if (known === undefined) break;
        type = fieldTypeOf(type, name);
        if (type === undefined) return { text: `undefined field '${name}'`, at: end - name.length - 1 };
      }
    }
    return undefined;
  }

  /** The expression, or what is wrong with it. */
  compile(text: string): CelExpression | { readonly fault: CelFault } {
    const compiled = compileExpression(this.#environment, text, { mixedLiterals: true });
    if ("error" in compiled) return { fault: compiled.fault };
    const fault = this.#undeclaredField(compiled.ast);
    if (fault !== undefined) return { fault };
    const variables = [...this.#types].filter(([name]) => mentions(compiled.ast, name));
    return {
      text,
      type: compiled.type,
      variables: variables.map(([name]) => name),
      evaluate: (values) =>
        toJson(
          compiled.evaluate(
            Object.fromEntries(variables.map(([name, type]) => [name, type.toCel(values[name])])),
          ),
        ),
    };
  }
}

function isSchema(type: VariableType): type is StructuralSchema {
  return type !== "any" && !("fields" in type);
}

/** The names of the fields; undefined where it may have any. */
function fieldNamesOf(type: VariableType): readonly string[] | undefined {
  if (type === "any") return undefined;
  if (!isSchema(type)) return Object.keys(type.fields);
  return type.properties === undefined ? undefined : Object.keys(type.properties);
}

function fieldTypeOf(type: VariableType | undefined, name: string): VariableType | undefined {
  if (type === undefined || type === "any") return type;
  if (!isSchema(type)) return Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
  return propertySchema(type, name) ?? propertySchema(type, fieldOfCelName(name)) ?? additionalSchema(type);
}

/** Objects of a cache are the same in many runs, and many expressions read one. */
function remembering(type: CelType): CelType {
  const known = new WeakMap<object, unknown>();
  return {
    name: type.name,
    toCel: (value) => {
      if (typeof value !== "object" || value === null) return type.toCel(value);
      if (!known.has(value)) known.set(value, type.toCel(value));
      return known.get(value);
    },
  };
}
