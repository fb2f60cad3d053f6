// From a snapshot of an older graph to the present one, by the author's functions, one version after the other.
// Compiled by compile-lifecycle.ts, called by restore.ts; what comes out is untrusted.
import type { Json } from "../../meta/object.ts";
import { readFields, readText } from "../values/untrusted.ts";

/** What a migration is given and returns: the snapshot's portable part. */
export interface MigratedSnapshot {
  /** The active states: paths joined by commas. */
  readonly value: string;
  /** What the machine remembers, in its new form. */
  readonly context: Readonly<Record<string, Json>>;
}

/**
 * How snapshots of other versions are read.
 *
 * As a record, each function stands under the version it reads and writes the next listed one, the last of them the present
 * one: a new version adds its entry and leaves the others alone. Versions are ordered as people count: `1.9`, `1.10`, `2`.
 * As one function it is given the version and leads to the present one in one step; undefined for a version that it cannot migrate.
 */
export type Migrations =
  | Readonly<Record<string, (old: MigratedSnapshot) => MigratedSnapshot>>
  | ((old: MigratedSnapshot, from: string) => MigratedSnapshot | undefined);

/** From this version to the present one; undefined where no migration is known. Throws what the author's functions throw. */
export type CompiledMigration = (old: MigratedSnapshot, from: string) => unknown;

/** Makes one function of all. */
export function compileMigration(migrate: Migrations | undefined, present: string): CompiledMigration {
  if (migrate === undefined) return () => undefined;
  if (typeof migrate === "function") return migrate;
  return (old, from) => {
    if (!Object.hasOwn(migrate, from)) return undefined;
    let snapshot: unknown = old;
    for (const version of migrationPath(Object.keys(migrate), from, present)) {
      const { value, context } = readFields(snapshot) ?? {};
      // What one function has spoilt the next is not given; the caller reports what it is.
      if (readText(value) === undefined || readFields(context) === undefined) return snapshot;
      snapshot = migrate[version]?.(snapshot as MigratedSnapshot);
    }
    return snapshot;
  };
}

/** The versions whose functions are called, in order; backwards when the snapshot is of a later version. */
export function migrationPath(listed: readonly string[], from: string, present: string): readonly string[] {
  const back = compareVersions(from, present) > 0;
  const between = listed.filter((version) =>
    back
      ? compareVersions(version, from) <= 0 && compareVersions(version, present) > 0
      : compareVersions(version, from) >= 0 && compareVersions(version, present) < 0,
  );
  const path = between.toSorted(compareVersions);
  return back ? path.reverse() : path;
}

/** As people count: the numbers in it as numbers, the rest as text. */
export function compareVersions(a: string, b: string): number {
  return order.compare(a, b);
}

const order = new Intl.Collator("en", { numeric: true });
