// How the operator itself is: one line on every page, and below it, when it is opened, each watch and each controller.
import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { formatLength } from "../../explain/length.ts";
import type { ControllerHealth, HeldKey, WatchHealth } from "../../ports/operator-health.ts";
import type { ShownHealth } from "../shown-health.ts";
import { addressOf } from "./address.ts";
import { table } from "./table.ts";

interface HealthViewProps {
  readonly health: ShownHealth;
  /** The operator does not answer: what is shown is what it reported last. */
  readonly gone: boolean;
  readonly now: number;
}

export function HealthView({ health, gone, now }: HealthViewProps) {
  const { part, startedAt, version, watches, controllers } = health;
  const [mark, word] = gone ? ["failed", "not responding"] : wordOf(health);
  const warnings = gone ? [] : warningsOf(health);
  const held = sum(controllers, ({ heldCount }) => heldCount);
  const failures = sum(controllers, ({ failureCount }) => failureCount);
  const lost = watches.filter((watch) => !isHealthy(watch)).length;
  return html`<section class=${gone ? "operator gone" : "operator"} aria-label="Operator">
    <details>
      <summary>
        <span class=${`health-mark ${mark}`}>${word}</span>
        ${part === undefined ? null : html`<span>${part}</span>`}
        ${gone ? null : html`<span>up ${ago(startedAt, now)}</span>`}
        ${version === undefined ? null : html`<span>xstate-operator ${version}</span>`}
        <span class=${lost === 0 ? "" : "warn"}
          >${watches.length - lost} of ${count(watches.length, "watch", "watches")} healthy</span
        >
        <span>${sum(controllers, ({ queued }) => queued)} queued</span>
        <span
          >${sum(controllers, ({ busy }) => busy)} of ${sum(controllers, ({ workers }) => workers)} workers
          busy</span
        >
        ${held === 0 ? null : html`<span class="warn">${held} throttled</span>`}
        <span class=${failures === 0 ? "" : "warn"}>${count(failures, "failure", "failures")} in 5m</span>
      </summary>
      <div class="operator-parts">
        <${Watches} watches=${watches} now=${now} />
        <${Controllers} controllers=${controllers} now=${now} />
        <${Held} controllers=${controllers} />
        <${Failures} controllers=${controllers} now=${now} />
      </div>
    </details>
    <div role="status">
      ${
        warnings.length === 0
          ? null
          : html`<ul class="warnings">
              ${warnings.map((each) => html`<li key=${each}>${each}</li>`)}
            </ul>`
      }
    </div>
  </section>`;
}

function wordOf({ stage, state, ready }: ShownHealth): readonly [mark: string, word: string] {
  if (stage === "starting") return ["progressing", state === "" ? "starting" : `starting: ${state}`];
  if (stage === "stopping") return ["degraded", "draining"];
  const isStandby = stage === "standby";
  if (ready) return ["ready", isStandby ? "standing by" : "ready"];
  return ["failed", isStandby ? "standing by, not ready" : "not ready"];
}

/** What is wrong that its stage does not explain; without times, as each change of it is announced. */
function warningsOf({ stage, watches, problems, warnings }: ShownHealth): readonly string[] {
  if (stage === "starting" || stage === "stopping") return [];
  const isWatch = (problem: string, { resource, namespace }: WatchHealth): boolean =>
    problem.startsWith(
      `watch of ${resource}${namespace === undefined ? "" : ` in namespace ${namespace}`}: `,
    );
  return [...problems, ...warnings].map((problem) => {
    const watch = watches.find((each) => isWatch(problem, each) && !isHealthy(each));
    if (watch === undefined) return problem;
    const { lastError, unavailable } = watch;
    if (unavailable !== undefined) return unavailable;
    return `The watch of ${placeOf(watch)} is lost${lastError === undefined ? "" : `: ${lastError}`}`;
  });
}

function placeOf({ resource, namespace }: WatchHealth): string {
  return namespace === undefined ? resource : `${resource} in ${namespace}`;
}

/** A watch that is opened again every few minutes, as the server ends it, has not been lost. */
function isHealthy({ synced, state, lostSince, unavailable }: WatchHealth): boolean {
  return synced && lostSince === undefined && unavailable === undefined && state !== "stopped";
}

