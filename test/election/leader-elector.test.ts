import { describe, expect, it } from "vitest";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/virtual-clock.ts";
import { startCandidate, type Candidate, type CandidateOptions } from "./candidate.ts";
import { LeaseServer } from "./lease-server.ts";
import type { Fate } from "./wire.ts";

interface Stage {
  readonly clock: VirtualClock;
  readonly server: LeaseServer;
  start(name: string, options?: CandidateOptions): Candidate;
  /** Seconds pass. */
  pass(seconds: number): Promise<void>;
}

function setUp(): Stage {
  const clock = createVirtualClock();
  const server = new LeaseServer(clock);
  return {
    clock,
    server,
    start: (name, options) => startCandidate(server, clock, name, options),
    pass: (seconds) => clock.advance(seconds * 1000),
  };
}

/** `a` leads, `b` stands by. */
async function setUpTwo(options: CandidateOptions = {}, second: CandidateOptions = {}) {
  const stage = setUp();
  const a = stage.start("a", options);
  await stage.pass(1);
  const b = stage.start("b", second);
  await stage.pass(1);
  expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
  return { ...stage, a, b };
}

/** The fate of one candidate's calls from now on. */
function doom(server: LeaseServer, name: string, fate: Fate, ...only: string[]): void {
  server.fate = (by, call) => (by === name && (only.length === 0 || only.includes(call)) ? fate : {});
}

describe("one candidate", () => {
  it("creates the Lease and leads at once", async () => {
    const { server, start, pass } = setUp();
    const a = start("a");
    await pass(0);
    expect(a.elector.state).toBe("leader");
    expect(server.calls("a")).toEqual(["get", "create"]);
    expect(server.lease).toMatchObject({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "default", name: "operator" },
      spec: {
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        acquireTime: "2026-01-01T00:00:00.000000Z",
        renewTime: "2026-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
  });

  it("renews with one request each time, within the retry period, and keeps the time it took over", async () => {
    const { server, start, pass } = setUp();
    start("a");
    await pass(60);
    const [, , ...renewals] = server.served;
    expect(new Set(renewals.map(({ call }) => call))).toEqual(new Set(["update"]));
    expect(renewals).toHaveLength(40);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:01:00.000000Z",
      leaseTransitions: 0,
    });
  });

  it.each([
    [0, 1000],
    [1, 2000],
  ])("waits between half and the whole retry period (random %d)", async (random, delay) => {
    const { clock, server, start, pass } = setUp();
    const begin = clock.now();
    start("a", { random: () => random });
    await pass(2);
    expect(server.served.find(({ call }) => call === "update")?.at).toBe(begin + delay);
  });

  it("refuses writes before it leads and after it has resigned", async () => {
    const { server, start, pass } = setUp();
    const a = start("a");
    expect(await a.write()).toBe("LEADERSHIP_MISSING");
    await pass(0);
    expect(await a.write()).toBe("written");
    expect(await a.elector.resign()).toBe("released");
    expect(await a.write()).toBe("LEADERSHIP_LOST");
    expect(server.calls("a")).toEqual(["get", "create", "apply", "update"]);
  });

  it("leaves no timer behind", async () => {
    const { clock, start, pass } = setUp();
    const a = start("a");
    await pass(5);
    await a.elector.resign();
    expect(clock.pendingTimers).toBe(0);
  });

  it("tells by metric whether it leads", async () => {
    const { start, pass } = setUp();
    const values: number[] = [];
    const silent = { with: () => ({ inc: () => undefined, observe: () => undefined }) };
    const a = start("a", {
      metrics: {
        counter: () => silent,
        histogram: () => silent,
        gauge: (options) => {
          expect(options.name).toBe("leader_election_master_status");
          return { set: (_, value) => void values.push(value), reset: () => undefined };
        },
        onScrape: () => () => undefined,
      },
    });
    await pass(0);
    expect(values.at(-1)).toBe(1);
    expect(values[0]).toBe(0);
    await a.elector.resign();
    expect(values.at(-1)).toBe(0);
  });
});

