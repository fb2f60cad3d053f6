import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import type { KubeClient, Patch } from "../../src/client/kube-client.ts";
import type { EventManifest } from "../../src/events/event-manifest.ts";
import { createEventRecorder, type EventRecorder } from "../../src/events/event-recorder.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { Logger } from "../../src/ports/logger.ts";
import { createVirtualClock, type VirtualClock } from "../../src/testing/virtual-clock.ts";
import { withDate, type SetClock } from "../support/set-clock.ts";

/** Remembers what it is sent; answers with the failures it is given, in order. */
class ScriptedClient {
  readonly created: EventManifest[] = [];
  readonly patched: {
    readonly name: string;
    readonly series: { count: number; lastObservedTime: string };
  }[] = [];
  readonly failures: Error[] = [];
  hang = false;

  async create(_type: unknown, manifest: EventManifest): Promise<unknown> {
    await this.#answer();
    this.created.push(manifest);
    return manifest;
  }

  async patch(_type: unknown, key: { readonly name: string }, patch: Patch): Promise<unknown> {
    await this.#answer();
    const body = (patch as { body: { series: { count: number; lastObservedTime: string } } }).body;
    this.patched.push({ name: key.name, series: body.series });
    return {};
  }

  async #answer(): Promise<void> {
    if (this.hang) await new Promise(() => undefined);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}

const apiError = (status: number, reason: string): ApiError =>
  new ApiError(reason, { status, reason, details: {}, retryAfter: undefined, request: "create events" });

