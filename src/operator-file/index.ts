/**
 * Operators that are files, without code.
 *
 * @module xstate-operator/operator-file
 */
export { readOperator } from "./parts/read-operator.ts";
export {
  lifecycleExpressions,
  openApi,
  openApiField,
  writtenConversion,
  writtenParts,
  type LifecycleExpressions,
  type PartsForm,
} from "./typescript/written-parts.ts";
