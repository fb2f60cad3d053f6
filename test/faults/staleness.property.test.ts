// Random interleavings of edits, deletions, late, repeated and cut watches, relists, late answers and refused writes, on a
// whole controller: nothing is missed, nothing is done twice, and in the end nothing is written any more.
import { asyncProperty, assert, array, constantFrom, integer, oneof, record, constant } from "fast-check";
import { describe, expect, it } from "vitest";
import { isNotFound } from "../../src/client/api-error.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { FaultyController, namespace, Widget } from "./support/faulty-controller.ts";

const numRuns = Number(process.env["STALENESS_RUNS"] ?? 60);
const seed = process.env["STALENESS_SEED"];

const step = oneof(
  { weight: 4, arbitrary: record({ kind: constant("edit" as const), size: integer({ min: 1, max: 9 }) }) },
  {
    weight: 3,
    arbitrary: record({
      kind: constantFrom("hold" as const, "release" as const),
      plural: constantFrom("widgets", "configmaps"),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      kind: constant("pass" as const),
      milliseconds: constantFrom(0, 1, 50, 700, 1_500, 8_000, 80_000),
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      kind: constantFrom("cut" as const, "compact" as const, "repeat" as const, "once" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: record({ kind: constant("late" as const), milliseconds: constantFrom(0, 300, 3_000) }),
  },
  {
    weight: 2,
    arbitrary: record({
      kind: constantFrom("409" as const, "503" as const, "foreignStatus" as const, "look" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      kind: constantFrom("deleteChild" as const, "editChild" as const, "delete" as const, "create" as const),
    }),
  },
);
type Step = typeof step extends { generate: (...args: never[]) => { value: infer T } } ? T : never;

const name = "a";
const key = { name, namespace };

/** What a run must never do, noted as it happens. */
class Witness {
  readonly complaints: string[] = [];
  /** By uid: the newest state that a run has seen. */
  readonly #newest = new Map<string, number>();

  sees({ metadata: { uid, resourceVersion } }: Widget): void {
    const version = Number(resourceVersion);
    const before = this.#newest.get(uid) ?? 0;
    if (version < before) this.complaints.push(`saw ${uid}@${version} after @${before}`);
    this.#newest.set(uid, Math.max(version, before));
  }

  written({ metadata: { uid, resourceVersion } }: Widget): void {
    this.#newest.set(uid, Math.max(Number(resourceVersion), this.#newest.get(uid) ?? 0));
  }
}

async function live(plan: readonly Step[]): Promise<void> {
  const witness = new Witness();
  const cleaned = new Set<string>();
  const running = await FaultyController.start({
    steps: {
      CRChecker: ({ cr }) => witness.sees(cr),
      Updater: async ({ cr, client, owned }) => {
        if (owned(ConfigMap).length > 0) return;
        const mine = (await running.children()).filter(
          ({ metadata }) => metadata.ownerReferences?.[0]?.uid === cr.metadata.uid,
        );
        if (mine.length > 0) witness.complaints.push(`made a second child of ${cr.metadata.uid}`);
        await client.create(ConfigMap, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: {
            namespace,
            generateName: "a-",
            ownerReferences: [
              { apiVersion: cr.apiVersion, kind: cr.kind, name, uid: cr.metadata.uid, controller: true },
            ],
          } as never,
        });
      },
      SuccessManager: ({ cr }) => ({ seen: cr.spec.size }),
      CRFinalizer: ({ cr }) => {
        witness.sees(cr);
        cleaned.add(cr.metadata.uid);
      },
    },
  });
  const { clock, faults, person, server } = running;
  const made = new Set<string>();
  const ifThere = async (act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  const create = async (): Promise<void> => {
    try {
      made.add((await running.create(name)).metadata.uid);
    } catch {
      // It is there already.
    }
  };
  const child = async (): Promise<ConfigMap | undefined> => (await running.children())[0];
  await create();
  for (const each of plan) {
    switch (each.kind) {
      case "edit":
        await ifThere(() => running.edit(name, { spec: { size: each.size } }));
        break;
      case "hold":
        faults.hold(each.plural);
        break;
      case "release":
        faults.release(each.plural);
        break;
      case "pass":
        await clock.advance(each.milliseconds);
        break;
      case "cut":
        faults.cut();
        break;
      case "compact":
        server.core.store.compact();
        faults.cut();
        break;
      case "repeat":
        faults.repeats = true;
        break;
      case "once":
        faults.repeats = false;
        break;
      case "late":
        faults.lateness = each.milliseconds;
        break;
      case "409":
        faults.refuse(409, "Conflict");
        break;
      case "503":
        faults.refuse(503, "ServiceUnavailable");
        break;
      case "foreignStatus":
        await ifThere(() => running.edit(name, { status: { seen: -1 } }, "status"));
        break;
      case "look":
        running.controller.queue.add(`${namespace}/${name}`);
        break;
      case "deleteChild": {
        const found = await child();
        if (found !== undefined) await person.delete(ConfigMap, found.metadata);
        break;
      }
      case "editChild": {
        const found = await child();
        if (found !== undefined) {
          await person.patch(ConfigMap, found.metadata, {
            type: "merge",
            body: { data: { by: "somebody" } },
          });
        }
        break;
      }
      case "delete":
        await ifThere(() => person.delete(Widget, key));
        break;
      case "create":
        await create();
        break;
    }
  }
  faults.release("widgets");
  faults.release("configmaps");
  faults.lateness = 0;
  await clock.advance(600_000);
  expect(witness.complaints).toEqual([]);
  const left = await person.get(Widget, key).catch(() => undefined);
  if (left !== undefined) {
    expect(left.metadata.deletionTimestamp).toBeUndefined();
    expect(left.status).toMatchObject({ seen: left.spec.size });
    const children = (await running.children()).filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.uid === left.metadata.uid,
    );
    expect(children).toHaveLength(1);
  }
  // Everything that is gone was cleaned up, if it ever had the chance to ask for it.
  const before = faults.writes.length;
  await clock.advance(3_600_000);
  expect(faults.writes.length).toBe(before);
  await running.stop();
  expect(clock.pendingTimers).toBeLessThan(5);
}

describe("a controller whose view of the cluster is late", () => {
  it(
    "misses nothing, does nothing twice, never goes back in time, and comes to rest",
    { timeout: 120_000 },
    async () => {
      await assert(asyncProperty(array(step, { minLength: 1, maxLength: 25 }), live), {
        numRuns,
        ...(seed === undefined ? {} : { seed: Number(seed) }),
      });
    },
  );
});
