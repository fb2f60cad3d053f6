// One soak: people change resources, the network cuts every connection, the API server is restarted, the operator is
// killed; then everybody stops, and what there is is looked at. In the end everything is deleted, and nothing may be left.
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../src/testing/simulation/seeded-random.ts";
import { clientOf, type ApiServerUnderTest } from "../support/api-servers.ts";
import { stayAwake } from "../support/awake-time.ts";
import { eventually } from "../support/eventually.ts";
import { startFaultProxy, type FaultProxy } from "../support/fault-proxy.ts";
import { complaintsAbout, nameOf, objectsOf, readWorld, writtenBetween } from "./judge.ts";
import { KilledOperator, type Measure } from "./killed-operator.ts";
import { Population } from "./population.ts";

/** How hard and how long. Times are seconds. */
export interface SoakPlan {
  readonly resources: number;
  /** Changes a second. */
  readonly rate: number;
  /** How long people change things. */
  readonly duration: number;
  /** Default: it is not killed. */
  readonly killEvery?: number;
  readonly cutEvery: number;
  readonly restartEvery: number;
  /** What everything may take to be as it was asked for, once the last change was made. */
  readonly settleWithin: number;
  /** How long no request may have been made until everything is told that happened. */
  readonly calm: number;
  /** How often the process's heap is weighed; default never, as that stops it for a while. */
  readonly weighEvery?: number;
  /** How long nothing may be written then. */
  readonly quiet: number;
  readonly seed: number;
  /** Is told how it goes. */
  readonly tell?: (line: string) => void;
}

/** What a soak showed. */
export interface SoakReport {
  readonly changes: number;
  readonly kills: number;
  readonly cuts: number;
  readonly restarts: number;
  /** Seconds from the last change until everything was right. */
  readonly settled: number;
  /** What was written while nobody asked for anything. */
  readonly writtenInQuiet: readonly string[];
  /** Writes that the operator asked for meanwhile. */
  readonly askedInQuiet: number;
  readonly measures: readonly Measure[];
  /** Megabytes that the process held, garbage apart, from time to time. */
  readonly heaps: readonly number[];
  readonly deaths: readonly string[];
}

/** Runs it. Fails with what is wrong when things do not become right in time. */
export async function soak(server: ApiServerUnderTest, plan: SoakPlan): Promise<SoakReport> {
  const proxy = await startFaultProxy(server.url);
  const client = await clientOf(server.kubeconfig);
  const operator = new KilledOperator(await proxy.kubeconfigFor(server.kubeconfig));
  const population = new Population(client, plan.resources, seededRandom(plan.seed));
  const tell = plan.tell ?? (() => undefined);

  /** People and faults, then peace, then silence. */
  async function live(): Promise<SoakReport> {
    const end = new AbortController();
    const measures: Measure[] = [];
    const heaps: number[] = [];
    const every = (interval: number, act: () => Promise<void> | void) => repeat(interval, end.signal, act);
    let [cuts, restarts] = [0, 0];
    const faults = [
      every(plan.cutEvery, () => cut(proxy, (cuts += 1))),
      every(plan.restartEvery, () => restart(server, (restarts += 1))),
      ...(plan.killEvery === undefined ? [] : [every(plan.killEvery, () => operator.killAndStart())]),
      every(1, () => {
        const measure = operator.measure();
        if (measure !== undefined) measures.push(measure);
      }),
      ...(plan.weighEvery === undefined
        ? []
        : [every(plan.weighEvery, async () => void heaps.push(...(await operator.liveHeap())))]),
      every(30, () =>
        tell(`${population.changes} changes, ${JSON.stringify({ ...measures.at(-1), heap: heaps.at(-1) })}`),
      ),
    ];
    const people = population.change(plan.rate, end.signal);
    await Promise.race([delay(plan.duration * 1_000), ...faults, people]);
    end.abort();
    await Promise.all([people, ...faults]);
    if (population.failures.length > 0) {
      throw new Error(
        `${population.failures.length} changes failed:\n${population.failures.slice(0, 5).join("\n")}`,
      );
    }
    await proxy.heal();
    // Kubernetes' garbage collector takes an owner that came anew while it could not watch for the one before, and leaves
    // what that one owned until it starts again: nothing of the operator's.
    await server.plane?.restartControllers();
    const ended = performance.now();
    await eventually(async () => {
      const found = await readWorld(client);
      const complaints = complaintsAbout(found, population.resources);
      if (complaints.length > 0) {
        const some = complaints.slice(0, 10).join("\n");
        tell(`${complaints.length} are not right yet, for instance ${complaints[0]}`);
        throw new Error(`${complaints.length} are not right:\n${some}\n${operator.output}`);
      }
    }, plan.settleWithin * 1_000);
    const settled = (performance.now() - ended) / 1_000;
    tell(`settled after ${settled.toFixed(1)} s`);
    const writes = await writesOnceTold(operator, plan);
    const before = await readWorld(client);
    await delay(plan.quiet * 1_000);
    return {
      changes: population.changes,
      kills: operator.kills,
      cuts,
      restarts,
      settled,
      writtenInQuiet: writtenBetween(before, await readWorld(client)),
      askedInQuiet: (await operator.writes()) - writes,
      measures,
      heaps,
      deaths: operator.deaths,
    };
  }

  try {
    operator.start();
    await eventually(() => readWorld(client), 60_000);
    await population.create();
    tell(`${plan.resources} resources created`);
    const report = await live();
    await population.delete();
    await eventually(async () => {
      const left = objectsOf(await readWorld(client)).map(nameOf);
      if (left.length > 0) throw new Error(`${left.length} are left, such as ${left[0]}\n${operator.output}`);
    }, plan.settleWithin * 1_000);
    return report;
  } finally {
    await operator.stop();
    await client.close();
    await proxy.stop();
  }
}

/**
 * The writes that the operator has asked for, once it counts no more of them: the server has done the last one before the
 * operator has its answer, and counts it, and that an Event came again is told ten seconds later.
 */
async function writesOnceTold(operator: KilledOperator, { calm, settleWithin }: SoakPlan): Promise<number> {
  return eventually(async () => {
    const before = await operator.writes();
    await stayAwake(calm * 1_000);
    const writes = await operator.writes();
    if (writes !== before) throw new Error(`it still writes: ${writes - before} in ${calm} s`);
    return writes;
  }, settleWithin * 1_000);
}

/** Cuts every connection: in turns at once, and in the middle of what comes next. */
function cut(proxy: FaultProxy, count: number): void {
  if (count % 2 === 0) proxy.reset();
  else proxy.cutAfter(37 * (count % 20));
}

/** Restarts the API server on its port and data: in turns killed and asked to end. */
async function restart({ plane, faults }: ApiServerUnderTest, count: number): Promise<void> {
  await plane?.restartApiServer(count % 2 === 0 ? "SIGTERM" : "SIGKILL");
  await faults?.stopServer();
  await faults?.startServer();
}

/** Does something at an interval until the signal is aborted; one after the other. Rejects when it fails. */
async function repeat(seconds: number, signal: AbortSignal, act: () => Promise<void> | void): Promise<void> {
  const stop = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  for (let next = performance.now() + seconds * 1_000; !signal.aborted; next += seconds * 1_000) {
    const wake = new AbortController();
    await Promise.race([
      delay(Math.max(0, next - performance.now()), undefined, { signal: wake.signal }).catch(() => undefined),
      stop,
    ]);
    wake.abort();
    if (!signal.aborted) await act();
  }
}