describe("two candidates", () => {
  it("elect exactly one, and it stays (T72)", async () => {
    const { server, pass, a, b } = await setUpTwo();
    await pass(600);
    expect([a.elector.state, b.elector.term.held]).toEqual([expect.any(String), false]);
    expect(a.elector.term.held).toBe(true);
    expect(b.elector.holder).toBe("a");
    expect(new Set(server.calls("b"))).toEqual(new Set(["get"]));
    expect(server.lease?.spec?.leaseTransitions).toBe(0);
  });

  it("that start at the same instant elect one", async () => {
    const { server, start, pass } = setUp();
    server.fate = () => ({ requestDelay: 5, answerDelay: 5 });
    const all = ["a", "b", "c"].map((name) => start(name));
    await pass(5);
    expect(all.filter(({ elector }) => elector.term.held).map(({ name }) => name)).toEqual(["a"]);
    expect(server.calls("b").slice(0, 2)).toEqual(["get", "create"]);
  });

  it("hand over within the retry period when the leader resigns", async () => {
    const { clock, server, a, b } = await setUpTwo();
    expect(await a.elector.resign()).toBe("released");
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    const released = clock.now();
    expect(await clock.advanceUntil(() => b.elector.term.held, 60_000)).toBe(true);
    expect(clock.now() - released).toBeLessThanOrEqual(2000);
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: "b",
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
    });
  });

  it("hand over after the lease duration when the leader is gone, not earlier", async () => {
    const { clock, server, a, b } = await setUpTwo();
    a.clock.suspend(true);
    const last = server.served.findLast(({ by }) => by === "a")?.at ?? 0;
    expect(await clock.advanceUntil(() => b.elector.term.held, 60_000)).toBe(true);
    expect(clock.now() - last).toBeGreaterThanOrEqual(15_000);
    expect(clock.now() - last).toBeLessThanOrEqual(15_000 + 4000);
  });

  it.each([
    ["a day ahead", 86_400_000],
    ["a day behind", -86_400_000],
  ])("do not care that the leader's clock is %s", async (_, offset) => {
    const { clock, pass, a, b } = await setUpTwo({ offset });
    await pass(120);
    expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
    a.clock.suspend(true);
    expect(await clock.advanceUntil(() => b.elector.term.held, 19_000)).toBe(true);
  });

  it("keep to the duration that the holder has written, not to their own", async () => {
    const { clock, server, a, b } = await setUpTwo({ leaseDuration: "60s" });
    a.clock.suspend(true);
    const last = server.served.findLast(({ by }) => by === "a")?.at ?? 0;
    expect(await clock.advanceUntil(() => b.elector.term.held, 120_000)).toBe(true);
    expect(clock.now() - last).toBeGreaterThanOrEqual(60_000);
  });

  it("leave a standby that resigns out of it at once, with no further request", async () => {
    const { server, a, b } = await setUpTwo();
    const before = server.served.length;
    expect(await b.elector.resign()).toBe("stopped");
    expect(server.served.length).toBe(before);
    expect(a.elector.term.held).toBe(true);
  });

  it("leave out a standby whose look is not answered at once", async () => {
    const { server, pass, b } = await setUpTwo();
    doom(server, "b", { lost: "answer" });
    await pass(3);
    expect(b.elector.state).toBe("candidate");
    expect(await b.elector.resign()).toBe("stopped");
  });
});

describe("a leader that cannot renew", () => {
  const refusals: [string, Fate][] = [
    ["500", { status: 500 }],
    ["403", { status: 403 }],
    ["429", { status: 429 }],
    ["no answer", { lost: "request" }],
    ["lost answers", { lost: "answer" }],
  ];

  it.each(refusals)("gives up at its deadline, before another can lead (%s)", async (_, fate) => {
    const { clock, server, a, b } = await setUpTwo();
    doom(server, "a", fate, "update");
    const answered = clock.now();
    expect(await clock.advanceUntil(() => !a.elector.term.held, 60_000)).toBe(true);
    expect(b.elector.term.held).toBe(false);
    expect(clock.now() - answered).toBeLessThanOrEqual(10_000);
    expect(clock.now() - answered).toBeGreaterThan(7000);
    expect(isOperatorError(a.elector.term.signal.reason, "LEADERSHIP_LOST")).toBe(true);
    expect(await a.write()).toBe("LEADERSHIP_LOST");
    expect(server.calls("a")).not.toContain("apply");
    await clock.advance(0);
    expect(a.end()).toBe("lost");
    expect(await clock.advanceUntil(() => b.elector.term.held, 60_000)).toBe(true);
  });

  it("survives a single lost answer", async () => {
    const { server, pass, a, b } = await setUpTwo();
    let lost = 0;
    server.fate = (by, call) => (by === "a" && call === "update" && lost++ === 0 ? { lost: "answer" } : {});
    await pass(60);
    expect(lost).toBeGreaterThan(1);
    expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
    // The renewal without an answer was taken, so the next one was refused and the Lease read again.
    expect(server.calls("a")).toContain("get");
  });

  it("goes on while renewals are slow, but in time", async () => {
    const { server, pass, a, b } = await setUpTwo();
    doom(server, "a", { requestDelay: 2000, answerDelay: 2000 });
    await pass(300);
    expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
  });

  it("counts its term from the sending of a renewal, not from the answer", async () => {
    const { clock, server, start, pass } = setUp();
    const a = start("a");
    await pass(0);
    let sent = 0;
    server.fate = (_, call) => {
      if (call !== "update" || sent !== 0) return { lost: "request" };
      sent = clock.now();
      return { requestDelay: 0, answerDelay: 4000 };
    };
    expect(await clock.advanceUntil(() => !a.elector.term.held, 60_000)).toBe(true);
    expect(clock.now() - sent).toBe(10_000);
  });
});

