// In which state the application is: asked again and again, and sent to every listener when it changes.
import type { Json } from "../meta/object.ts";
import { sleep, type Clock } from "../ports/clock.ts";
import { withinLimits } from "../ports/deadline.ts";
import type { Logger } from "../ports/logger.ts";
import { messageOf } from "../ports/operator-error.ts";
import { isTooDeep } from "./nesting.ts";
import { runCommand } from "./run-command.ts";
import type { SidecarProbe } from "./sidecar-options.ts";

/** What is answered about the state. */
export interface StateReport {
  /** The word; undefined while the application cannot be asked. */
  readonly state?: string;
  readonly facts?: Json;
  /** Since when it has been so: ISO 8601. */
  readonly since: string;
  /** Why the application cannot be asked. */
  readonly error?: string;
}

/** What {@link StateWatch} needs. */
export interface StateWatchOptions {
  readonly probe: SidecarProbe;
  /** Milliseconds between two questions, and for each. */
  readonly every: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the state has changed. */
  readonly onChange: (report: StateReport) => void;
}

/** Milliseconds that an answer may take. */
const limit = 5_000;
const longestError = 300;
/** Bytes of what a probe prints, and of its answer. */
const largestState = 8_192;

/** Asks until its signal is aborted. */
export class StateWatch {
  readonly #options: StateWatchOptions;
  #report: StateReport | undefined;
  #asking: Promise<void> | undefined;

  constructor(options: StateWatchOptions) {
    this.#options = options;
  }

  get report(): StateReport | undefined {
    return this.#report;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, every } = this.#options;
    while (!signal.aborted) {
      await this.ask(signal);
      await sleep(clock, every, signal);
    }
  }

  /** Asks once, for all who want to know now. Never rejects. */
  ask(signal?: AbortSignal): Promise<void> {
    this.#asking ??= this.#ask(signal).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(outer: AbortSignal | undefined): Promise<void> {
    const { clock, probe, log, onChange } = this.#options;
    const late = (): Error => new Error(`no answer within ${limit} ms`);
    let found: Pick<StateReport, "state" | "facts" | "error">;
    try {
      found = checked(
        await withinLimits({ clock, signals: [outer], timeout: limit, late }, (signal) =>
          answerOf(probe, signal, clock),
        ),
      );
    } catch (error) {
      if (outer?.aborted === true) return;
      found = { error: messageOf(error).slice(0, longestError) };
    }
    const { since: _, ...before } = this.#report ?? { since: "" };
    if (this.#report !== undefined && JSON.stringify(before) === JSON.stringify(found)) return;
    this.#report = { ...found, since: new Date(clock.now()).toISOString() };
    if (found.state !== before.state)
      log.info({ state: found.state ?? "unknown" }, "the application's state has changed");
    onChange(this.#report);
  }
}

async function answerOf(probe: SidecarProbe, signal: AbortSignal, clock: Clock): Promise<unknown> {
  if (typeof probe === "function") return probe({ signal });
  if ("url" in probe) {
    const answer = await fetch(probe.url, { signal, redirect: "error" });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the application answered ${answer.status}`);
    return JSON.parse(text.slice(0, largestState)) as unknown;
  }
  const { command, exitCodes } = probe;
  const end = await runCommand({ command, signal, clock, grace: 1_000, maxOutput: largestState });
  const word = exitCodes?.[end.exitCode];
  if (word !== undefined) return { state: word };
  if (end.exitCode === 0 && exitCodes === undefined) return JSON.parse(end.stdout) as unknown;
  throw new Error(`the probe ended with exit code ${end.exitCode}: ${end.stderr.trim()}`);
}

function checked(answer: unknown): Pick<StateReport, "state" | "facts"> {
  const { state, facts } = (typeof answer === "object" && answer !== null ? answer : {}) as {
    readonly state?: unknown;
    readonly facts?: Json;
  };
  if (typeof state !== "string" || state === "") throw new Error("the probe does not say a state");
  if (isTooDeep(facts)) throw new Error("the facts of the probe are nested too deeply");
  return { state, ...(facts === undefined ? {} : { facts }) };
}
