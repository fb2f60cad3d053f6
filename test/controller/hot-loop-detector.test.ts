import { array, assert, boolean, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HotLoopDetector,
  type RunRequest,
  type Trace,
} from "../../src/controller/detectors/hot-loop-detector.ts";

const limits = { runs: 30, within: 60_000, longestDelay: 60_000 };
const own: Trace = { object: "ConfigMap ns/a", fields: ["data.now"], own: true };
const foreign: Trace = { object: "ConfigMap ns/a", fields: ["data.mode"], own: false };
const rollout: Trace = { object: "Deployment ns/a", fields: [], own: false };

function ask(traces: readonly Trace[], more: Partial<RunRequest> = {}): RunRequest {
  return { traces, urgent: false, due: false, ...more };
}

/** Plays a key whose every run sets off the next one after `gap` milliseconds; the instants at which it ran. */
function circle(detector: HotLoopDetector, trace: Trace, gap: number, until: number, start = 0): number[] {
  const ran: number[] = [];
  let now = start;
  while (now < until) {
    const admission = detector.admit("ns/a", ask([trace]), now);
    if (admission.kind === "wait") now += admission.after;
    else {
      ran.push(now);
      now += gap;
    }
  }
  return ran;
}

/** The trace of a child that the controller has made for the key just now. */
function created(detector: HotLoopDetector, name: number | string): Trace {
  const creation = { kind: "ConfigMap", turn: detector.turn };
  return { object: `ConfigMap ns/${name}`, fields: ["(added)"], own: true, creation };
}

/** Plays a key of which each run makes so many new children, each of which causes a run; how often it ran until it had to wait. */
function chain(detector: HotLoopDetector, runs: number, childrenEach = 1): number {
  const events: Trace[] = [];
  let run = 0;
  do {
    const cause = events.shift();
    const request = cause === undefined ? ask([], { urgent: true }) : ask([cause]);
    if (detector.admit("ns/a", request, run * 10).kind === "wait") return run;
    const children = run < runs ? childrenEach : 0;
    for (let child = 0; child < children; child += 1) events.push(created(detector, `${run}-${child}`));
    run += 1;
  } while (events.length > 0);
  return Infinity;
}

