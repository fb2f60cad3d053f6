// A street of bakeries, some in every situation, in one namespace of an API server: what the upgrade's tests do with it and
// read from it.
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { humanEventAnnotation } from "../../src/lifecycle/human-event-annotation.ts";
import type { KubeClient } from "../../src/client/index.ts";
import { Namespace } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { InstanceOf } from "../../src/kinds/define-kind.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import type { TaskRecord } from "../../src/lifecycle/tasks/task-record.ts";
import { inFormerWords } from "../lifecycle/former-status.ts";
import { BakeryV1 } from "../fixtures/upgrade/bakery-v1.ts";
import type { BakeryVersion } from "../fixtures/upgrade/bakery-operator.ts";
import type { BakeryWorks, Work } from "../fixtures/upgrade/bakery-works.ts";
import { eventually } from "../support/eventually.ts";
import { situationOf, situations, type Situation } from "./upgrade-situations.ts";

type Bakery = InstanceOf<typeof BakeryV1>;

/** What an upgrade must not change. */
export interface Kept {
  readonly since: string | undefined;
  /** Instants of the timers, in order. */
  readonly due: readonly string[];
  /** Key, attempt, instants of the tasks, in order. */
  readonly tasks: readonly unknown[];
  readonly loaves: unknown;
}

/** The bakeries of one namespace. */
export class Street {
  readonly namespace: string;
  readonly names: readonly string[];
  readonly #client: KubeClient;
  readonly #works: BakeryWorks;

  constructor(client: KubeClient, works: BakeryWorks, namespace: string, each: number) {
    this.namespace = namespace;
    this.#client = client;
    this.#works = works;
    this.names = Object.keys(situations).flatMap((name) =>
      Array.from({ length: each }, (_, at) => `${name}-${namespace}${at}`),
    );
  }

