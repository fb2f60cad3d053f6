// The public entry of the library: sectioned, named exports and nothing else.
export type { Condition } from "./meta/condition.ts";
