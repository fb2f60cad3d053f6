// `send`: says something to the lifecycle of one object, by the annotation that its operator looks at.
import { userInfo } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { sendHumanEvent } from "../../controller/application/send-human-event.ts";
import { neverObserved } from "../../kinds/status-conditions.ts";
import type { HumanRequest } from "../../lifecycle/cycle-plan.ts";
import type { HumanRecord } from "../../lifecycle/stored/snapshot.ts";
import { findCondition, type Condition } from "../../meta/condition.ts";
import type { AnyObject } from "../../meta/object.ts";
import { meantBy } from "../../ports/misspelling.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { systemClock } from "../../ports/system-clock.ts";
import {
  onClusterObject,
  typedObject,
  withClusterOptions,
  type ClusterObject,
  type ClusterObjectOptions,
} from "../cluster-object.ts";
import { durationOption } from "../duration-option.ts";
import { examplesText } from "../examples-text.ts";
import { acceptanceOf, lastHumanEvent } from "../human-event.ts";
import { formatDocuments, textOrDataOption, type DataFormat } from "../output-format.ts";
import { createProgress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

interface SendOptions extends ClusterObjectOptions {
  readonly wait?: boolean;
  readonly force?: boolean;
  readonly timeout: number;
  readonly fieldManager: string;
  readonly output?: DataFormat;
}

/** Milliseconds between two looks while waiting. */
const lookInterval = 300;

/** The command `send`. */
export function sendCommand(terminal: Terminal): Command {
  return withClusterOptions(new Command("send"))
    .description("Send a human event, such as retry, abort, pause or resume, to the lifecycle of an object.")
    .usage("[options] <kind/name> <event>")
    .argument("<kind/name>", "the object, for example database/orders, or database orders")
    .argument("<event>", "name of the event in the graph, without `human.`")
    .argument("[event]", "the event, after a kind and a name without a slash")
    .option("--wait", "wait until the operator has accepted or refused the event")
    .option("--force", "replace an event that the operator has not handled yet")
    .addOption(
      new Option("--timeout <duration>", "how long to wait").argParser(durationOption).default(60_000, "1m"),
    )
    .option(
      "--field-manager <name>",
      "name that is recorded as the sender, by default your user name",
      managerName,
      userName(),
    )
    .addOption(textOrDataOption())
    .addHelpText(
      "after",
      examplesText(
        "send database/orders retry -n shop --wait",
        "send database/orders pause",
        "send db/orders resume",
      ),
    )
    .action(
      (first: string, second: string, third: string | undefined, options: SendOptions, command: Command) => {
        const typed = typedObject(command, first, third === undefined ? undefined : second);
        return onClusterObject(terminal, typed, options, (target) =>
          send(terminal, target, third ?? second, options),
        );
      },
    );
}

async function send(
  terminal: Terminal,
  target: ClusterObject,
  event: string,
  options: SendOptions,
): Promise<void> {
  const signal = terminal.stopSignal();
  // What is said of an object that is not there.
  refuseUnaccepted(target, await target.read(signal), event);
  const { client, type, key, typed } = target;
  const { fieldManager, force = false } = options;
  const request = await sendHumanEvent({
    client,
    type,
    key,
    typed,
    event,
    fieldManager,
    force,
    signal,
    clock: systemClock,
    check: (object) => refuseUnaccepted(target, object, event),
  });
  if (options.wait !== true) {
    tell(
      terminal,
      target,
      options,
      { event },
      `sent ${event} to ${target.typed}; the operator decides whether to accept it`,
    );
    return;
  }
  const progress = createProgress(terminal);
  progress.begin(`waiting for the operator of ${target.typed}`);
  try {
    const { state, record, isDeclared } = await follow(target, request, options.timeout, signal);
    if (record.accepted !== true) throw refused(target, record, isDeclared);
    const at = state === undefined ? {} : { state };
    progress.done(`${target.typed} accepted ${event}`);
    tell(
      terminal,
      target,
      options,
      { event, accepted: true, ...at },
      `${target.typed} is now in ${state ?? "no state"}`,
    );
  } catch (error: unknown) {
    progress.abandon();
    throw error;
  }
}

/** Refuses what the present state does not declare, before anything is written. */
function refuseUnaccepted({ graph, type, typed }: ClusterObject, object: AnyObject, event: string): void {
  if (graph === undefined) {
    throw new OperatorError(
      "KIND_WITHOUT_LIFECYCLE",
      `the kind ${type.kind} has no lifecycle, so it accepts no events`,
      {
        remedy: "Only kinds whose CRD contains a graph (annotation xstate-operator.dev/graph) accept events.",
      },
    );
  }
  const { state, paused, events } = acceptanceOf(object, graph);
  if (events.includes(event)) return;
  if (state === undefined) {
    const { why, remedy } = whyNoState(object, typed);
    throw new OperatorError("EVENT_NOT_ACCEPTED", `${typed} has no state yet: ${why}`, {
      remedy: `${remedy}, and send ${event} again.`,
    });
  }
  const bare = event.startsWith("human.") ? event.slice("human.".length) : undefined;
  if (bare !== undefined && events.includes(bare)) {
    throw new OperatorError("EVENT_NOT_ACCEPTED", `${typed} does not accept "${event}"`, {
      fields: { object: typed, state, accepted: events },
      remedy: `Omit the prefix: send ${typed} ${bare}`,
    });
  }
  const where = `${state}${paused ? " while it is paused" : ""}`;
  throw new OperatorError("EVENT_NOT_ACCEPTED", `${typed} does not accept "${event}" in ${where}`, {
    fields: { object: typed, state, accepted: events },
    remedy: remedyFor(bare ?? event, events),
  });
}

/** Why an object has no state: nobody has worked on it, its operator has failed to, or it is about to. */
function whyNoState(object: AnyObject, typed: string): { readonly why: string; readonly remedy: string } {
  const { conditions = [], observedGeneration = neverObserved } = (object["status"] ?? {}) as {
    readonly conditions?: readonly Condition[];
    readonly observedGeneration?: number;
  };
  const wait = `wait until \`xstate-operator explain ${typed}\` shows a state`;
  if (conditions.length === 0 && observedGeneration === neverObserved) {
    const why = "no operator has written its status";
    return { why, remedy: `Start the operator of ${object.kind} if it does not run, ${wait}` };
  }
  const failure = findCondition(conditions, "ReconciliationSuccess");
  return failure?.status === "False"
    ? {
        why: `its operator could not begin (${failure.reason}): ${failure.message}`,
        remedy: "Correct what the operator names",
      }
    : { why: "its operator has not begun yet", remedy: `Have a little patience: ${wait}` };
}

function remedyFor(event: string, accepted: readonly string[]): string {
  if (accepted.length === 0) return "It accepts no events in this state.";
  const meant = meantBy(event, accepted);
  return `${meant === undefined ? "" : `Did you mean ${meant}? `}Accepted events: ${accepted.join(", ")}.`;
}

/** What an operator has answered. */
interface Answer {
  readonly record: HumanRecord;
  readonly state: string | undefined;
  /** The state that the object is in now has an edge for the event. */
  readonly isDeclared: boolean;
}

async function follow(
  target: ClusterObject,
  request: HumanRequest,
  timeout: number,
  signal: AbortSignal,
): Promise<Answer> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const object = await target.read(signal);
    const record = lastHumanEvent(object);
    if (record?.id === request.id && record.accepted !== undefined) {
      const status = object["status"] as { readonly lifecycle?: { readonly state?: string } } | undefined;
      const { graph } = target;
      const isDeclared = graph !== undefined && acceptanceOf(object, graph).events.includes(request.event);
      return { record, state: status?.lifecycle?.state, isDeclared };
    }
    if (performance.now() > deadline) {
      throw new OperatorError(
        "EVENT_UNANSWERED",
        `no operator handled "${request.event}" within ${timeout} ms`,
        {
          remedy: `Is the operator of ${target.type.kind} running? The event stays until an operator handles it.`,
        },
      );
    }
    await delay(lookInterval, undefined, { signal });
  }
}

function refused(
  { typed }: ClusterObject,
  { event, message }: HumanRecord,
  isDeclared: boolean,
): OperatorError {
  return new OperatorError("EVENT_REFUSED", `the operator of ${typed} refused "${event}"`, {
    ...(message === undefined ? {} : { cause: new Error(message) }),
    remedy: isDeclared
      ? "Its state declares the event: correct what the message names, and send it again; see `xstate-operator explain`."
      : "Its state has changed in the meantime; see `xstate-operator explain`.",
  });
}

function tell(
  terminal: Terminal,
  { typed, key }: ClusterObject,
  { output }: SendOptions,
  outcome: object,
  sentence: string,
): void {
  if (output === undefined) terminal.out(`${sentence}\n`);
  else terminal.out(formatDocuments([{ object: typed, namespace: key.namespace, ...outcome }], output));
}

function userName(): string {
  try {
    return managerName(userInfo().username);
  } catch {
    // No entry in the user database, as in some containers; or a name that is none for a field manager.
    return "xstate-operator-send";
  }
}

function managerName(text: string): string {
  if (/^[\x20-\x7e]{1,128}$/.test(text)) return text;
  throw new InvalidArgumentError("It must have 1 to 128 printable ASCII characters.");
}
