import { describe, expect, it } from "vitest";
import type { KubeClient, RequestOptions } from "../../src/client/kube-client.ts";
import { createFencedClient } from "../../src/election/fenced-client.ts";
import { LeadershipTerm, momentOf } from "../../src/election/leadership-term.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { isOperatorError, OperatorError } from "../../src/ports/operator-error.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

interface Call {
  readonly verb: string;
  readonly args: readonly unknown[];
}

function setUp() {
  const clock = createVirtualClock();
  const calls: Call[] = [];
  const pending = Promise.withResolvers<void>();
  const options: { hang: boolean } = { hang: false };
  // Every method of the port records its call, so that one that is added is covered by the tests below.
  const client = new Proxy({} as KubeClient, {
    get: (_, verb) =>
      verb === "server"
        ? "https://server"
        : (...args: unknown[]) => {
            calls.push({ verb: String(verb), args });
            if (!options.hang) return Promise.resolve({});
            const last = args.at(-1) as { signal: AbortSignal };
            last.signal.addEventListener("abort", () => pending.reject(last.signal.reason));
            return pending.promise;
          },
  });
  const term = new LeadershipTerm({ clock, length: 10_000, name: "default/operator", identity: "me" });
  return { clock, calls, options, term, fenced: createFencedClient(client, term) };
}

/** A term that has begun, on a clock whose timers never fire, and a client that is suspended before what it sends goes out. */
function setUpSuspended() {
  let [now, later] = [0, 0];
  const clock = { now: () => now, setTimeout: () => ({}), clearTimeout: () => undefined };
  const calls: string[] = [];
  const client = new Proxy({} as KubeClient, {
    get:
      (_, verb) =>
      async (...args: unknown[]) => {
        calls.push(String(verb));
        await Promise.resolve();
        now = later;
        (args.at(-1) as RequestOptions).beforeSend?.();
      },
  });
  const term = new LeadershipTerm({ clock, length: 10_000, name: "default/operator", identity: "me" });
  term.extend(momentOf(clock));
  return { wakeLate: () => (later = 10_000), calls, term, fenced: createFencedClient(client, term) };
}

const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "a" } };
const key = { namespace: "default", name: "a" };

const writes: [string, (client: KubeClient, signal?: AbortSignal) => Promise<unknown>][] = [
  ["create ConfigMap default/a", (c, signal) => c.create(ConfigMap, manifest, signal && { signal })],
  ["update ConfigMap default/a", (c, signal) => c.update(ConfigMap, manifest, signal && { signal })],
  [
    "patch ConfigMap default/a",
    (c, signal) => c.patch(ConfigMap, key, { type: "merge", body: {} }, signal && { signal }),
  ],
  [
    "apply ConfigMap default/a",
    (c, signal) => c.apply(ConfigMap, manifest, { fieldManager: "m", ...(signal && { signal }) }),
  ],
  ["delete ConfigMap default/a", (c, signal) => c.delete(ConfigMap, key, signal && { signal })],
  ["POST /x", (c, signal) => c.request({ method: "POST", path: "/x", ...(signal && { signal }) })],
  ["PUT /x", (c) => c.request({ method: "PUT", path: "/x" })],
  ["PATCH /x", (c) => c.request({ method: "PATCH", path: "/x" })],
  ["DELETE /x", (c) => c.request({ method: "DELETE", path: "/x" })],
];

const reads: [string, (client: KubeClient) => unknown][] = [
  ["get", (c) => c.get(ConfigMap, key)],
  ["list", (c) => c.list(ConfigMap)],
  ["follow", (c) => c.follow(ConfigMap, { signal: new AbortController().signal }, () => undefined)],
  ["request", (c) => c.request({ method: "GET", path: "/version" })],
];

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "done",
    (error: unknown) => (error as OperatorError).code,
  );
}

