// Prints a recording resource by resource, run by run as it is read, and plans its cycles again meanwhile.
import { courseOf, isQuiet, type RunCourse } from "../../recording/course.ts";
import type { RecordedResource, RecordingReader } from "../../recording/recording-reader.ts";
import type { PresentKind } from "../../recording/replay-cycle.ts";
import { ResourceReplay, type ResourceVerdict } from "../../recording/replay-resource.ts";
import { sleep } from "../../ports/clock.ts";
import { systemClock } from "../../ports/system-clock.ts";
import {
  formatGone,
  formatHead,
  formatQuiet,
  formatResource,
  formatRun,
  formatVerdict,
  instantOf,
} from "./format-course.ts";

/** What of a resource can be said after the replay. */
export interface ReplayedResource {
  readonly kind: string;
  readonly key: string;
  readonly uid: string;
  /** Absent when nothing could be planned again. */
  readonly verdict?: ResourceVerdict;
  /** Why nothing was planned again. */
  readonly left?: string;
}

/** Where the pieces go. */
export interface RecordingView {
  begin(): void;
  resource(resource: RecordedResource): void;
  run(course: RunCourse): void;
  resourceEnd(resource: RecordedResource): void;
  /** `replayed` is absent when no module was named. */
  end(replayed: readonly ReplayedResource[] | undefined): void;
}

/** Shows everything; the verdicts. Ends early when the signal is aborted. */
export async function showRecording(
  reader: RecordingReader,
  view: RecordingView,
  present: ReadonlyMap<string, PresentKind> | undefined,
  signal: AbortSignal,
): Promise<readonly ReplayedResource[]> {
  const replayed: ReplayedResource[] = [];
  view.begin();
  for (const resource of reader.resources) {
    const { kind, key, uid } = resource;
    const now = present?.get(kind);
    const replay =
      now === undefined ? undefined : new ResourceReplay(now, (pause) => sleep(systemClock, pause));
    let cycle = 0;
    view.resource(resource);
    for (const indexed of resource.runs) {
      if (signal.aborted) return replayed;
      const line = await reader.read(indexed);
      cycle += line.cycles.length;
      view.run(courseOf(line, cycle));
      await replay?.take(line);
    }
    view.resourceEnd(resource);
    const left =
      cycle === 0 ? "it contains no lifecycle cycles" : `the operator has no kind ${kind} with a lifecycle`;
    replayed.push({
      kind,
      key,
      uid,
      ...(replay === undefined || cycle === 0 ? { left } : { verdict: replay.verdict }),
    });
  }
  view.end(present === undefined ? undefined : replayed);
  return replayed;
}

/** For people. */
export function textView(file: string, reader: RecordingReader, out: (text: string) => void): RecordingView {
  let quiet: [first: number, last: number, runs: number] | undefined;
  const flush = (): void => {
    if (quiet !== undefined) out(formatQuiet(quiet));
    quiet = undefined;
  };
  return {
    begin: () => out(formatHead(file, reader)),
    resource: (resource) => out(formatResource(resource)),
    run: (course) => {
      if (isQuiet(course)) {
        quiet = [quiet?.[0] ?? course.at, course.at, (quiet?.[2] ?? 0) + 1];
        return;
      }
      flush();
      out(formatRun(course));
    },
    resourceEnd: ({ goneAt }) => {
      flush();
      if (goneAt !== undefined) out(formatGone(goneAt));
    },
    end: (replayed) => {
      if (replayed === undefined) return;
      out("\nThe same cycles, planned by the current operator\n");
      for (const { verdict, left, ...resource } of replayed) {
        if (verdict !== undefined) out(formatVerdict(resource, verdict));
        else out(`  ${resource.kind} ${resource.key}: not replayed: ${left ?? ""}\n`);
      }
    },
  };
}

/** One JSON document, written as it comes. */
export function jsonView(file: string, reader: RecordingReader, out: (text: string) => void): RecordingView {
  const { headers, kinds, from, to, runs, dropped, damage } = reader;
  let [isFirstResource, isFirstRun] = [true, true];
  return {
    begin: () => {
      const processes = headers.map(({ session, pid, startedAt, ...header }) => ({
        session,
        pid,
        package: header.package,
        startedAt: instantOf(startedAt),
      }));
      const recording = {
        file,
        operator: headers[0]?.operator,
        from: instantOf(from),
        to: instantOf(to),
        processes,
        kinds: kinds.map(({ kind, group, version, machine }) => ({ kind, group, version, machine })),
        runs,
        dropped,
        damage,
      };
      out(`{"recording":${JSON.stringify(recording)},\n"resources":[`);
    },
    resource: ({ kind, key, uid, goneAt }) => {
      const gone = goneAt === undefined ? {} : { goneAt: instantOf(goneAt) };
      const head = JSON.stringify({ kind, key, uid, ...gone });
      out(`${isFirstResource ? "" : ","}\n${head.slice(0, -1)},"course":[`);
      [isFirstResource, isFirstRun] = [false, true];
    },
    run: (course) => {
      const writes = course.writes.map((write) => ({ ...write, at: instantOf(write.at) }));
      out(`${isFirstRun ? "" : ","}\n  ${JSON.stringify({ ...course, at: instantOf(course.at), writes })}`);
      isFirstRun = false;
    },
    resourceEnd: () => out("]}"),
    end: (replayed) => {
      out(
        `\n]${replayed === undefined ? "" : `,\n"replay":${JSON.stringify(replayed.map(jsonVerdict))}`}}\n`,
      );
    },
  };
}

function jsonVerdict({ verdict, ...resource }: ReplayedResource): object {
  if (verdict === undefined) return resource;
  const { first, ...rest } = verdict;
  return {
    ...resource,
    ...rest,
    ...(first === undefined ? {} : { first: { ...first, at: instantOf(first.at) } }),
  };
}
