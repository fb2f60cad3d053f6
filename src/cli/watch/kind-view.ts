// How all objects of a kind are shown: as a table that stays in its place, as lines of what happened, or as JSON.
import { Ansis } from "ansis";
import type { Explanation } from "../../explain/explanation.ts";
import { formatLength } from "../../explain/length.ts";
import { findCondition } from "../../meta/condition.ts";
import { readyCondition } from "../../meta/health.ts";
import type { Screen, Terminal } from "../terminal.ts";
import { visible, visibleIn } from "../visible-text.ts";
import { wrapLine } from "../wrap-line.ts";
import { fitTable, type TableColumn } from "./fit-table.ts";
import { happeningsBetween, type Happening } from "./happenings.ts";
import { redrawnPage } from "./redrawn-page.ts";

/** What is watched. */
export interface WatchedKind {
  readonly kind: string;
  /** Absent: all, or the kind has none. */
  readonly namespace: string | undefined;
  readonly showsNamespace: boolean;
  readonly hasLifecycle: boolean;
}

/** How it stands with the watching. */
export interface WatchProgress {
  /** Whether all that there are have been seen. */
  readonly hasSynced: boolean;
  readonly lost: string | undefined;
  readonly now: number;
}

/** Shows the objects of a kind as they change. */
export interface KindView {
  /** A version of one of them, or its end. */
  changed(
    key: string,
    explanation: Explanation,
    end: { readonly isGone: boolean; readonly now: number },
  ): void;
  /** All that there are, after changes or a second later. */
  show(all: ReadonlyMap<string, Explanation>, progress: WatchProgress): void;
  /** Leaves the screen as it should stay. */
  end(): void;
}

/** One line of JSON for each version of each; the last one of an object has `gone`. */
export function jsonKindView(terminal: Terminal): KindView {
  return {
    changed: (_key, explanation, { isGone }) =>
      terminal.out(`${JSON.stringify(isGone ? { ...explanation, gone: true } : explanation)}\n`),
    show: () => undefined,
    end: () => undefined,
  };
}

/** What is said of an object that was there from the beginning, or is new: where it is, and what is wrong. */
const first: ReadonlySet<Happening["about"]> = new Set(["deleted", "state", "paused", "blocked"]);

/** A line for each thing that happens to one of them, with the time of day (UTC). */
export function linesKindView(
  terminal: Terminal,
  { kind, namespace, showsNamespace }: WatchedKind,
): KindView {
  const paint = new Ansis(terminal.outColor ? 1 : 0);
  const before = new Map<string, Explanation>();
  let lostBefore: string | undefined;
  let isEmptySaid = false;
  let width = 20;
  let begun: string | undefined;
  /** Without the Events of the time before. */
  const recent = (explanation: Explanation, now: number): Explanation => {
    const since = (begun ??= new Date(now).toISOString());
    const events = explanation.events.filter(({ lastSeen = "" }) => lastSeen >= since.slice(0, 19));
    return { ...explanation, events };
  };
  const line = (now: number, name: string, about: string, text: string, warning: boolean): void => {
    width = Math.max(width, name.length);
    const time = paint.dim(new Date(now).toISOString().slice(11, 19));
    const word = warning ? paint.yellow(about.padEnd(9)) : paint.cyan(about.padEnd(9));
    terminal.out(`${time}  ${visible(name).padEnd(width)}  ${word}  ${visible(text.replace(/\s+/g, " "))}\n`);
  };
  return {
    changed(key, given, { isGone, now }) {
      const explanation = recent(given, now);
      const name = showsNamespace ? key : explanation.object.name;
      if (isGone) {
        before.delete(key);
        line(now, name, "gone", "deleted", true);
        return;
      }
      const known = before.get(key);
      before.set(key, explanation);
      const happenings = happeningsBetween(known, explanation);
      const shown = known === undefined ? happenings.filter(({ about }) => first.has(about)) : happenings;
      if (known === undefined && shown.length === 0) line(now, name, "new", readyText(explanation), false);
      for (const { about, text, warning } of shown) line(now, name, about, text, warning);
    },
    show(all, { hasSynced, lost, now }) {
      // Their Events change without them.
      for (const [key, given] of all) {
        const known = before.get(key);
        if (known === undefined) continue;
        const explanation = recent(given, now);
        for (const { about, text, warning } of happeningsBetween(known, explanation))
          line(now, showsNamespace ? key : explanation.object.name, about, text, warning);
        before.set(key, explanation);
      }
      if (hasSynced && all.size === 0 && !isEmptySaid) terminal.err(`${noneText(kind, namespace)}\n`);
      isEmptySaid ||= hasSynced;
      if (lost !== undefined && lost !== lostBefore) line(now, kind, "lost", lost, true);
      lostBefore = lost;
    },
    end: () => undefined,
  };
}