describe("a fenced client", () => {
  it.each(writes)("refuses %s before, and after, but not during the term", async (_, write) => {
    const { clock, calls, term, fenced } = setUp();
    expect(await codeOf(write(fenced))).toBe("LEADERSHIP_MISSING");
    expect(calls).toEqual([]);
    term.extend(momentOf(clock));
    await clock.advance(9_999);
    expect(await codeOf(write(fenced))).toBe("done");
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(await codeOf(write(fenced))).toBe("LEADERSHIP_LOST");
    expect(calls).toHaveLength(1);
  });

  it.each(reads)("lets %s pass at any time", async (verb, read) => {
    const { calls, fenced } = setUp();
    await read(fenced);
    expect(calls.map((call) => call.verb)).toEqual([verb]);
  });

  it("says what was refused, for what, and why", async () => {
    const { term, fenced } = setUp();
    term.endByTakeover("other");
    const error: unknown = await fenced.delete(ConfigMap, key).catch((caught: unknown) => caught);
    expect(isOperatorError(error, "LEADERSHIP_LOST")).toBe(true);
    expect(String(error)).toContain("delete ConfigMap default/a is refused");
    expect(String(error)).toContain("default/operator");
    expect(String((error as Error).cause)).toContain('"other" leads now');
  });

  it("aborts a write under way with the term, and with the caller's signal", async () => {
    for (const by of ["term", "caller"] as const) {
      const { clock, options, term, fenced } = setUp();
      term.extend(momentOf(clock));
      options.hang = true;
      const caller = new AbortController();
      const outcome = codeOf(fenced.create(ConfigMap, manifest, { signal: caller.signal }));
      await clock.settle();
      if (by === "term") await clock.advance(10_000);
      else caller.abort(new OperatorError("STOPPED", "the caller stops"));
      expect(await outcome).toBe(by === "term" ? "LEADERSHIP_LOST" : "STOPPED");
      expect(term.isQuiet(5000)).toBe(false);
      await clock.advance(5000);
      expect(term.isQuiet(5000)).toBe(true);
    }
  });

  it.each(writes)("asks once more when %s goes out, whatever its timers have said", async (_, write) => {
    const { wakeLate, calls, term, fenced } = setUpSuspended();
    expect(await codeOf(write(fenced))).toBe("done");
    wakeLate();
    expect(term.signal.aborted).toBe(false);
    expect(await codeOf(write(fenced))).toBe("LEADERSHIP_LOST");
    expect(calls).toHaveLength(2);
  });

  it("asks what the caller asks as well", async () => {
    const { fenced } = setUpSuspended();
    const beforeSend = (): void => {
      throw new OperatorError("STOPPED", "the caller stops");
    };
    expect(await codeOf(fenced.create(ConfigMap, manifest, { beforeSend }))).toBe("STOPPED");
  });

  it("lets no listener pile up on the caller's signal", async () => {
    const { clock, term, fenced } = setUp();
    term.extend(momentOf(clock));
    let listeners = 0;
    const { signal } = new AbortController();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: unknown[]) => {
      listeners += 1;
      Reflect.apply(addEventListener, signal, args);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      listeners -= 1;
      Reflect.apply(removeEventListener, signal, args);
    };
    for (let each = 0; each < 5; each += 1) await fenced.create(ConfigMap, manifest, { signal });
    expect(listeners).toBe(0);
  });
});

describe("a term", () => {
  it("is prolonged from when the renewal was sent", async () => {
    const { clock, term } = setUp();
    const sent = momentOf(clock);
    await clock.advance(3000);
    expect(term.extend(sent)).toBe(true);
    expect(term.remaining()).toBe(7000);
  });

  it("does not begin with an answer that came too late, but may with the next", async () => {
    const { clock, term } = setUp();
    const sent = momentOf(clock);
    await clock.advance(10_000);
    expect(term.extend(sent)).toBe(false);
    expect(term.signal.aborted).toBe(false);
    expect(term.extend(momentOf(clock))).toBe(true);
  });

  it("does not come back once it is over, although no timer has fired yet", () => {
    let now = 0;
    const clock = { now: () => now, setTimeout: () => ({}), clearTimeout: () => undefined };
    const term = new LeadershipTerm({ clock, length: 10_000, name: "default/operator", identity: "me" });
    term.extend(momentOf(clock));
    now = 9000;
    const sent = momentOf(clock);
    now = 10_000;
    expect(term.signal.aborted).toBe(false);
    expect(term.extend(sent)).toBe(false);
    expect(term.held).toBe(false);
    expect(isOperatorError(term.signal.reason, "LEADERSHIP_LOST")).toBe(true);
  });

  it("leaves no timer behind when it ends", () => {
    const { clock, term } = setUp();
    term.extend(momentOf(clock));
    expect(clock.pendingTimers).toBe(1);
    term.endByResignation();
    expect(clock.pendingTimers).toBe(0);
  });
});