describe("a leader whose Lease is touched by other hands", () => {
  it("goes on when labels change", async () => {
    const { server, pass, a, b } = await setUpTwo();
    server.edit({ labels: { team: "data" } });
    await pass(60);
    expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
    expect(server.lease?.metadata.labels).toEqual({ team: "data" });
  });

  it("goes on when the Lease is deleted, and nobody who knew it jumps in", async () => {
    const { server, pass, a, b } = await setUpTwo();
    server.delete();
    await pass(60);
    expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
    expect(server.lease?.spec?.holderIdentity).toBe("a");
    expect(server.calls("b")).not.toContain("create");
  });

  it("goes on when its name is erased without the marks of a release", async () => {
    const { server, pass, a, b } = await setUpTwo();
    server.edit({ spec: { holderIdentity: "" } });
    await pass(60);
    expect([a.elector.term.held, b.elector.term.held]).toEqual([true, false]);
    expect(server.lease?.spec?.holderIdentity).toBe("a");
  });

  it("stops at its next renewal when another name is written", async () => {
    const { server, pass, a } = await setUpTwo();
    server.edit({ spec: { holderIdentity: "z" } });
    await pass(2);
    expect(a.elector.term.held).toBe(false);
    expect(a.end()).toBe("lost");
    expect(String(a.elector.term.signal.reason)).toContain('"z" leads now');
    expect(server.lease?.spec?.holderIdentity).toBe("z");
  });

  it("lets another lead once a Lease that was deleted with its leader has run out", async () => {
    const { clock, server, pass, a, b } = await setUpTwo();
    a.clock.suspend(true);
    server.delete();
    await pass(14);
    expect(b.elector.term.held).toBe(false);
    expect(await clock.advanceUntil(() => b.elector.term.held, 10_000)).toBe(true);
  });
});

describe("a candidate that meets errors", () => {
  it.each(["get", "create"])("tries again until %s works", async (call) => {
    const { server, start, pass } = setUp();
    server.fate = (_, each) => (each === call ? { status: 503 } : {});
    const a = start("a");
    await pass(30);
    expect(a.elector.term.held).toBe(false);
    server.fate = () => ({});
    await pass(2);
    expect(a.elector.term.held).toBe(true);
  });

  it("leads after a claim whose answer was lost, without waiting for its own term to run out", async () => {
    const { server, start, pass } = setUp();
    server.fate = (_, call) => (call === "create" ? { lost: "answer" } : {});
    const a = start("a");
    await pass(7);
    expect(a.elector.term.held).toBe(true);
    expect(server.calls("a")).toEqual(["get", "create", "get", "update"]);
  });

  it("says what is wrong once, not at every try", async () => {
    const { server, start, pass } = setUp();
    const lines: unknown[] = [];
    const log: Logger = {
      child: () => log,
      debug: () => undefined,
      info: () => undefined,
      warn: (fields) => void lines.push(fields["error"]),
      error: () => undefined,
    };
    server.fate = () => ({ status: 403 });
    start("a", { log });
    await pass(60);
    expect(lines).toEqual(["the Lease cannot be read: Refused (403)"]);
  });
});

