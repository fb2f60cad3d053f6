// One kind, three versions of its lifecycle, bakeries in every situation: an operator is replaced by the next one, and by the
// one after, by an older one, and in the middle of it killed. Nothing is lost, stuck, begun anew or done twice.
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../src/ports/system-clock.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import { runOperator } from "../../src/manager/run-operator.ts";
import type { RunOptions } from "../../src/manager/run-options.ts";
import { bakeryOperator, type BakeryVersion } from "../fixtures/upgrade/bakery-operator.ts";
import { BakeryWorks } from "../fixtures/upgrade/bakery-works.ts";
import { answerFrom } from "../fixtures/upgrade/distant-works.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startCommand, type OperatorProcess } from "../support/operator-process.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { outcomeAtFirst, situationOf, situations } from "./upgrade-situations.ts";
import { keptOf, Street } from "./upgrade-street.ts";

/** Bakeries in each situation of the longest street: UPGRADE_EACH=10 makes 228 resources, which take the real API server two minutes. */
const asked = process.env["UPGRADE_EACH"];

const module = join(import.meta.dirname, "../fixtures/upgrade/distant-bakery.ts");

describeOnEachApiServer(
  "an operator's upgrade",
  (server) => {
    const works = new BakeryWorks();
    works.outcomeOf = outcomeAtFirst;
    const streets: Record<string, Street> = {};
    let operator: RunningOperator | undefined;
    let killed: OperatorProcess | undefined;
    /** Milliseconds by which the operators' clock is ahead. */
    let ahead = 0;
    afterEach(async () => {
      ahead = 0;
      await stop();
      await killed?.kill();
    });

    const street = (name: string): Street => {
      const found = streets[name];
      if (found === undefined) throw new Error(`there is no street ${name}`);
      return found;
    };
    async function start(
      version: BakeryVersion,
      served: readonly Street[],
      options: Partial<RunOptions> = {},
    ) {
      await stop();
      operator = await startOperator(bakeryOperator(version, works), server().kubeconfig, {
        installCrds: true,
        namespaces: served.map(({ namespace }) => namespace),
        clock: { ...systemClock, now: () => systemClock.now() + ahead },
        ...options,
      });
      return operator;
    }
    async function stop(): Promise<void> {
      const running = operator;
      operator = undefined;
      await running?.stop();
    }
    /** Each resource of the street is reconciled by a new process, and none of them is written. */
    async function expectQuiet(version: BakeryVersion, served: Street): Promise<void> {
      await stop();
      const before = await served.versions();
      const again = await start(version, [served]);
      await eventually(() => {
        const seen = served.names.filter((name) => again.reconciles(`${served.namespace}/${name}`) > 0);
        expect(seen).toHaveLength(Object.keys(before).length);
      });
      expect(await served.versions()).toEqual(before);
    }

    it("finds bakeries in every situation that the first operator has brought them to", async () => {
      const each = Number(asked ?? "1");
      Object.assign(streets, {
        long: new Street(server().client, works, "long", each),
        direct: new Street(server().client, works, "direct", 1),
        killed: new Street(server().client, works, "killed", 1),
      });
      const all = Object.values(streets);
      await start(1, []);
      await stop();
      await Promise.all(all.map((each) => each.build()));
      await start(1, all);
      await Promise.all(all.map((each) => each.arrived(1, { isAsked: false })));
      await Promise.all(all.map((each) => each.ask()));
      await Promise.all(all.map((each) => each.arrived(1)));
      expect(all.flatMap(({ names }) => names)).toHaveLength((each + 2) * Object.keys(situations).length);
    }, 120_000);

    it("finds their statuses under the names of an earlier version of the library", async () => {
      const long = street("long");
      await stop();
      await long.storeInFormerWords();
      expect(await long.withFormerWords()).toHaveLength(long.names.length);
    });

    it.each([
      [2, 1],
      [3, 2],
    ] as const)(
      "to version %d keeps what was under way",
      async (version, from) => {
        const long = street("long");
        if (version === 2) await long.askMeanwhile();
        const before = new Map((await long.all()).map((each) => [each.metadata.name, keptOf(each)]));
        const started = long.works().length;
        await start(version, [long]);
        const after = await long.arrived(version);
        let added = 0;
        for (const [name, bakery] of after) {
          const { meanwhile, newTasks = 0 } = situationOf(name);
          if (version === 2) added += newTasks;
          if (version === 2 && meanwhile !== undefined) continue;
          expect([name, keptOf(bakery)]).toEqual([name, before.get(name)]);
        }
        await eventually(() => expect(long.works()).toHaveLength(started + added));
        expect(long.works().every(({ starts }) => starts === 1)).toBe(true);
        const cancelled = new Set(
          long.works().flatMap(({ name, cancels }) => (cancels > 0 ? [name.replace(/-.*/, "")] : [])),
        );
        expect(cancelled).toEqual(new Set(["aborting", "leaving"]));
        expect(from).toBe(version - 1);
        expect(await long.withFormerWords()).toEqual([]);
        await expectQuiet(version, long);
      },
      120_000,
    );

    it("reaches what each was asked for once work and time go on, and starts nothing twice", async () => {
      const long = street("long");
      long.finish();
      await start(3, [long]);
      await long.resume();
      ahead = 90 * 60_000;
      await start(3, [long]);
      await long.ended();
      const expected = Object.fromEntries(long.names.map((name) => [name, situationOf(name).works]));
      expect(long.worksByName()).toEqual(expected);
      expect(long.works().every(({ starts }) => starts === 1)).toBe(true);
      await expectQuiet(3, long);
      await long.close();
    }, 120_000);

    it("goes from the first version to the third at once, and back as far as it can", async () => {
      const direct = street("direct");
      const before = new Map((await direct.all()).map((one) => [one.metadata.name, keptOf(one)]));
      const started = direct.works().length;
      await start(3, [direct]);
      for (const [name, bakery] of await direct.arrived(3, { isMeanwhileAsked: false })) {
        expect([name, keptOf(bakery)]).toEqual([name, before.get(name)]);
      }
      expect(direct.works()).toHaveLength(started);

      const states = new Map(
        (await direct.all()).map((one) => [one.metadata.name, one.status?.lifecycle?.state]),
      );
      const older = await start(2, [direct]);
      await eventually(async () => {
        const graphs = new Set((await direct.all()).map(({ status }) => status?.lifecycle?.graph));
        expect(graphs).toEqual(new Set(["bakery@2"]));
      });
      const bakeries = await direct.all();
      expect(bakeries).toHaveLength(direct.names.length);
      for (const { metadata, status } of bakeries) {
        const { name } = metadata;
        const later = states.get(name) ?? "";
        // A word that both versions know is better than nothing; a word that only the later one knows says nothing.
        const isKnown = !/^(Trading|Bakehouse|Stocking:Storing)/.test(later);
        const { state } = status?.lifecycle ?? {};
        expect([name, state]).toEqual([name, isKnown ? later : "HumanIntervention"]);
        const message = findCondition(status?.conditions, "Lifecycle")?.message;
        if (!isKnown) expect(message).toContain("the snapshot is of bakery@3, the lifecycle is bakery@2");
      }
      expect(older.lines.filter(({ level }) => level === "error")).toEqual([]);
      expect(direct.works()).toHaveLength(started);
      expect(direct.works().every(({ starts }) => starts === 1)).toBe(true);
      direct.finish();
      await direct.close();
    }, 120_000);

    it("is done all the same when the operator is killed or cut off in the middle of it, again and again", async () => {
      const served = street("killed");
      await served.askMeanwhile();
      const started = served.works().length;
      const key = await killAtStart(2, served);
      const records = (await served.all()).flatMap(({ status }) =>
        Object.values(status?.lifecycle?.tasks ?? {}),
      );
      expect(records).toContainEqual(expect.objectContaining({ key, phase: "Intended" }));
      let cuts = 0;
      for (const version of [2, 3] as const) {
        for (const reconciles of [1, 6]) cuts += Number(await cutOff(version, served, reconciles));
      }
      expect(cuts).toBe(4);
      await start(3, [served]);
      await served.arrived(3);
      const added = served.names.reduce((sum, name) => sum + (situationOf(name).newTasks ?? 0), 0);
      expect(served.works()).toHaveLength(started + added);
      expect(served.works().every(({ starts }) => starts === 1)).toBe(true);
      await expectQuiet(3, served);
      served.finish();
      await served.resume();
      await served.close();
    }, 120_000);

    /**
     * Runs an operator as a process until it starts a task, and kills it then: the work has begun, and nobody has recorded it.
     * Returns the key.
     */
    async function killAtStart(version: BakeryVersion, served: Street): Promise<string> {
      await stop();
      const cluster = [
        "--kubeconfig",
        server().kubeconfig,
        "--namespace",
        served.namespace,
        "--install-crds",
      ];
      const running = startCommand(["run", module, ...cluster], {
        env: { BAKERY_VERSION: String(version) },
        messages: true,
      });
      killed = running;
      const started = Promise.withResolvers<string>();
      answerFrom(works, running.child, started.resolve);
      void running.exit.then(() => started.reject(new Error(`it has ended by itself: ${running.output()}`)));
      const key = await started.promise;
      await running.kill();
      return key;
    }

    /** Runs an operator until so many reconciles have begun, then gives those under way no time to end. True: it was cut off. */
    async function cutOff(version: BakeryVersion, served: Street, reconciles: number): Promise<boolean> {
      await stop();
      const end = new AbortController();
      let begun = 0;
      const count = (_fields: unknown, message: string): void => {
        if (message === "reconcile starts" && (begun += 1) >= reconciles) end.abort();
      };
      const log: Logger = { child: () => log, debug: count, info: count, warn: count, error: count };
      const run = runOperator(bakeryOperator(version, works), {
        connection: { kubeconfig: server().kubeconfig },
        namespaces: [served.namespace],
        installCrds: true,
        env: {},
        log,
        signal: end.signal,
        drainTimeout: "1ms",
      });
      await run.catch((error: unknown) => {
        if (!isOperatorError(error, "DRAIN_TIMEOUT")) throw error;
      });
      return begun >= reconciles;
    }
  },
  { long: true },
);
