// Checks of the options that a kind's lifecycle takes beside its machine: first their form, then what they say about states
// and versions of this machine.
import { meantBy } from "../../ports/misspelling.ts";
import type { Lifecycle, LifecycleOptions } from "../graph/compile-lifecycle.ts";
import { compareVersions } from "../graph/migrate.ts";
import { optionProblems } from "../../options/option-problems.ts";
import { callable, either, oneOf, optionsOf, recordOf, text, whole } from "../../options/option-schemas.ts";
import type { Problem } from "../../ports/problem.ts";
import { renamedPath } from "../graph/rename.ts";

/** Bytes: a status must have room for a state with its target, and fit into an object that the API server stores. */
const smallestBudget = 1_024;
const largestBudget = 524_288;

const migrations = either(callable, recordOf(callable), {
  expected: "a function, or an object of functions by version",
  remedy: 'Write { "1": (old) => …  }, or (old, from) => … for all versions.',
});

/** The form of each option. */
export const lifecycleShape = {
  migrate: migrations.optional(),
  renames: recordOf(text).optional(),
  defaultDesiredState: text.optional(),
  specEdits: oneOf("queue", "coalesce", "restart").optional(),
  snapshotBudget: whole(smallestBudget, largestBudget, "bytes").optional(),
};

/** The form of them together. */
export const lifecycleOptions = optionsOf<LifecycleOptions>()(lifecycleShape);

/** What is wrong with the options of a lifecycle. */
export function checkOptions(lifecycle: Lifecycle, options: LifecycleOptions): readonly Problem[] {
  const wrong = optionProblems(lifecycleOptions, options, "the lifecycle");
  if (wrong.length > 0) return wrong;
  return [
    ...checkDefaultDesiredState(lifecycle, options.defaultDesiredState),
    ...checkRenames(lifecycle, options.renames ?? {}),
    ...checkMigrations(lifecycle, options.migrate),
  ];
}

function checkDefaultDesiredState({ states, desirable }: Lifecycle, target: string | undefined): Problem[] {
  if (target === undefined || desirable.includes(target)) return [];
  const isState = states.includes(target);
  const meant = meantBy(target, desirable);
  return [
    {
      code: isState ? "TARGET_IMPOSSIBLE" : "STATE_UNKNOWN",
      severity: "error",
      option: "defaultDesiredState",
      message: isState
        ? `defaultDesiredState is ${target}, which cannot be desired: it is left by itself, and no edge "desired.${target}" leads there`
        : `defaultDesiredState is "${target}", and there is no state with that name`,
      remedy: `${meant === undefined ? "Name" : `Did you mean ${meant}? Name`} one of ${desirable.join(", ")}.`,
    },
  ];
}

function checkRenames({ index, states }: Lifecycle, renames: Readonly<Record<string, string>>): Problem[] {
  return Object.entries(renames).flatMap(([from, to]): Problem[] => {
    const option = `renames.${from}`;
    if (!index.nodes.has(renamedPath(index, renames, from))) {
      const meant = meantBy(to, states);
      return [
        {
          code: "STATE_UNKNOWN",
          severity: "error",
          option,
          message: `renames says that ${from} is now "${to}", and there is no state with that name`,
          remedy: `${meant === undefined ? "Name" : `Did you mean ${meant}? Name`} one of ${states.join(", ")}.`,
        },
      ];
    }
    if (!index.nodes.has(from)) return [];
    return [
      {
        code: "RENAME_OF_PRESENT",
        severity: "warning",
        option,
        state: from,
        message: `renames says that ${from} is now ${to}, and there still is a state ${from}: what an earlier version stored leads to ${to}, a target for ${from} to the present one`,
        remedy: `Leave the entry out, unless ${from} is a new state that has taken the name of an old one.`,
      },
    ];
  });
}

function checkMigrations({ version, id }: Lifecycle, migrate: LifecycleOptions["migrate"]): Problem[] {
  if (migrate === undefined || typeof migrate === "function") return [];
  const listed = Object.keys(migrate);
  const unused = listed
    .filter((each) => each === version)
    .map((each): Problem => ({
      code: "MIGRATION_UNUSED",
      severity: "warning",
      option: `migrate.${each}`,
      message: `migrate has a function for version ${each}, which is the present one of "${id}": it is never called`,
      remedy: "Put each function under the version that it reads, not under the one that it writes.",
    }));
  const missing = missingVersions(listed, version).map((each): Problem => ({
    code: "MIGRATION_MISSING",
    severity: "warning",
    option: "migrate",
    message: `migrate reads version ${listed.toSorted(compareVersions)[0]} of "${id}", and not ${each}: the state of a resource with a snapshot of that version is derived from what is observed`,
    remedy: `Add a function for "${each}", unless that version was never run.`,
  }));
  return [...unused, ...missing];
}

/** Of versions that are counted 1, 2, 3: those between the first listed and the present one that are not listed. */
function missingVersions(listed: readonly string[], present: string): string[] {
  const numbers = [...listed, present].map((version) => (/^\d{1,4}$/.test(version) ? Number(version) : NaN));
  const [first, last] = [Math.min(...numbers), Number(present)];
  if (Number.isNaN(first) || listed.length === 0) return [];
  const between = Array.from({ length: Math.max(0, last - first) }, (_, count) => first + count);
  return between.map(String).filter((version) => !listed.includes(version));
}