function Watches({ watches, now }: { readonly watches: readonly WatchHealth[]; readonly now: number }) {
  const columns = ["Type", "State", "Objects", "Last response", "Last error"];
  return part("Watches", columns, watches, (watch) => {
    const { objects, lastActivity, lastError, lostSince, unavailable } = watch;
    const isLost = lostSince !== undefined || unavailable !== undefined;
    const mark = isHealthy(watch) ? "ready" : isLost ? "failed" : "progressing";
    return [
      placeOf(watch),
      html`<span class=${`health-mark ${mark}`}>${watchState(watch, now)}</span>`,
      String(objects),
      lastActivity === undefined ? "never" : `${ago(lastActivity, now)} ago`,
      lastError ?? "",
    ];
  });
}

const watchWords: Readonly<Record<WatchHealth["state"], string>> = {
  starting: "not started",
  listing: "listing",
  watching: "watching",
  backingOff: "waiting to retry",
  stopped: "stopped",
};

function watchState({ state, synced, lostSince, unavailable }: WatchHealth, now: number): string {
  if (unavailable !== undefined) return "unavailable";
  if (lostSince !== undefined) return `retrying for ${ago(lostSince, now)}`;
  return state === "watching" || synced ? watchWords[state] : `${watchWords[state]}, not complete yet`;
}

interface ControllersProps {
  readonly controllers: readonly ControllerHealth[];
  readonly now: number;
}

const controllerColumns = [
  "Kind",
  "Queued",
  "Delayed",
  "Workers busy",
  "Longest reconcile",
  "Throttled",
  "Failures in 5m",
];

function Controllers({ controllers, now }: ControllersProps) {
  return part("Controllers", controllerColumns, controllers, (controller) => {
    const { kind, queued, delayed, busy, workers, longest, heldCount, failureCount } = controller;
    return [
      kind,
      String(queued),
      String(delayed),
      `${busy} of ${workers}`,
      longest === undefined
        ? "none"
        : [link(kind, longest.key), ` for ${ago(longest.since, now)}${inStage(longest.stage)}`],
      String(heldCount),
      String(failureCount),
    ];
  });
}

function inStage(stage: string | undefined): string {
  return stage === undefined ? "" : `, in ${stage}`;
}

const heldWords: Readonly<Record<HeldKey["why"], string>> = {
  hotLoop: "is in a reconcile loop",
  fieldFight: "field fight",
};

function Held({ controllers }: Pick<ControllersProps, "controllers">) {
  const items = controllers.flatMap(({ kind, held }) => held.map((each) => ({ kind, ...each })));
  const more = sum(controllers, ({ heldCount }) => heldCount) - items.length;
  return html`${part("Throttled", ["Resource", "Why", "Message"], items, ({ kind, key, why, message }) => [
    html`${kind} ${link(kind, key)}`,
    heldWords[why],
    message,
  ])}
  ${more > 0 ? html`<p>and ${more} more</p>` : null}`;
}

function Failures({ controllers, now }: ControllersProps) {
  const items = controllers
    .flatMap(({ kind, failures }) => failures.map((failure) => ({ kind, ...failure })))
    .sort((one, other) => other.at - one.at);
  return part("Last failures", ["When", "Resource", "Message"], items, ({ kind, key, at, message }) => [
    `${ago(at, now)} ago`,
    html`${kind} ${link(kind, key)}`,
    message,
  ]);
}

/** A table above the page's own heading. */
function part<T>(
  title: string,
  columns: readonly string[],
  items: readonly T[],
  cells: (item: T) => readonly ComponentChildren[],
): ComponentChildren {
  return table(title, columns, items, cells, { isHeading: false });
}

function link(kind: string, key: string): ComponentChildren {
  const [name = "", namespace] = key.split("/").reverse();
  return html`<a href=${addressOf({ kind, name, ...(namespace === undefined ? {} : { namespace }) })}
    >${key}</a
  >`;
}

function ago(at: number, now: number): string {
  return formatLength(Math.max(0, now - at));
}

function count(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}

function sum<T>(list: readonly T[], valueOf: (item: T) => number): number {
  return list.reduce((total, item) => total + valueOf(item), 0);
}
