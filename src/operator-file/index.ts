// The public entry `xstate-operator/operator-file`: operators that are files, without code.
export { readOperator } from "./read-operator.ts";
