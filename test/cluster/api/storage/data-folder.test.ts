import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiObject } from "../../../../src/cluster/api/api-object.ts";
import { DataFolder } from "../../../../src/cluster/api/storage/data-folder.ts";
import { ObjectStore, tooOld } from "../../../../src/cluster/api/storage/object-store.ts";
import type { Logger } from "../../../../src/ports/logger.ts";
import type { OperatorError } from "../../../../src/ports/operator-error.ts";
import { systemClock } from "../../../../src/ports/system-clock.ts";

let folder = "";
let warnings: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "xstate-operator-data-"));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const log = { warn: (_fields: object, message: string) => void warnings.push(message) } as unknown as Logger;
const object = (name: string, data: string): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { a: data, "\u2028": "\n\u0000ü" },
});

async function open(snapshotAfter?: number): Promise<{ store: ObjectStore; data: DataFolder }> {
  const data = await DataFolder.open(folder, {
    clock: systemClock,
    log,
    ...(snapshotAfter === undefined ? {} : { snapshotAfter }),
  });
  return { data, store: new ObjectStore({ journal: data }) };
}

/** What clients can ask of a store. */
const contentOf = (store: ObjectStore): unknown => ({
  revision: store.revision,
  configmaps: store.list("configmaps"),
  secrets: store.list("secrets"),
});
const logFile = (): string =>
  join(
    folder,
    readdirSync(folder)
      .filter((name) => name.startsWith("log-"))
      .at(-1) ?? "",
  );

