// `watch`: shows one object as it lives, until it comes to what is waited for, or until Ctrl-C.
import { Command, Option } from "commander";
import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import type { AnyObject } from "../../meta/object.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { systemRandom } from "../../ports/random.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { indexGraph } from "../../statechart/configuration.ts";
import {
  onClusterKind,
  onClusterObject,
  typedObject,
  withClusterObject,
  type ClusterObject,
  type ClusterObjectOptions,
} from "../cluster-object.ts";
import { durationOption } from "../duration-option.ts";
import { examplesText } from "../examples-text.ts";
import { ExitCode, interrupted } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { followObjects, type FollowedObjects } from "../watch/follow-objects.ts";
import { watchKind, type WatchKindOptions } from "../watch/watch-kind.ts";
import { describeGoal, doubtAbout, isReached, parseGoal, type Goal } from "../watch/until.ts";
import { jsonView, linesView, pageView, type WatchView } from "../watch/watch-view.ts";

interface WatchOptions extends ClusterObjectOptions, WatchKindOptions {
  readonly until?: string;
  readonly timeout?: number;
}

/** Milliseconds between two looks at the clock: timers count down. */
const tick = 1_000;

/** The command `watch`. */
export function watchCommand(terminal: Terminal): Command {
  return withClusterObject(new Command("watch"), "one or all")
    .description(
      "Watch an object live (state, target, plan, tasks, timers, conditions and Events), or all objects of a kind.",
    )
    .option("-A, --all-namespaces", "all objects of a kind, whatever their namespace")
    .option(
      "--until <goal>",
      "exit with 0 once the object is in a state (Running), has a condition (Ready, condition=Ready=False), or is deleted",
    )
    .option("--timeout <duration>", "with --until: exit with 1 after this time", durationOption)
    .addOption(
      new Option(
        "-o, --output <format>",
        "lines: plain lines even on a terminal; json: one JSON object per line",
      ).choices(["lines", "json"]),
    )
    .addHelpText(
      "after",
      examplesText(
        "watch database/orders -n shop",
        "watch database/orders --until Running --timeout 5m",
        "watch database/orders --until condition=Ready=False -o json",
        "watch databases --all-namespaces",
      ),
    )
    .action((kind: string, name: string | undefined, options: WatchOptions, command: Command) => {
      if (name === undefined && !kind.includes("/")) {
        refuseForAll(options);
        return onClusterKind(terminal, kind, options, (target) =>
          watchKind(terminal, target, options, systemClock),
        );
      }
      const typed = typedObject(command, kind, name);
      refuseForOne(options);
      return onClusterObject(terminal, typed, options, (target) =>
        watch(terminal, target, options, systemClock),
      );
    });
}

function refuseForAll({ until, timeout, namespace, allNamespaces = false }: WatchOptions): void {
  const given = until === undefined ? (timeout === undefined ? undefined : "--timeout") : "--until";
  if (given !== undefined)
    throw new UsageError(`${given} is about one object`, "Name it: watch KIND/NAME --until Running.");
  if (namespace !== undefined && allNamespaces)
    throw new UsageError("--namespace and --all-namespaces exclude each other", "Omit one of the two.");
}

function refuseForOne({ allNamespaces = false }: WatchOptions): void {
  if (allNamespaces)
    throw new UsageError("--all-namespaces is about all objects of a kind", "Omit it, or the object's name.");
}

async function watch(
  terminal: Terminal,
  target: ClusterObject,
  options: WatchOptions,
  clock: Clock,
): Promise<void> {
  const stop = terminal.stopSignal();
  const index = target.graph === undefined ? undefined : indexGraph(target.graph);
  const goal = options.until === undefined ? undefined : parseGoal(options.until, index);
  const first = await target.read(stop);
  const abort = new AbortController();
  const { client, type, key } = target;
  const followed = followObjects({
    client,
    type,
    ...key,
    clock,
    random: systemRandom,
    signal: AbortSignal.any([stop, abort.signal]),
  });
  const view = viewOf(terminal, options);
  const doubt = goal && doubtAbout(goal, explainNow(target, first, followed, clock.now()));
  if (doubt !== undefined && terminal.screen() === undefined) terminal.err(`${doubt}\n`);
  const deadline = options.timeout === undefined ? undefined : monotonicNow(clock) + options.timeout;
  const rest = (): number => Math.max(0, (deadline ?? Number.POSITIVE_INFINITY) - monotonicNow(clock));
  const look = (object: AnyObject | undefined): boolean => {
    const now = clock.now();
    const explanation = object === undefined ? undefined : explainNow(target, object, followed, now);
    if (explanation !== undefined) view.show(explanation, followed.lost, now);
    if (goal !== undefined && isReached(goal, explanation, index)) return true;
    if (object === undefined) throw gone(target, goal);
    return false;
  };
  try {
    let latest: AnyObject = first;
    for (let isDone = look(first); !isDone;) {
      for (const { object, isGone } of await followed.next(Math.min(tick, rest()))) {
        if (look(isGone ? undefined : object)) return;
        latest = object;
      }
      if (stop.aborted) {
        // What only shows is ended so; what waits has not got what it waited for.
        if (goal === undefined) return;
        throw new ExitCode(interrupted);
      }
      if (goal !== undefined && rest() === 0) throw late(target, goal, options.timeout ?? 0);
      isDone = look(latest);
    }
  } finally {
    view.end();
    abort.abort();
    await followed.closed;
  }
}

function viewOf(terminal: Terminal, { output }: WatchOptions): WatchView {
  if (output === "json") return jsonView(terminal);
  return output === "lines" || terminal.screen() === undefined
    ? linesView(terminal)
    : pageView(terminal, () => terminal.screen());
}

function explainNow(
  { type, graph }: ClusterObject,
  object: AnyObject,
  followed: FollowedObjects,
  now: number,
): Explanation {
  const events = followed.eventsOf(object);
  return explain({ object, type, ...(graph === undefined ? {} : { graph }), children: [], events, now });
}

function gone({ typed }: ClusterObject, goal: Goal | undefined): Error {
  // Nobody waited for anything: there is nothing more to see.
  if (goal === undefined) return new ExitCode(0);
  return new OperatorError("OBJECT_GONE", `${typed} was deleted before it reached ${describeGoal(goal)}`, {
    remedy: "To wait for the deletion itself, use `--until deleted`.",
  });
}

function late({ typed }: ClusterObject, goal: Goal, timeout: number): OperatorError {
  return new OperatorError(
    "GOAL_NOT_REACHED",
    `${typed} did not reach ${describeGoal(goal)} within ${timeout} ms`,
    { remedy: `Run \`xstate-operator explain ${typed}\` to see what it waits for.` },
  );
}
