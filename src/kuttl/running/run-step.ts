// One step of a case: what it deletes, its commands, what it applies; then the cluster has to become as it says, within its time.
import { isConflict, isNotFound, isServerTrouble } from "../../client/api-error.ts";
import { formatKey } from "../../meta/object-key.ts";
import { monotonicNow, sleep } from "../../ports/clock.ts";
import { limitedSignal, withinLimits } from "../../ports/deadline.ts";
import { isOperatorError, messageOf, OperatorError } from "../../ports/operator-error.ts";
import type { WrittenObject } from "../files/read-documents.ts";
import type { TestStep } from "../files/read-case.ts";
import type { DeletedObjects } from "../files/test-forms.ts";
import { checkExpressions } from "./check-expressions.ts";
import { checkAbsent, checkPresent, type CheckedPlace, type Finding } from "./check-objects.ts";
import { collect } from "./collect.ts";
import { runTestCommand, type CommandPlace } from "./run-command.ts";
import type { PutObject, TestCluster } from "./test-cluster.ts";

/** Milliseconds between two looks at objects, and between two runs of the commands of an assert. */
const interval = 200;
const commandInterval = 1_000;

/** What a step runs on. */
export interface StepPlace extends CommandPlace {
  readonly cluster: TestCluster;
  /** Called with what the step has put on the cluster. */
  readonly onPut: (put: PutObject) => void;
}

/** Runs a step; what is not as expected in the end, nothing when it succeeds. Errors: the reason of the signal. */
export async function runStep(step: TestStep, place: StepPlace): Promise<readonly Finding[]> {
  try {
    await prepare(step, place);
  } catch (error) {
    place.signal.throwIfAborted();
    return [findingOf(error)];
  }
  const findings = await becomes(step, place);
  if (findings.length > 0) {
    for (const collector of step.assertSettings.collectors ?? [])
      await collect(collector, place.cluster, place);
  }
  return findings;
}

async function prepare({ settings, apply }: TestStep, place: StepPlace): Promise<void> {
  const { delete: deleted = [], commands = [] } = settings;
  if (deleted.length > 0) await within(place, "deleted", (signal) => deleteObjects(deleted, place, signal));
  for (const command of commands) await runTestCommand(command, place);
  for (const object of apply) {
    const put = await within(place, "applied", (signal) => putObject(object, place, signal));
    place.log(`${object.kind} ${formatKey(put.key)} ${put.isNew ? "created" : "changed"}`);
    place.onPut(put);
  }
}

/** Work that may take as long as a step may. */
function within<T>(place: StepPlace, what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { clock, signal, timeout } = place;
  const late = (): OperatorError =>
    new OperatorError("TEST_STEP_TIMEOUT", `not ${what} within ${timeout / 1_000} s`, {
      remedy: "Look at finalizers and webhooks on the cluster, or give the suite a longer timeout.",
    });
  return withinLimits({ clock, signals: [signal], ...(timeout === 0 ? {} : { timeout, late }) }, work);
}

async function deleteObjects(
  deleted: readonly DeletedObjects[],
  { cluster, namespace, clock, log }: StepPlace,
  signal: AbortSignal,
): Promise<void> {
  for (const { apiVersion, kind, name, namespace: own, labels = {} } of deleted) {
    const metadata = {
      ...(name === undefined ? {} : { name }),
      ...(own === undefined ? {} : { namespace: own }),
    };
    const place = await cluster.place({ apiVersion, kind, metadata }, namespace, signal);
    const keys =
      place.key === undefined
        ? (await cluster.list(place, labels, signal)).map(({ metadata: { name, namespace } }) =>
            namespace === undefined ? { name } : { namespace, name },
          )
        : [place.key];
    for (const key of keys) {
      const wasThere = await deleteObject(cluster, { type: place.type, key }, signal);
      log(`${kind} ${formatKey(key)} ${wasThere ? "deleted" : "is not there: nothing to delete"}`);
    }
    if (keys.length === 0) {
      const asked = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
      const which = asked.length === 0 ? "" : ` with ${asked.join(",")}`;
      log(`${kind}${which} is not there: nothing to delete`);
    }
    for (const key of keys) {
      while ((await cluster.read({ ...place, key }, signal)) !== undefined)
        await sleep(clock, interval, signal);
    }
  }
}

