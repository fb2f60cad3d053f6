// Semantic versions in CEL.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-semver-library
import type { Environment } from "@marcbachmann/cel-js";

const pattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/** A semantic version; build metadata does not count. */
class Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

/** Adds semver, isSemver and the methods of versions. */
export function registerSemverFunctions(environment: Environment): void {
  environment.registerType("kubernetes.Semver", Semver);
  environment.registerOperator(
    "kubernetes.Semver == kubernetes.Semver",
    (left: Semver, right: Semver) => compare(left, right) === 0,
  );
  const parse = (text: string): Semver => {
    const version = read(text);
    if (version === undefined) throw new Error("No Major.Minor.Patch elements found");
    return version;
  };
  environment.registerFunction("isSemver(string): bool", (text: string) => read(text) !== undefined);
  environment.registerFunction(
    "isSemver(string, bool): bool",
    (text: string, isLoose: boolean) => read(isLoose ? normalized(text) : text) !== undefined,
  );
  environment.registerFunction("semver(string): kubernetes.Semver", parse);
  environment.registerFunction("semver(string, bool): kubernetes.Semver", (text: string, isLoose: boolean) =>
    parse(isLoose ? normalized(text) : text),
  );
  for (const [index, name] of ["major", "minor", "patch"].entries()) {
    environment.registerFunction(
      `kubernetes.Semver.${name}(): int`,
      (self: Semver) => self.numbers[index] ?? 0n,
    );
  }
  const decide = (signature: string, run: (order: number) => unknown): void => {
    environment.registerFunction(`kubernetes.Semver.${signature}`, (self: Semver, other: Semver) =>
      run(compare(self, other)),
    );
  };
  decide("isGreaterThan(kubernetes.Semver): bool", (order) => order > 0);
  decide("isLessThan(kubernetes.Semver): bool", (order) => order < 0);
  decide("compareTo(kubernetes.Semver): int", (order) => BigInt(order));
}

/** As people write versions: with a `v`, with leading zeros, without the last numbers. */
function normalized(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([\d.]*)(.*)$/.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  const missing = rest === "" ? ["0", "0"].slice(parts.length - 1) : [];
  return `${[...parts, ...missing].join(".")}${rest}`;
}

function read(text: string): Semver | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, major = "0", minor = "0", patch = "0", prerelease] = match;
  return new Semver([BigInt(major), BigInt(minor), BigInt(patch)], prerelease?.split(".") ?? []);
}

function compare(left: Semver, right: Semver): -1 | 0 | 1 {
  for (const [index, mine] of left.numbers.entries()) {
    const theirs = right.numbers[index] ?? 0n;
    if (mine !== theirs) return mine < theirs ? -1 : 1;
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return sign(right.prerelease.length - left.prerelease.length);
  }
  for (const [index, mine] of left.prerelease.entries()) {
    const theirs = right.prerelease[index];
    if (theirs === undefined) return 1;
    if (mine !== theirs) return comparePart(mine, theirs);
  }
  return sign(left.prerelease.length - right.prerelease.length);
}

function comparePart(left: string, right: string): -1 | 1 {
  const [mine, theirs] = [left, right].map((part) => /^\d+$/.test(part));
  if (mine === true && theirs === true) return BigInt(left) < BigInt(right) ? -1 : 1;
  if (mine !== theirs) return mine === true ? -1 : 1;
  return left < right ? -1 : 1;
}

function sign(difference: number): -1 | 0 | 1 {
  return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}