function noneText(kind: string, namespace: string | undefined): string {
  return `there is no ${kind}${namespace === undefined ? "" : ` in namespace ${namespace}`} yet`;
}

function readyText({ conditions }: Explanation): string {
  const ready = findCondition(conditions, readyCondition);
  return ready === undefined ? "nothing is known of it yet" : `Ready is ${ready.status}, ${ready.reason}`;
}

/** A table that is drawn again in its place; of more objects than fit on the screen those that need attention are shown. */
export function tableView(
  terminal: Terminal,
  watched: WatchedKind,
  screen: () => Screen | undefined = () => terminal.screen(),
): KindView {
  const paint = new Ansis(terminal.outColor ? 1 : 0);
  const page = redrawnPage(terminal);
  return {
    changed: () => undefined,
    show(all, { hasSynced, lost, now: _now }) {
      const { rows, columns } = screen() ?? { rows: 24, columns: 80 };
      const notes = lost === undefined ? [] : wrapLine(`connection lost: ${visible(lost)}`, columns, 2);
      const ordered = [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
      // Beside the rows: the head, what is left out, the last line, and that of the cursor.
      const room = Math.max(1, rows - notes.length - 4);
      const shown = ordered.length <= room ? ordered : mostUrgent(ordered, room);
      const left = ordered.length - shown.length;
      const table = fitTable(
        columnsOf(watched),
        shown.map((each) => rowOf(visibleIn(each), watched)),
        columns,
      );
      const [head = "", ...body] = table;
      page.draw([
        ...(ordered.length === 0
          ? [hasSynced ? noneText(watched.kind, watched.namespace) : "reading …"]
          : [
              paint.bold(head),
              ...body.map((row, index) => {
                const each = shown[index];
                return each !== undefined && urgencyOf(each) > 1 ? paint.yellow(row) : row;
              }),
            ]),
        ...(left === 0 ? [] : [paint.dim(`… ${left} more`)]),
        ...notes.map((note) => paint.yellow(note)),
        paint.dim("press Ctrl-C to exit"),
      ]);
    },
    end: () => page.end(),
  };
}

/** The rows that are shown when there are more, in their order: what is blocked before what is not ready before the others. */
function mostUrgent(all: readonly Explanation[], room: number): readonly Explanation[] {
  const chosen = new Set(all.toSorted((one, other) => urgencyOf(other) - urgencyOf(one)).slice(0, room));
  return all.filter((each) => chosen.has(each));
}

function urgencyOf({ blockers, conditions, object }: Explanation): number {
  if (blockers.length > 0) return 2;
  const isReady = findCondition(conditions, readyCondition)?.status === "True";
  return isReady && object.deletingSince === undefined ? 0 : 1;
}

/** What goes first when there is no room has the highest number. */
function columnsOf({ showsNamespace, hasLifecycle }: WatchedKind): readonly TableColumn[] {
  return [
    ...(showsNamespace ? [{ title: "NAMESPACE", least: 6, fair: 16, spare: 0 }] : []),
    { title: "NAME", least: 8, fair: 24, spare: 0 },
    ...(hasLifecycle
      ? [
          { title: "STATE", least: 8, spare: 0 },
          { title: "DESIRED", least: 8, spare: 2 },
        ]
      : []),
    { title: "READY", least: 5, spare: 0 },
    { title: "AGE", least: 3, spare: 3 },
    { title: "MESSAGE", least: 12, fair: 24, spare: 1 },
  ];
}

function rowOf(
  { object, state, target, conditions, blockers, paused }: Explanation,
  { showsNamespace, hasLifecycle }: WatchedKind,
): readonly string[] {
  const [age = ""] = formatLength(object.age).split(" ");
  const ready = findCondition(conditions, readyCondition)?.status ?? "Unknown";
  const says = findCondition(conditions, hasLifecycle ? "Lifecycle" : readyCondition)?.message ?? "";
  const message =
    blockers[0]?.message ??
    (object.deletingSince === undefined
      ? paused === undefined
        ? says
        : "paused"
      : `being deleted: ${says}`);
  return [
    ...(showsNamespace ? [object.namespace ?? ""] : []),
    object.name,
    ...(hasLifecycle ? [state?.name ?? "", target?.state ?? ""] : []),
    ready,
    age,
    message.replace(/\s+/g, " "),
  ];
}
