// Types whose changes reconcile the resource that an expression names.
import type { Watched } from "../../controller/declaration/controller-options.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { KubeObject } from "../../meta/object.ts";
import { isOperatorError } from "../../ports/operator-error.ts";
import { CelScope } from "../../schema/cel/cel-scope.ts";
import type { WatchForm } from "../form/file-form.ts";
import type { KnownTypes } from "./known-types.ts";
import { compileCondition, compileName, inside, type TemplatePlace } from "../expressions/template.ts";

const scope = new CelScope({ object: "any" });

/** Reads an entry of `watches`; what is wrong is reported. */
export function readWatch(form: WatchForm, place: TemplatePlace, types: KnownTypes): Watched | undefined {
  const type = types.at(form.apiVersion, form.kind, place);
  const here = { ...place, scope };
  const when = form.when === undefined ? undefined : compileCondition(form.when, inside(here, "when"));
  const name = compileName(form.name, inside(here, "name"));
  const namespace =
    form.namespace === undefined ? undefined : compileName(form.namespace, inside(here, "namespace"));
  if (type === undefined) return undefined;
  return {
    type,
    mapTo: (object: KubeObject): readonly ObjectKey[] => {
      try {
        const values = { object };
        if (when?.(values) === false) return [];
        const where = namespace?.(values) ?? object.metadata.namespace;
        return [where === undefined ? { name: name(values) } : { namespace: where, name: name(values) }];
      } catch (error: unknown) {
        // An object without the label that names its owner has none.
        if (isOperatorError(error, "EXPRESSION_FAILED")) return [];
        throw error;
      }
    },
  };
}