describe("a leader that was suspended", () => {
  it("makes no write when it wakes, before any timer of its own has fired", async () => {
    const { clock, server, a, b } = await setUpTwo();
    a.clock.suspend(true);
    expect(await clock.advanceUntil(() => b.elector.term.held, 60_000)).toBe(true);
    // Nothing has told it yet.
    expect(a.end()).toBeUndefined();
    expect(await a.write()).toBe("LEADERSHIP_LOST");
    expect(server.calls("a")).not.toContain("apply");
    expect(await b.write()).toBe("written");
    a.clock.suspend(false);
    await clock.settle();
    expect(a.end()).toBe("lost");
    expect(server.lease?.spec?.holderIdentity).toBe("b");
  });

  it("is lost even when nobody has taken over", async () => {
    const { clock, server, start, pass } = setUp();
    const a = start("a");
    await pass(1);
    a.clock.suspend(true);
    await pass(11);
    a.clock.suspend(false);
    await clock.settle();
    expect(a.end()).toBe("lost");
    expect(server.calls("a").filter((call) => call === "update").length).toBeLessThanOrEqual(1);
  });

  it("is lost when its renewal was answered while it slept too long", async () => {
    const { clock, server, start, pass } = setUp();
    const a = start("a");
    await pass(0);
    doom(server, "a", { answerDelay: 100 });
    await pass(1.55);
    a.clock.suspend(true);
    await pass(20);
    a.clock.suspend(false);
    await clock.settle();
    expect(a.end()).toBe("lost");
    expect(await a.write()).toBe("LEADERSHIP_LOST");
  });

  it("knows by the date when its monotonic clock stood still", async () => {
    const { a } = await setUpTwo();
    a.clock.step(10_000);
    expect(await a.write()).toBe("LEADERSHIP_LOST");
  });

  it("is not kept alive by a date that was set back", async () => {
    const { clock, server, a } = await setUpTwo();
    doom(server, "a", { lost: "request" }, "update");
    a.clock.step(-3_600_000);
    expect(await clock.advanceUntil(() => !a.elector.term.held, 10_000)).toBe(true);
    expect(await a.write()).toBe("LEADERSHIP_LOST");
  });
});

describe("letting go", () => {
  it.each<[string, Fate]>([
    ["refused", { status: 500 }],
    ["not answered", { lost: "request" }],
  ])("ends without release when it is %s", async (_, fate) => {
    const { clock, server, a, b } = await setUpTwo();
    doom(server, "a", fate, "update");
    void a.elector.resign();
    expect(await clock.advanceUntil(() => a.end() !== undefined, 10_000)).toBe(true);
    expect(a.end()).toBe("unreleased");
    expect(await clock.advanceUntil(() => b.elector.term.held, 20_000)).toBe(true);
  });

  it("repeats itself after an edit by other hands, and keeps that edit", async () => {
    const { server, a } = await setUpTwo();
    server.edit({ labels: { team: "data" } });
    expect(await a.elector.resign()).toBe("released");
    expect(server.lease).toMatchObject({
      metadata: { labels: { team: "data" } },
      spec: { holderIdentity: "" },
    });
  });

  it("leaves alone what another holds by now", async () => {
    const { server, a } = await setUpTwo();
    server.edit({ spec: { holderIdentity: "z" } });
    expect(await a.elector.resign()).toBe("released");
    expect(server.lease?.spec?.holderIdentity).toBe("z");
  });

  it("keeps the name in the Lease while a write may still arrive", async () => {
    const { server, pass, a } = await setUpTwo();
    doom(server, "a", { requestDelay: 3000 }, "apply");
    const write = a.write();
    await pass(0.1);
    expect(await a.elector.resign()).toBe("unreleased");
    expect(await write).toBe("LEADERSHIP_LOST");
    expect(server.lease?.spec?.holderIdentity).toBe("a");
  });

  it("aborts a write under way when the term ends under it", async () => {
    const { clock, server, pass, a } = await setUpTwo();
    server.fate = (by) => (by === "a" ? { lost: "request" } : {});
    await pass(5);
    let outcome: string | undefined;
    void a.write().then((value) => (outcome = value));
    await clock.settle();
    expect(outcome).toBeUndefined();
    await pass(7);
    expect(outcome).toBe("LEADERSHIP_LOST");
  });

  it("waits for a claim that is under way", async () => {
    const { server, start, pass } = setUp();
    server.fate = (_, call) => (call === "create" ? { requestDelay: 500, answerDelay: 500 } : {});
    const a = start("a");
    await pass(0.1);
    const end = a.elector.resign();
    await pass(2);
    expect(await end).toBe("released");
    expect(server.lease?.spec?.holderIdentity).toBe("");
  });

  it("at the first look claims nothing", async () => {
    const { server, start } = setUp();
    const a = start("a");
    expect(await a.elector.resign()).toBe("stopped");
    expect(server.lease).toBeUndefined();
  });
});