describe("hot loop detector", () => {
  it.each([own, foreign])("slows a circle down more and more, up to the bound ($own)", (trace) => {
    const detector = new HotLoopDetector(limits);
    const ran = circle(detector, trace, 100, 3_600_000);
    expect(ran.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, run) => run * 100));
    const gaps = ran.slice(29).map((instant, index, all) => (all[index + 1] ?? 0) - instant);
    expect(gaps.slice(0, 7)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(detector.loopOf("ns/a")).toEqual({
      object: "ConfigMap ns/a",
      own: trace.own,
      fields: trace.fields,
    });
  });

  it("leaves alone what recurs more slowly than the limit", () => {
    const detector = new HotLoopDetector(limits);
    expect(circle(detector, own, 2_100, 3_600_000)).toHaveLength(Math.ceil(3_600_000 / 2_100));
    expect(detector.loopOf("ns/a")).toBeUndefined();
  });

  it.each([
    ["a rollout: the status of a child changes all the time", ask([rollout])],
    ["polling: a delay that was asked for is over", ask([], { due: true })],
    ["a person who edits the spec all the time", ask([own], { urgent: true })],
  ])("never slows down %s", (_name, request) => {
    const detector = new HotLoopDetector(limits);
    for (let now = 0; now < 600_000; now += 50) {
      expect(detector.admit("ns/a", request, now)).toEqual({ kind: "run" });
    }
    expect(detector.loopOf("ns/a")).toBeUndefined();
  });

  it("never slows down who makes many children, each written once", () => {
    const detector = new HotLoopDetector(limits);
    for (let child = 0; child < 1_000; child += 1) {
      const trace = { object: `ConfigMap ns/${child}`, fields: ["(added)"], own: true };
      expect(detector.admit("ns/a", ask([trace]), child * 20)).toEqual({ kind: "run" });
    }
  });

  it("finds a circle that makes a new child in each run, and slows it down like any other", () => {
    const detector = new HotLoopDetector(limits);
    const ran: number[] = [];
    let [now, cause] = [0, ask([rollout], { urgent: true })];
    while (now < 3_600_000) {
      const admission = detector.admit("ns/a", cause, now);
      if (admission.kind === "wait") now += admission.after;
      else {
        ran.push(now);
        cause = ask([created(detector, now)]);
        now += 100;
      }
    }
    // Thirty runs that were caused by a creation and have made another child; the last child tells of the thirtieth.
    expect(ran.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, run) => run * 100));
    const gaps = ran.slice(31).map((instant, index, all) => (all[index + 1] ?? 0) - instant);
    expect(gaps.slice(0, 7)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(detector.loopOf("ns/a")).toEqual({
      object: "ConfigMap ns/3000",
      own: true,
      fields: ["(added)"],
      newEachRun: "ConfigMap",
    });
  });

  it.each([
    ["in one run", 1, 500],
    ["over a few runs, each caused by a child of the one before", 25, 20],
    ["one in each run, 30 in all", 30, 1],
  ])("never slows down who makes the children of a roll-out %s", (_name, runs, childrenEach) => {
    const detector = new HotLoopDetector(limits);
    expect(chain(detector, runs, childrenEach)).toBe(Infinity);
    expect(detector.loopOf("ns/a")).toBeUndefined();
  });

  it("never slows down who makes children at the pace that was asked for, however long that takes", () => {
    const detector = new HotLoopDetector(limits);
    let cause = ask([], { urgent: true });
    for (let run = 0; run < 500; run += 1) {
      expect(detector.admit("ns/a", cause, run * 10)).toEqual({ kind: "run" });
      cause = ask([created(detector, run)]);
      detector.paced("ns/a");
    }
    expect(detector.loopOf("ns/a")).toBeUndefined();
  });

  it("never slows down who makes a child whenever it is due, however often", () => {
    const detector = new HotLoopDetector(limits);
    for (let now = 0; now < 60_000; now += 500) {
      detector.admit("ns/a", ask([rollout], { due: true }), now);
      detector.admit("ns/a", ask([created(detector, now)]), now + 1);
    }
    expect(detector.loopOf("ns/a")).toBeUndefined();
  });

  it("blames the deletion of a child that is made again, and lets neither event go round the delay", () => {
    const detector = new HotLoopDetector(limits);
    const [gone, back] = [
      { ...own, fields: ["(deleted)"], own: false },
      { ...own, fields: ["(added)"] },
    ];
    for (let now = 0; now < 60_000; now += 200) {
      detector.admit("ns/a", ask([back]), now);
      detector.admit("ns/a", ask([gone]), now + 100);
    }
    expect(detector.loopOf("ns/a")).toEqual({ object: own.object, own: false, fields: ["(deleted)"] });
    for (const traces of [[back], [gone], [gone, back], [back, gone]]) {
      expect(detector.admit("ns/a", ask(traces), 60_000)).toMatchObject({ kind: "wait" });
    }
    expect(detector.admit("ns/a", ask([gone, rollout]), 60_000)).toEqual({ kind: "run" });
  });

  it("blames the controller that deletes its child itself and makes it again", () => {
    const detector = new HotLoopDetector(limits);
    for (let now = 0; now < 60_000; now += 100) {
      detector.admit(
        "ns/a",
        ask([
          { ...own, fields: ["(deleted)"] },
          { ...own, fields: ["(added)"] },
        ]),
        now,
      );
    }
    expect(detector.loopOf("ns/a")).toMatchObject({ object: own.object, own: true });
  });

  it("finds a circle although more objects than it remembers were written once, a while before", () => {
    const detector = new HotLoopDetector(limits);
    for (let child = 0; child < 100; child += 1) {
      detector.admit("ns/a", ask([{ ...own, object: `ConfigMap ns/${child}` }]), child);
    }
    detector.admit("ns/a", ask([foreign]), 50_000);
    circle(detector, own, 100, 120_000, 100_000);
    expect(detector.loopOf("ns/a")).toMatchObject({ object: own.object });
  });

  it("starts counting afresh with a new generation", () => {
    const detector = new HotLoopDetector(limits);
    circle(detector, own, 100, 2_900);
    detector.admit("ns/a", ask([foreign], { urgent: true }), 2_950);
    circle(detector, own, 100, 5_800, 3_000);
    expect(detector.loopOf("ns/a")).toBeUndefined();
  });

  it("lets a new generation through at once, however slowed down the key is, and goes on slowing down after it", () => {
    const detector = new HotLoopDetector(limits);
    circle(detector, own, 100, 600_000);
    expect(detector.admit("ns/a", ask([own]), 600_000)).toMatchObject({ kind: "wait" });
    expect(detector.admit("ns/a", ask([own, foreign], { urgent: true }), 600_001)).toEqual({ kind: "run" });
    expect(detector.admit("ns/a", ask([own]), 600_002)).toMatchObject({ kind: "wait" });
  });

  it("slows down only the field that a foreigner writes: another change of the object goes through", () => {
    const detector = new HotLoopDetector(limits);
    circle(detector, foreign, 100, 600_000);
    const other = { ...foreign, fields: ["metadata.labels.team"] };
    expect(detector.admit("ns/a", ask([foreign]), 600_000)).toMatchObject({ kind: "wait" });
    expect(detector.admit("ns/a", ask([foreign, other]), 600_000)).toEqual({ kind: "run" });
  });

  it("slows down what an own circle sets going elsewhere, too", () => {
    const detector = new HotLoopDetector(limits);
    circle(detector, own, 100, 600_000);
    expect(detector.admit("ns/a", ask([rollout]), 600_000)).toMatchObject({ kind: "wait" });
  });

  it("is over when nothing keeps the circle going, and not before", () => {
    const detector = new HotLoopDetector(limits);
    const last = circle(detector, own, 100, 10_000).at(-1) ?? 0;
    const quiet = detector.quietAfter("ns/a", last) ?? 0;
    expect(quiet).toBe(60_000);
    expect(detector.admit("ns/a", ask([]), last + quiet - 1)).toEqual({ kind: "run" });
    expect(detector.loopOf("ns/a")).toBeDefined();
    expect(detector.admit("ns/a", ask([]), last + quiet)).toMatchObject({
      kind: "run",
      ended: { object: own.object },
    });
    expect(detector.loopOf("ns/a")).toBeUndefined();
    expect(detector.size).toBe(0);
  });

  it("forgets keys that are quiet", () => {
    const detector = new HotLoopDetector(limits);
    for (let key = 0; key < 1_000; key += 1) detector.admit(`ns/${key}`, ask([foreign]), 0);
    expect(detector.size).toBe(1_000);
    detector.admit("ns/late", ask([foreign]), 60_001);
    expect(detector.size).toBe(1);
  });

  it("whatever happens: no wait is longer than the bound, urgent and due runs never wait, other keys never wait", () => {
    const step = record({
      key: constantFrom("busy", "busy", "busy", "calm"),
      gap: integer({ min: 0, max: 3_000 }),
      trace: constantFrom(own, foreign, rollout, { ...foreign, fields: ["data.mode", "data.other"] }),
      creates: boolean(),
      urgent: boolean(),
      due: boolean(),
    });
    assert(
      property(array(step, { minLength: 50, maxLength: 300 }), (steps) => {
        const detector = new HotLoopDetector({ runs: 5, within: 10_000, longestDelay: 7_000 });
        let now = 0;
        let calmAt = -Infinity;
        let waiting: number | undefined;
        for (const { key, gap, trace: change, creates, urgent, due } of steps) {
          const trace = creates ? created(detector, now) : change;
          now += gap;
          // The calm key changes too, but never five times within the ten seconds.
          if (key === "calm" && now - calmAt < 2_501) continue;
          if (key === "calm") calmAt = now;
          const request = { traces: [trace], urgent: urgent && key === "busy", due: due && key === "busy" };
          const admission = detector.admit(key, request, now);
          if (admission.kind === "wait") {
            expect(key).toBe("busy");
            expect(request).toMatchObject({ urgent: false, due: false });
            expect(admission.after).toBeGreaterThan(0);
            expect(admission.after).toBeLessThanOrEqual(7_000);
            waiting ??= now;
            expect(now - waiting).toBeLessThanOrEqual(7_000);
          } else if (key === "busy") waiting = undefined;
        }
      }),
      { numRuns: 300 },
    );
  });
});
