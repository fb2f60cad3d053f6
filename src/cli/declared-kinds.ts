// The kinds that a module declares: those of its operator, or of the controllers and kinds it exports itself.
import { isController } from "../controller/declaration/define-controller.ts";
import { isOperator } from "../controller/declaration/define-operator.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { isKind } from "../kinds/is-kind.ts";
import type { KubeObject } from "../meta/object.ts";
import { resourceNameOf } from "../meta/resource-type.ts";
import { OperatorError } from "../ports/operator-error.ts";
import type { LoadedModule } from "./load-module.ts";

/** The kinds of a module, each once. Errors: `KIND_MISSING` when there is none. */
export function declaredKinds(module: LoadedModule): readonly Kind<KubeObject>[] {
  const kinds = new Map<string, Kind<KubeObject>>();
  for (const value of Object.values(module.exports)) {
    const found = isOperator(value)
      ? value.controllers.map(({ kind }) => kind)
      : [isController(value) ? value.kind : value];
    for (const kind of found.filter(isKind)) kinds.set(`${resourceNameOf(kind)}/${kind.version}`, kind);
  }
  if (kinds.size > 0) return [...kinds.values()];
  throw new OperatorError("KIND_MISSING", `${module.file} declares no kind`, {
    remedy:
      "Name a module that default-exports an operator (defineOperator), or exports a kind (defineKind) or a controller (defineController).",
  });
}
