// Kubernetes' CEL functions on lists, and cel-go's on sets.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
import { celEqual } from "./cel-equality.ts";
import type { Environment } from "@marcbachmann/cel-js";

type Comparable = string | number | bigint | boolean | Date;

/** The namespace `sets`. */
class Sets {
  contains(list: readonly unknown[], items: readonly unknown[]): boolean {
    return items.every((item) => list.some((each) => celEqual(each, item)));
  }
  equivalent(left: readonly unknown[], right: readonly unknown[]): boolean {
    return this.contains(left, right) && this.contains(right, left);
  }
  intersects(left: readonly unknown[], right: readonly unknown[]): boolean {
    return left.some((each) => right.some((other) => celEqual(each, other)));
  }
}

const comparables = [
  "int",
  "double",
  "string",
  "bool",
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
];

/** Adds sum, min, max, isSorted, indexOf, lastIndexOf and the functions of `sets`. */
export function registerListFunctions(environment: Environment): void {
  environment.registerFunction("list<int>.sum(): int", (list: bigint[]) =>
    list.reduce((sum, each) => sum + each, 0n),
  );
  environment.registerFunction("list<double>.sum(): double", (list: number[]) =>
    list.reduce((sum, each) => sum + each, 0),
  );
  for (const type of comparables) {
    environment.registerFunction(`list<${type}>.min(): ${type}`, (list: Comparable[]) =>
      extreme("min", list),
    );
    environment.registerFunction(`list<${type}>.max(): ${type}`, (list: Comparable[]) =>
      extreme("max", list),
    );
    environment.registerFunction(`list<${type}>.isSorted(): bool`, isSorted);
  }
  environment.registerFunction("list<A>.indexOf(A): int", (list: unknown[], item: unknown) =>
    BigInt(list.findIndex((each) => celEqual(each, item))),
  );
  environment.registerFunction("list<A>.lastIndexOf(A): int", (list: unknown[], item: unknown) =>
    BigInt(list.findLastIndex((each) => celEqual(each, item))),
  );
  environment.registerType("kubernetes.Sets", Sets);
  environment.registerConstant("sets", "kubernetes.Sets", new Sets());
  for (const name of ["contains", "equivalent", "intersects"] as const) {
    environment.registerFunction(
      `kubernetes.Sets.${name}(list<A>, list<A>): bool`,
      (sets: Sets, left: unknown[], right: unknown[]) => sets[name](left, right),
    );
  }
}

function extreme(which: "min" | "max", list: readonly Comparable[]): Comparable {
  const [first] = list;
  if (first === undefined) throw new Error(`${which} called on empty list`);
  return list.reduce((best, each) => ((which === "min" ? each < best : each > best) ? each : best), first);
}

function isSorted(list: readonly Comparable[]): boolean {
  return list.every((each, index) => {
    const before = list[index - 1];
    return before === undefined || before <= each;
  });
}
