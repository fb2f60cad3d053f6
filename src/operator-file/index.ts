/**
 * Operators that are files, without code.
 *
 * @module xstate-operator/operator-file
 */
export { readOperator } from "./read-operator.ts";
