import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WatchEvent } from "../../src/client/kube-client.ts";
import { decodeWatch } from "../../src/client/watch-stream.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";

const objectNamed = (name: string, resourceVersion = "1") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, uid: "u", resourceVersion, creationTimestamp: "" },
});
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

async function* chunksOf(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

async function decode(chunks: AsyncIterable<Uint8Array>): Promise<WatchEvent<KubeObject>[]> {
  const seen: WatchEvent<KubeObject>[] = [];
  const options = { request: "GET /watch", clock: createVirtualClock(), idleTimeout: undefined };
  for await (const event of decodeWatch(chunks, options)) seen.push(event);
  return seen;
}

describe("watch stream", () => {
  it("decodes the same events however the bytes are cut, also within a character", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { maxLength: 8 }),
        fc.array(fc.nat(400), { maxLength: 20 }),
        async (names, cuts) => {
          const bytes = Buffer.from(names.map((name) => line("ADDED", objectNamed(name))).join(""));
          const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
            (one, other) => one - other,
          );
          const chunks = [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
          const events = await decode(chunksOf(...chunks));
          expect(events).toEqual(names.map((name) => ({ type: "ADDED", object: objectNamed(name) })));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("tells bookmarks, and which one ends the initial events", async () => {
    const bookmark = (annotations?: object) =>
      line("BOOKMARK", { kind: "ConfigMap", metadata: { resourceVersion: "8", annotations } });
    expect(await decode(chunksOf(bookmark(), bookmark({ "k8s.io/initial-events-end": "true" })))).toEqual([
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: false },
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: true },
    ]);
  });

  it("throws an ERROR line as the ApiError that it is", async () => {
    const status = {
      kind: "Status",
      code: 410,
      reason: "Expired",
      message: "too old resource version: 1 (457)",
    };
    await expect(
      decode(chunksOf(line("ADDED", objectNamed("a")), line("ERROR", status))),
    ).rejects.toMatchObject({
      code: "API_GONE",
      status: 410,
      message: expect.stringContaining("too old resource version"),
    });
  });

  it.each([
    ["not JSON", '{"type":"ADDED","obj\n', "is not JSON"],
    ["null", "null\n", "has no object"],
    ["without an object", '{"type":"ADDED"}\n', "has no object"],
    [
      "an object without a version",
      line("MODIFIED", { metadata: { name: "a" } }),
      "has no object with a resourceVersion",
    ],
    ["of an unknown type", line("RENAMED", objectNamed("a")), 'has the unknown type "RENAMED"'],
  ])("never drops a line: one that is %s is an error", async (_, text, message) => {
    await expect(decode(chunksOf(text))).rejects.toMatchObject({
      code: "WATCH_MALFORMED",
      message: expect.stringContaining(message),
    });
  });

  it("throws when the stream ends within a line", async () => {
    await expect(decode(chunksOf(line("ADDED", objectNamed("a")), '{"type":"MODI'))).rejects.toMatchObject({
      code: "WATCH_TRUNCATED",
    });
  });

  it("quotes only the beginning of a line, which might hold a secret", async () => {
    const secret = `{"type":"ADDED","object":{"kind":"Secret","data":${"x".repeat(100)}swordfish\n`;
    await expect(decode(chunksOf(secret))).rejects.toThrow(expect.not.stringContaining("swordfish"));
  });

  it("skips empty lines", async () => {
    expect(await decode(chunksOf("\n\n", line("ADDED", objectNamed("a")), " \n"))).toHaveLength(1);
  });

  it("counts silence only while it waits, not while its reader works", async () => {
    const clock = createVirtualClock();
    const gate = Promise.withResolvers<void>();
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(line("ADDED", objectNamed("a")));
      yield Buffer.from(line("ADDED", objectNamed("b")));
      await gate.promise;
    }
    const events = decodeWatch(body(), { request: "GET /watch", clock, idleTimeout: 1_000 });
    await events.next();
    await clock.advance(5_000);
    expect((await events.next()).value).toMatchObject({ object: { metadata: { name: "b" } } });
    const silent = expect(events.next()).rejects.toMatchObject({ code: "WATCH_IDLE" });
    await clock.advance(1_000);
    await silent;
    expect(clock.pendingTimers).toBe(0);
  });
});
