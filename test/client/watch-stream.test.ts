import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WatchEvent } from "../../src/client/kube-client.ts";
import { WatchDecoder } from "../../src/client/watch-stream.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const objectNamed = (name: string, resourceVersion = "1") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, uid: "u", resourceVersion, creationTimestamp: "" },
});
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

function decode(...chunks: readonly (string | Uint8Array)[]): WatchEvent<KubeObject>[] {
  const seen: WatchEvent<KubeObject>[] = [];
  const receive = (event: WatchEvent<KubeObject>) => void seen.push(event);
  const decoder = new WatchDecoder({ request: "GET /watch", receive, omitManagedFields: false });
  for (const chunk of chunks) void decoder.take(Buffer.from(chunk as Uint8Array));
  decoder.end();
  return seen;
}

/** The bytes, cut at places that are numbers of any size. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

describe("watch stream", () => {
  it("decodes the same events however the bytes are cut, also within a character", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (names, places) => {
          const bytes = Buffer.from(names.map((name) => line("ADDED", objectNamed(name))).join(""));
          const events = decode(...cut(bytes, places));
          expect(events).toEqual(names.map((name) => ({ type: "ADDED", object: objectNamed(name) })));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("hands over each event as soon as its line is complete, before an error in what comes with it", () => {
    fc.assert(
      fc.property(
        fc.nat(6),
        fc.constantFrom('{"type":"MODI\n', line("ERROR", { kind: "Status", code: 410 }), '{"type":"MODI'),
        fc.array(fc.nat(), { maxLength: 10 }),
        (count, wrong, places) => {
          const seen: unknown[] = [];
          const decoder = new WatchDecoder({
            request: "GET /watch",
            receive: (event) => void seen.push(event),
            omitManagedFields: true,
          });
          const good = Array.from({ length: count }, (_, index) => line("ADDED", objectNamed(`ö${index}`)));
          const bytes = Buffer.from(good.join("") + wrong);
          expect(() => {
            for (const chunk of cut(bytes, places)) void decoder.take(chunk);
            decoder.end();
          }).toThrow();
          expect(seen).toHaveLength(count);
        },
      ),
    );
  });

  it("reads lines of many megabytes in small pieces", () => {
    const text = "ü".repeat(2_000_000);
    const bytes = Buffer.from(line("ADDED", { ...objectNamed("a"), data: { text } }));
    const chunks = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, index) =>
      bytes.subarray(index * 16_384, (index + 1) * 16_384),
    );
    expect(decode(...chunks)).toMatchObject([{ type: "ADDED", object: { data: { text } } }]);
  });

  it("tells bookmarks, and which one ends the initial events", () => {
    const bookmark = (annotations?: object) =>
      line("BOOKMARK", { kind: "ConfigMap", metadata: { resourceVersion: "8", annotations } });
    expect(decode(bookmark(), bookmark({ "k8s.io/initial-events-end": "true" }))).toEqual([
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: false },
      { type: "BOOKMARK", resourceVersion: "8", initialEventsEnd: true },
    ]);
  });

  it("throws an ERROR line as the ApiError that it is", () => {
    const status = {
      kind: "Status",
      code: 410,
      reason: "Expired",
      message: "too old resource version: 1 (457)",
    };
    expect(() => decode(line("ADDED", objectNamed("a")), line("ERROR", status))).toThrow(
      expect.objectContaining({
        code: "API_GONE",
        status: 410,
        message: expect.stringContaining("too old resource version"),
      }),
    );
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
  ])("never drops a line: one that is %s is an error", (_, text, message) => {
    expect(() => decode(text)).toThrow(
      expect.objectContaining({ code: "WATCH_MALFORMED", message: expect.stringContaining(message) }),
    );
  });

  it("throws when the stream ends within a line", () => {
    expect(() => decode(line("ADDED", objectNamed("a")), '{"type":"MODI')).toThrow(
      expect.objectContaining({ code: "WATCH_TRUNCATED" }),
    );
  });

  it("quotes only the beginning of a line, which might hold a secret", () => {
    const secret = `{"type":"ADDED","object":{"kind":"Secret","data":${"x".repeat(100)}swordfish\n`;
    expect(() => decode(secret)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("swordfish") }),
    );
  });

  it("skips empty lines", () => {
    expect(decode("\n\n", line("ADDED", objectNamed("a")), " \n")).toHaveLength(1);
  });
});