describe("a folder of data", () => {
  it("has all that was stored, at the same revisions, without having been closed", async () => {
    const { store } = await open();
    store.put("configmaps", object("a", "1"));
    const gone = store.put("configmaps", object("b", "1"));
    store.put("secrets", object("a", "2"));
    store.put("configmaps", object("a", "3"));
    store.remove("configmaps", gone);
    const again = await open();
    expect(contentOf(again.store)).toEqual(contentOf(store));
    const next = again.store.put("configmaps", object("c", "1"));
    expect(Number(next.metadata.resourceVersion)).toBe(store.revision + 1);
    expect((await open()).store.get("configmaps", "default", "c")).toEqual(next);
  });

  it("goes on for watches from every change that it still has, and says of those before that they are too old", async () => {
    const first = await open(2_000);
    for (let index = 0; index < 40; index += 1) first.store.put("configmaps", object("a", String(index)));
    await first.data.close();
    const { store } = await open(2_000);
    expect(store.revision).toBe(41);
    expect(store.changesSince("configmaps", 3)).toBe(tooOld);
    expect(store.changesSince("never-seen", 3)).toBe(tooOld);
    expect(store.listAt("configmaps", 3)).toBe(tooOld);
    const missed = store.changesSince("configmaps", 40);
    expect(missed).not.toBe(tooOld);
    expect(missed).toMatchObject([{ type: "MODIFIED", revision: 41 }]);
  });

  it("is shortened by snapshots, however often it is opened", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { store, data } = await open(1_000);
      for (let index = 0; index < 30; index += 1)
        store.put("configmaps", object(`a${index % 7}`, `${round}${index}`));
      const before = contentOf(store);
      await data.close();
      expect(contentOf((await open()).store)).toEqual(before);
      expect(readdirSync(folder).length).toBeLessThan(4);
    }
    expect(warnings).toEqual([]);
  });

  it("cuts off a change that was not written wholly, wherever it ends, and tells", async () => {
    const { store, data } = await open();
    store.put("configmaps", object("a", "1"));
    const before = contentOf(store);
    const { length } = readFileSync(logFile());
    store.put("configmaps", object("a", "2"));
    await data.close();
    const whole = readFileSync(logFile());
    for (const size of [length + 1, length + 8, length + 9, whole.length - 2, whole.length - 1]) {
      writeFileSync(logFile(), whole.subarray(0, size));
      warnings = [];
      const again = await open();
      expect(contentOf(again.store)).toEqual(before);
      expect(warnings).toEqual(["the last change was not written wholly, and is cut off"]);
      expect(readFileSync(logFile())).toHaveLength(length);
      again.store.put("configmaps", object("b", "1"));
      expect((await open()).store.list("configmaps")).toHaveLength(2);
    }
  });

  it("cuts off a change of which a machine without power has left zeros", async () => {
    const { store, data } = await open();
    store.put("configmaps", object("a", "1"));
    await data.close();
    for (const left of ["\0\0\0", `0123abcd [7,"con\0\0`]) {
      appendFileSync(logFile(), left);
      expect(contentOf((await open()).store)).toEqual(contentOf(store));
    }
  });

  it.each([
    ["the first change", 20],
    ["the change before the last", -300],
    ["the last change", -20],
    ["the checksum of the last change", "last line"],
  ])("is refused and left as it is when %s is not as it was written", async (_what, place) => {
    const { store, data } = await open();
    for (const value of ["1", "2", "3"]) store.put("configmaps", object("a", value.repeat(200)));
    await data.close();
    const bytes = readFileSync(logFile());
    const at = place === "last line" ? bytes.lastIndexOf(0x0a, -2) + 1 : Number(place);
    const index = at < 0 ? bytes.length + at : at;
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    writeFileSync(logFile(), bytes);
    const error = (await open().catch((cause: unknown) => cause)) as OperatorError;
    expect([error.code, error.message]).toEqual(["CLUSTER_DATA_DAMAGED", expect.stringContaining(logFile())]);
    expect(readFileSync(logFile())).toEqual(bytes);
    // What is advised leads on with what comes before.
    const [, size = ""] = /`truncate -s (\d+) /.exec(error.remedy ?? "") ?? [];
    truncateSync(logFile(), Number(size));
    const kept = bytes.subarray(0, Number(size)).toString().split("\n").length - 1;
    expect((await open()).store.revision).toBe(1 + kept);
  });

  it.each([
    ["overwritten with text", (path: string) => writeFileSync(path, "something else altogether")],
    ["overwritten with lines", (path: string) => writeFileSync(path, "one\ntwo\n")],
    ["overwritten with zeros", (path: string) => writeFileSync(path, Buffer.alloc(500))],
    ["emptied", (path: string) => writeFileSync(path, "")],
    ["removed", (path: string) => rmSync(path)],
  ])("is refused and left as it is when its log was %s", async (_how, harm) => {
    const { store, data } = await open();
    writeFileSync(join(folder, "identity.json"), "{}");
    store.put("configmaps", object("a", "1"));
    await data.close();
    const path = logFile();
    harm(path);
    const left = readdirSync(folder);
    const bytes = left.includes(basename(path)) ? readFileSync(path) : undefined;
    await expect(open()).rejects.toMatchObject({ code: "CLUSTER_DATA_DAMAGED" });
    expect(readdirSync(folder)).toEqual(left);
    if (bytes !== undefined) expect(readFileSync(path)).toEqual(bytes);
  });

  it("is refused when a log is missing between a snapshot and the next one", async () => {
    const { store, data } = await open(1_000);
    for (let index = 0; index < 30; index += 1) store.put("configmaps", object("a", String(index)));
    await data.close();
    const [begin = 0] = readdirSync(folder)
      .filter((name) => name.startsWith("log-"))
      .map((name) => Number(name.slice(4)));
    renameSync(logFile(), join(folder, `log-${String(begin + 1).padStart(16, "0")}`));
    const lines = readFileSync(logFile(), "utf8").split("\n");
    expect(lines.length).toBeGreaterThan(2);
    writeFileSync(logFile(), lines.slice(1).join("\n"));
    await expect(open()).rejects.toMatchObject({
      code: "CLUSTER_DATA_DAMAGED",
      message: expect.stringContaining("a log is missing"),
    });
  });

  it("ignores a snapshot that was not finished", async () => {
    const { store, data } = await open();
    store.put("configmaps", object("a", "1"));
    await data.close();
    writeFileSync(join(folder, "snapshot-0000000000000009.new"), "half");
    expect(contentOf((await open()).store)).toEqual(contentOf(store));
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  it("takes a change back that cannot be written, and stores the next one", async () => {
    const { store, data } = await open();
    store.put("configmaps", object("a", "1"));
    await data.close();
    expect(() => store.put("configmaps", object("a", "2"))).toThrow();
    expect(store.get("configmaps", "default", "a")?.["data"]).toMatchObject({ a: "1" });
    expect(contentOf((await open()).store)).toEqual(contentOf(store));
  });

  it("has what was stored after any cut, up to there", async () => {
    const change = fc.tuple(
      fc.constantFrom("configmaps", "secrets"),
      fc.constantFrom("a", "b", "c"),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 25 }),
        fc.nat(),
        fc.nat(2_000),
        async (changes, cut, after) => {
          rmSync(folder, { recursive: true });
          folder = mkdtempSync(join(tmpdir(), "xstate-operator-data-"));
          const { store, data } = await open(after);
          const states = [contentOf(store)];
          for (const [space, name, isRemoval] of changes) {
            const present = store.get(space, "default", name);
            if (isRemoval && present === undefined) continue;
            if (isRemoval && present !== undefined) store.remove(space, present);
            else store.put(space, object(name, String(store.revision)));
            states.push(contentOf(store));
          }
          await data.close();
          const { length } = readFileSync(logFile());
          truncateSync(logFile(), Math.max(0, length - (cut % (length + 1))));
          appendFileSync(logFile(), "");
          const found = contentOf((await open()).store);
          expect(states).toContainEqual(found);
          if (cut % (length + 1) === 0) expect(found).toEqual(states.at(-1));
        },
      ),
      { numRuns: 40 },
    );
  });
});