  async build(): Promise<void> {
    const metadata = { name: this.namespace };
    await this.#client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
    await this.#forEach(async (name) => {
      const { lit = true, target } = situationOf(name).spec ?? {};
      await this.#client.create(BakeryV1, {
        apiVersion: `${BakeryV1.group}/${BakeryV1.version}`,
        kind: BakeryV1.kind,
        metadata: this.#keyOf(name),
        spec: { lit, ...(target === undefined ? {} : { lifecycle: { desiredState: target } }) },
      });
    });
  }

  /** Asks what each situation asks once it has come about. */
  async ask(): Promise<void> {
    await this.#forEach(async (name, { asks }) => {
      if (asks === "pause") await this.send(name, "pause");
      if (asks === "delete") await this.delete(name);
    });
  }

  /** Asks what each situation asks while no operator runs. */
  async askMeanwhile(): Promise<void> {
    await this.#forEach(async (name, { meanwhile }) => {
      if (meanwhile === "delete") await this.delete(name);
      else if (meanwhile === "abort") await this.send(name, "abort");
      else if (meanwhile !== undefined) await this.target(name, meanwhile.target);
    });
  }

  /** Stores every status as an earlier version of the library would have, while no operator runs. */
  async storeInFormerWords(): Promise<void> {
    for (const { metadata, status } of await this.all()) {
      const stored = status?.lifecycle as LifecycleStatus | undefined;
      if (stored === undefined) continue;
      const lifecycle = { target: null, ...inFormerWords(stored) };
      const body = { status: { lifecycle } } as never;
      const written = await this.#client.patch(
        BakeryV1,
        this.#keyOf(metadata.name),
        { type: "merge", body },
        { subresource: "status" },
      );
      expect(written.status?.lifecycle).toMatchObject({ wish: { state: stored.target.state } });
      expect(written.status?.lifecycle).not.toHaveProperty("target");
    }
  }

  /** The bakeries of which something is still stored under a former name. */
  async withFormerWords(): Promise<readonly string[]> {
    const formers = (await this.all()).filter(({ status }) =>
      /"(?:wish|told|fulfilled)":/.test(JSON.stringify(status?.lifecycle ?? {})),
    );
    return formers.map(({ metadata }) => metadata.name);
  }

  async resume(): Promise<void> {
    await this.#forEach(async (name, { asks }) => {
      if (asks === "pause") await this.send(name, "resume");
    });
    await eventually(async () => {
      const paused = (await this.all()).filter(({ status }) => status?.lifecycle?.paused !== undefined);
      expect(paused.map(({ metadata }) => metadata.name)).toEqual([]);
    });
  }

  /** Waits until each bakery is where its situation says; returns them by name. */
  arrived(
    version: BakeryVersion,
    given: { readonly isAsked?: boolean; readonly isMeanwhileAsked?: boolean } = {},
  ): Promise<ReadonlyMap<string, Bakery>> {
    const { isAsked = true, isMeanwhileAsked = true } = given;
    const expected = Object.fromEntries(
      this.names.map((name) => {
        const { asks, meanwhile, ...situation } = situationOf(name);
        const states =
          meanwhile !== undefined && !isMeanwhileAsked ? unasked(situation.states[0]) : situation.states;
        const isPaused = isAsked && asks === "pause";
        const state = asks === "delete" && !isAsked ? "Open" : states[version - 1];
        return [name, [state, `bakery@${version}`, isPaused ? "paused" : "works"].join(" ")];
      }),
    );
    return this.#are(expected, ({ metadata, status }) =>
      [
        status?.lifecycle?.state,
        status?.lifecycle?.graph,
        isUnrecorded(situationOf(metadata.name), recordOf(status).tasks)
          ? "starts"
          : status?.lifecycle?.paused === undefined
            ? "works"
            : "paused",
      ].join(" "),
    );
  }

  /** All work of this street is done, and so is what is started from now on. */
  finish(): void {
    this.#works.finish(new Set(this.names));
  }

  /** Waits until each bakery is at its end, or gone. */
  async ended(): Promise<void> {
    const expected = Object.fromEntries(
      this.names.flatMap((name) => {
        const { end, isUnfulfilled = false } = situationOf(name);
        return end === undefined ? [] : [[name, `${end} ${isUnfulfilled ? "False" : "True"}`]];
      }),
    );
    await this.#are(expected, ({ status }) => {
      const { reason, status: is } = findCondition(status?.conditions, "Lifecycle") ?? {};
      return `${reason} ${is}`;
    });
  }

  async #are(expected: Readonly<Record<string, string>>, show: (bakery: Bakery) => string) {
    return eventually(async () => {
      const bakeries = await this.all();
      const found = Object.fromEntries(bakeries.map((bakery) => [bakery.metadata.name, show(bakery)]));
      if (!isDeepStrictEqual(found, expected)) {
        const wrong = Object.keys({ ...found, ...expected }).filter((name) => found[name] !== expected[name]);
        const lines = wrong.slice(0, 12).map((name) => `${name}: ${expected[name]}, found ${found[name]}`);
        throw new Error(`${wrong.length} of ${this.names.length} are elsewhere\n${lines.join("\n")}`);
      }
      return new Map(bakeries.map((bakery) => [bakery.metadata.name, bakery]));
    }, 50_000);
  }

  async all(): Promise<readonly Bakery[]> {
    const { items } = await this.#client.list(BakeryV1, { namespace: this.namespace });
    return items;
  }

  /** What shows every write. */
  async versions(): Promise<Readonly<Record<string, string>>> {
    const bakeries = await this.all();
    return Object.fromEntries(
      bakeries.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? ""]),
    );
  }

  send(name: string, event: string): Promise<unknown> {
    return this.#patch(name, { metadata: { annotations: { [humanEventAnnotation]: event } } });
  }

  target(name: string, desiredState: string): Promise<unknown> {
    return this.#patch(name, { spec: { lifecycle: { desiredState } } });
  }

  delete(name: string): Promise<unknown> {
    return this.#client.delete(BakeryV1, this.#keyOf(name), { propagationPolicy: "Background" });
  }

  /** Deletes all that are left, and waits until they are gone. */
  async close(): Promise<void> {
    await Promise.all((await this.all()).map(({ metadata }) => this.delete(metadata.name)));
    await eventually(async () => {
      const left = (await this.all()).map(
        ({ metadata, status }) =>
          `${metadata.name}: ${findCondition(status?.conditions, "Lifecycle")?.message ?? ""}`,
      );
      expect(left).toEqual([]);
    }, 60_000);
  }

  /** All work that was started for this street's bakeries. */
  works(): readonly Work[] {
    const names = new Set(this.names);
    return [...this.#works.works.values()].filter(({ name }) => names.has(name));
  }

  /** How much was started for each bakery, by the task's name. */
  worksByName(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    const counts: Record<string, Record<string, number>> = {};
    for (const name of this.names) counts[name] = {};
    for (const { name, src, starts } of this.works()) {
      const of = (counts[name] ??= {});
      of[src] = (of[src] ?? 0) + starts;
    }
    return counts;
  }

  async #forEach(act: (name: string, situation: Situation) => Promise<void>): Promise<void> {
    await Promise.all(this.names.map((name) => act(name, situationOf(name))));
  }

  #keyOf(name: string): { namespace: string; name: string } {
    return { namespace: this.namespace, name };
  }

  #patch(name: string, body: object): Promise<unknown> {
    return this.#client.patch(BakeryV1, this.#keyOf(name), { type: "merge", body } as never);
  }
}

/** All that is recorded of its lifecycle. */
function recordOf(status: Bakery["status"]): Partial<LifecycleStatus> {
  return (status?.lifecycle ?? {}) as Partial<LifecycleStatus>;
}

/** What an upgrade must not change of a bakery. */
export function keptOf({ status }: Bakery): Kept {
  const { since, timers = {}, tasks = {}, snapshot } = recordOf(status);
  const { breads, loaves, stats } = snapshot?.context ?? {};
  return {
    since,
    due: Object.values(timers)
      .map(({ due }) => due)
      .toSorted(),
    tasks: Object.values(tasks)
      .map(({ key, attempt, startedAt = "", nextAttempt = "", phase }) =>
        [key, attempt, phase, startedAt, nextAttempt].join(" "),
      )
      .toSorted(),
    loaves: breads ?? loaves ?? (stats as { loaves?: unknown } | undefined)?.loaves,
  };
}

/** The states of a bakery of which nothing was asked meanwhile: those of any other that began there. */
function unasked(first: string): Situation["states"] {
  const found = Object.values(situations).find(
    ({ states, meanwhile }) => states[0] === first && meanwhile === undefined,
  );
  if (found === undefined) throw new Error(`no situation begins at ${first}`);
  return found.states;
}

/** Whether a task's start, its first failure, or its end before its time, is not recorded yet. */
function isUnrecorded({ outcomes }: Situation, tasks: Readonly<Record<string, TaskRecord>> = {}): boolean {
  return Object.values(tasks).some(
    ({ src, phase, attempt, nextAttempt }) =>
      (["Intended", "Cancelling"].includes(phase) && nextAttempt === undefined) ||
      (phase === "Running" && attempt === 1 && outcomes?.[src]?.phase === "Failed"),
  );
}