const database = (name = "main"): KubeObject => ({
  apiVersion: "data.example.com/v1",
  kind: "Database",
  metadata: {
    name,
    namespace: "prod",
    uid: `uid-${name}`,
    resourceVersion: "7",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
});

const started = { type: "Normal", reason: "Started", action: "Start", note: "it runs" } as const;

let clock: VirtualClock;
let date: SetClock;
let client: ScriptedClient;
let events: EventRecorder;
let warnings: string[];

beforeEach(() => {
  clock = createVirtualClock();
  date = withDate(clock);
  client = new ScriptedClient();
  warnings = [];
  const log: Logger = {
    child: () => log,
    debug: () => undefined,
    info: () => undefined,
    warn: (fields, message) => warnings.push(`${message}: ${String(fields["why"] ?? fields["lost"])}`),
    error: () => undefined,
  };
  events = createEventRecorder({
    client: client as unknown as KubeClient,
    clock: date,
    component: "database-operator",
    instance: "database-operator-1",
    log,
  });
});

describe("an event recorder", () => {
  it("creates an Event about the object, with a time of six digits", async () => {
    events.record(database(), { ...started, related: database("other") });
    await clock.settle();
    expect(client.created).toEqual([
      {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^main\.[0-9a-f]+$/), namespace: "prod" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        type: "Normal",
        reason: "Started",
        action: "Start",
        note: "it runs",
        regarding: {
          apiVersion: "data.example.com/v1",
          kind: "Database",
          name: "main",
          namespace: "prod",
          uid: "uid-main",
          resourceVersion: "7",
        },
        related: expect.objectContaining({ name: "other" }),
        reportingController: "database-operator",
        reportingInstance: "database-operator-1",
      },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("puts an Event about a cluster-scoped object into the namespace default", async () => {
    const { namespace: _namespace, ...metadata } = database().metadata;
    events.record({ ...database(), metadata }, started);
    await clock.settle();
    expect(client.created[0]?.metadata.namespace).toBe("default");
    expect(client.created[0]?.regarding).not.toHaveProperty("namespace");
  });

  it("uses the reason as the action when there is none, as the server requires one", async () => {
    events.record(database(), { type: "Warning", reason: "Lost", note: "gone" });
    await clock.settle();
    expect(client.created[0]).toMatchObject({ type: "Warning", reason: "Lost", action: "Lost" });
  });

  it("counts the same event within six minutes in the series of the first", async () => {
    events.record(database(), started);
    await clock.advance(1_000);
    events.record(database(), started);
    await clock.advance(1_000);
    expect(client.created).toHaveLength(1);
    expect(client.patched).toEqual([
      {
        name: client.created[0]?.metadata.name,
        series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" },
      },
    ]);
  });

  it("tells the server of a busy series at most every ten seconds, and of its last count", async () => {
    for (let second = 0; second < 60; second += 1) {
      events.record(database(), started);
      await clock.advance(1_000);
    }
    await clock.advance(20_000);
    expect(client.created).toHaveLength(1);
    expect(client.patched.length).toBeLessThanOrEqual(8);
    expect(client.patched.at(-1)?.series.count).toBe(60);
    expect(clock.pendingTimers).toBe(0);
  });

  it("starts a new Event when the same comes back after more than six minutes", async () => {
    events.record(database(), started);
    await clock.advance(6 * 60_000 + 1);
    events.record(database(), started);
    await clock.settle();
    expect(client.created).toHaveLength(2);
    expect(client.created[0]?.metadata.name).not.toBe(client.created[1]?.metadata.name);
    expect(client.patched).toEqual([]);
  });

  it("keeps events apart that differ in object, reason or note", async () => {
    events.record(database(), started);
    events.record(database("other"), started);
    events.record(database(), { ...started, reason: "Restarted" });
    events.record(database(), { ...started, note: "it runs again" });
    await clock.advance(1_000);
    expect(client.created).toHaveLength(4);
    expect(new Set(client.created.map((event) => event.metadata.name)).size).toBe(4);
  });

  it("creates the Event again when it has expired on the server", async () => {
    events.record(database(), started);
    await clock.settle();
    client.failures.push(apiError(404, "NotFound"));
    events.record(database(), started);
    await clock.advance(1_000);
    expect(client.created).toHaveLength(2);
    expect(client.created[1]?.series?.count).toBe(2);
  });

  it("cuts a long note at a whole character, to at most 1024 bytes", async () => {
    events.record(database(), { ...started, note: "ö".repeat(2_000) });
    await clock.settle();
    const note = client.created[0]?.note ?? "";
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(note)).toBeGreaterThan(1_020);
    expect(note).toMatch(/^ö+…$/);
  });

  it("tries again after a failure that may pass, and sends once", async () => {
    client.failures.push(apiError(503, "ServiceUnavailable"), apiError(429, "TooManyRequests"));
    events.record(database(), started);
    await clock.advance(500);
    expect(client.created).toEqual([]);
    await clock.advance(5_000);
    expect(client.created).toHaveLength(1);
    expect(events.dropped).toBe(0);
  });

  it("takes a name that exists already for its own earlier attempt", async () => {
    client.failures.push(apiError(409, "AlreadyExists"));
    events.record(database(), started);
    await clock.advance(60_000);
    expect(client.created).toEqual([]);
    expect(events.dropped).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it("gives up an Event that the server refuses, warns once, and goes on", async () => {
    client.failures.push(apiError(403, "Forbidden"), apiError(422, "Invalid"));
    events.record(database(), started);
    events.record(database(), { ...started, reason: "Second" });
    events.record(database(), { ...started, reason: "Third" });
    await clock.advance(60_000);
    expect(client.created.map((event) => event.reason)).toEqual(["Third"]);
    expect(events.dropped).toBe(2);
    expect(warnings).toEqual(["Kubernetes Event dropped: the server does not allow it"]);
  });

  it("gives up after some attempts while the server is away", async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) client.failures.push(new Error("no connection"));
    events.record(database(), started);
    await clock.advance(10 * 60_000);
    expect(client.created).toEqual([]);
    expect(events.dropped).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("sends one object's ever new notes at 25 at once, then one a minute", async () => {
    const noisy = (count: number): void => {
      for (let index = 0; index < count; index += 1) {
        events.record(database(), { ...started, note: `at ${clock.now()} for the ${index}th time` });
      }
    };
    noisy(100);
    events.record(database("quiet"), started);
    await clock.advance(2_000);
    expect(client.created).toHaveLength(26);
    await clock.advance(60_000);
    noisy(100);
    await clock.settle();
    expect(client.created).toHaveLength(27);
    expect(events.dropped).toBe(75 + 99);
  });

  it("holds a bounded number of events while nothing can be sent", async () => {
    client.hang = true;
    const failed = { ...started, type: "Warning" } as const;
    for (let index = 0; index < 1_500; index += 1) events.record(database(`db-${index}`), failed);
    await clock.settle();
    expect(events.dropped).toBe(500);
  });

  it("sends routine events of ever new objects so that other requests have their turn between them, and none that is no news any more", async () => {
    for (let index = 0; index < 10_000; index += 1) events.record(database(`db-${index}`), started);
    await clock.settle();
    expect(client.created).toHaveLength(1);
    await clock.advance(1_000);
    expect(client.created).toHaveLength(1 + 20);
    await clock.advance(4_000);
    const soFar = client.created.length;
    await clock.advance(1_000);
    expect(client.created).toHaveLength(soFar + 2);
    await clock.advance(60_000);
    expect(client.created).toHaveLength(25 + 30 * 2);
    expect(events.dropped).toBe(10_000 - 85);
    expect(clock.pendingTimers).toBe(0);
  });

  it("has the news that routine events of many objects came again wait for its turn as well, and loses none of it", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `object-${index}`);
    for (const name of names.slice(0, 25)) events.record(database(name), started);
    await clock.advance(60_000);
    for (const name of names.slice(0, 25)) events.record(database(name), started);
    await clock.advance(1_000);
    expect(client.patched.length).toBeLessThanOrEqual(21);
    for (const name of names) events.record(database(name), started);
    await clock.advance(1_000);
    expect(client.patched.length).toBeLessThanOrEqual(27);
    await clock.advance(60_000);
    const told = names.slice(0, 25).map((name) => {
      const event = client.created.find(({ regarding }) => regarding?.name === name);
      return client.patched.findLast((each) => each.name === event?.metadata.name)?.series.count;
    });
    expect(told).toEqual(Array.from({ length: 25 }, () => 3));
    expect(clock.pendingTimers).toBe(0);
  });

  it("sends a warning at once, whatever routine events wait", async () => {
    for (let index = 0; index < 100; index += 1) events.record(database(`db-${index}`), started);
    await clock.settle();
    events.record(database("late"), { ...started, type: "Warning", reason: "Failed" });
    await clock.settle();
    expect(client.created).toHaveLength(2);
    expect(client.created.at(-1)).toMatchObject({ reason: "Failed", regarding: { name: "late" } });
  });

  it("never lets the caller wait or fail", () => {
    client.failures.push(new Error("no connection"));
    expect(events.record(database(), started)).toBeUndefined();
  });
});

describe("flush", () => {
  it("sends everything that waits, due or not", async () => {
    for (let index = 0; index < 3; index += 1) {
      events.record(database(), started);
      await clock.advance(1_000);
    }
    expect(client.patched.at(-1)?.series.count).toBe(2);
    await events.flush(new AbortController().signal);
    expect(client.patched.at(-1)?.series.count).toBe(3);
    expect(clock.pendingTimers).toBe(0);
    expect(warnings).toEqual([]);
  });

  it("ends when the signal is aborted, says what is lost, and leaves no timer", async () => {
    client.hang = true;
    events.record(database(), started);
    events.record(database("other"), started);
    const abort = new AbortController();
    const flushed = events.flush(abort.signal);
    await clock.settle();
    abort.abort();
    await flushed;
    expect(warnings).toEqual(["Kubernetes Events were not sent in time: 2"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not try again what fails while it flushes", async () => {
    client.failures.push(new Error("no connection"));
    events.record(database(), started);
    await events.flush(new AbortController().signal);
    expect(client.created).toEqual([]);
    expect(events.dropped).toBe(1);
  });

  it("has nothing to do when nothing waits", async () => {
    await events.flush(new AbortController().signal);
    expect(client.created).toEqual([]);
  });
});

it("goes on counting, pacing and retrying when the date is set back", async () => {
  client.failures.push(apiError(503, "ServiceUnavailable"));
  events.record(database(), started);
  await clock.settle();
  date.set(-3_600_000);
  await clock.advance(1_000);
  expect(client.created).toHaveLength(1);
  events.record(database(), started);
  await clock.advance(10_000);
  expect(client.patched).toMatchObject([
    { series: { count: 2, lastObservedTime: "2025-12-31T23:00:01.000000Z" } },
  ]);
  const names = Array.from({ length: 30 }, (_, number) => `many-${number}`);
  for (const name of names) events.record(database(name), started);
  await clock.advance(5_000);
  expect(client.created).toHaveLength(31);
  expect(events.dropped).toBe(0);
});
