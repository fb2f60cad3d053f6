// From a path that the user typed to the operator that the module declares.
import { isOperator, type OperatorDefinition } from "../controller/declaration/define-operator.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { loadModule } from "./load-module.ts";

/**
 * The operator that a module default-exports.
 *
 * **Errors**: those of `loadModule`; `OPERATOR_MISSING` when its default export is not an operator.
 */
export async function loadOperator(path: string): Promise<OperatorDefinition> {
  const { file, exports } = await loadModule(path);
  const operator = exports["default"];
  if (isOperator(operator)) return operator;
  const named = Object.keys(exports).find((name) => isOperator(exports[name]));
  throw new OperatorError(
    "OPERATOR_MISSING",
    operator === undefined
      ? `${file} has no default export`
      : `the default export of ${file} is not an operator`,
    {
      remedy:
        named === undefined
          ? "Write `export default defineOperator({ … })`."
          : `It exports an operator as "${named}"; write \`export default ${named}\`.`,
    },
  );
}
