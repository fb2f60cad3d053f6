// A database's life in each of its situations, as stored, and whatever else could be stored instead: shared by the tests of
// what is restored.
import type { CycleInput } from "../../src/lifecycle/cycle-plan.ts";
import { databaseLifecycle } from "./database-lifecycle.ts";
import { Life } from "./life.ts";

/** A life in each of its situations, as stored by the API server. */
export function situations(): readonly (readonly [string, CycleInput])[] {
  const life = new Life(databaseLifecycle, { policies: { backUp: { attempts: 3, timeout: 7_200_000 } } });
  const taken: [string, CycleInput][] = [];
  const take = (name: string): void => {
    taken.push([name, { ...life.input(), reports: [] }]);
  };
  life.observed = "Running";
  life.cycle();
  take("starting");
  life.settle();
  take("running");
  life.ask("Servicing", "nightly");
  life.cycle();
  take("intended");
  life.settle();
  take("serviced");
  life.finish({ phase: "Running", progress: 0.42, message: "copying" });
  life.settle();
  take("progressed");
  life.finish({ phase: "Failed", message: "disk full" });
  life.cycle();
  take("retrying");
  life.pass("10m");
  life.settle();
  life.finish();
  life.settle();
  take("reached");
  life.ask("Servicing", "again");
  life.settle();
  life.send("abort");
  life.settle();
  take("aborted");
  return taken;
}

/** Every single-field mutation of a JSON value. */
export function* mutations(value: unknown): Generator {
  const poisons: readonly unknown[] = [
    null,
    0,
    -1,
    1e308,
    true,
    "",
    "Servicing",
    "#database.Servicing",
    "__proto__",
    "constructor",
    "2999-01-01T00:00:00.000Z",
    {},
    [],
    { Running: {}, Servicing: {} },
    { xstate$$type: 1, id: "backup" },
  ];
  yield* poisons;
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const { [name]: _dropped, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const mutated of mutations(inner)) yield { ...value, [name]: mutated };
  }
}