/** Deletes an object; false: it is not there. */
export async function deleteObject(
  { client }: TestCluster,
  { type, key }: Pick<PutObject, "type" | "key">,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.delete(type, key, { propagationPolicy: "Background", signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Again while its kind is not served yet, another client writes, or the server is in trouble; then what the last refusal said. */
async function putObject(
  object: WrittenObject,
  { cluster, namespace, clock, timeout }: StepPlace,
  signal: AbortSignal,
): Promise<PutObject> {
  let last: unknown;
  const patience = limitedSignal({
    clock,
    signals: [signal],
    ...(timeout === 0 ? {} : { timeout: timeout * 0.9, late: () => last }),
  });
  try {
    for (;;) {
      try {
        return await cluster.put(object, namespace, signal);
      } catch (error) {
        last = error;
        const mayPass =
          isOperatorError(error, "TEST_KIND_UNKNOWN") || isConflict(error) || isServerTrouble(error);
        if (!mayPass || patience.signal.aborted) throw placed(error, object);
      }
      await sleep(clock, interval, patience.signal);
    }
  } finally {
    patience.release();
  }
}

function placed(error: unknown, { kind, metadata, where }: WrittenObject): unknown {
  if (!(error instanceof Error)) return error;
  const name = typeof metadata["name"] === "string" ? ` ${metadata["name"]}` : "";
  return new OperatorError("TEST_NOT_APPLIED", `${kind}${name} was not applied: ${error.message}`, {
    cause: error,
    fields: { where },
    ...(isOperatorError(error) && error.remedy !== undefined ? { remedy: error.remedy } : {}),
  });
}

/** Looks until all is as expected, or the time is over: what is not so then. */
async function becomes(step: TestStep, place: StepPlace): Promise<readonly Finding[]> {
  const { asserts, errors, assertSettings } = step;
  const { timeout, commands = [], assertAll = [], assertAny = [] } = assertSettings;
  if (asserts.length + errors.length + commands.length + assertAll.length + assertAny.length === 0) return [];
  const milliseconds = timeout === undefined || timeout === 0 ? place.timeout : timeout * 1_000;
  const { clock, signal } = place;
  const limited = limitedSignal({
    clock,
    signals: [signal],
    ...(milliseconds === 0 ? {} : { timeout: milliseconds, late: () => undefined }),
  });
  const quiet: string[] = [];
  const deadline = monotonicNow(clock) + milliseconds;
  /** What a command of an assert may take: what is left, but never so little that it cannot begin. */
  const left = (): number =>
    milliseconds === 0 ? 0 : Math.max(deadline - monotonicNow(clock), commandInterval);
  try {
    for (;;) {
      const findings = await look(step, { ...place, timeout: left() }, quiet);
      if (findings.length === 0) return [];
      signal.throwIfAborted();
      if (limited.signal.aborted) {
        for (const line of quiet) place.log(line);
        return findings;
      }
      await sleep(clock, commands.length > 0 ? commandInterval : interval, limited.signal);
      signal.throwIfAborted();
    }
  } finally {
    limited.release();
  }
}

/** What is not as expected at this moment; what commands say is of interest the last time only. */
async function look(
  { asserts, errors, assertSettings }: TestStep,
  place: StepPlace,
  said: string[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const add = async (work: () => Promise<Finding | readonly Finding[] | undefined | void>): Promise<void> => {
    try {
      const found = await work();
      if (found !== undefined) findings.push(...[found].flat());
    } catch (error) {
      place.signal.throwIfAborted();
      findings.push(findingOf(error));
    }
  };
  const checked: CheckedPlace = place;
  for (const expected of asserts) await add(() => checkPresent(expected, checked));
  await add(() => checkExpressions(assertSettings, checked));
  for (const refused of errors) await add(() => checkAbsent(refused, checked));
  said.length = 0;
  for (const command of assertSettings.commands ?? []) {
    const before = findings.length;
    await add(() => runTestCommand(command, { ...place, log: (line) => void said.push(line) }));
    if (findings.length > before) break;
  }
  return findings;
}

/** An error as something that is not as expected. */
export function findingOf(error: unknown): Finding {
  const { remedy, fields } = isOperatorError(error) ? error : {};
  const where = fields?.["where"];
  return {
    title: messageOf(error),
    ...(typeof where === "string" ? { where } : {}),
    details: remedy === undefined ? [] : [remedy],
  };
}
