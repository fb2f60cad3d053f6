import { describe, expect, test } from "vitest";
import type { Change } from "../../src/cache/informer.ts";
import { Echoes } from "../../src/controller/changes/echoes.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const key = "ns/a";

function child(version: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "child",
      namespace: "ns",
      uid: "of-child",
      resourceVersion: version,
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
  };
}

/** Echoes of a run, and which versions of the child were asked about. */
function create() {
  const seen = new Set<string>();
  const underWay = new Set<string>();
  const asked: string[] = [];
  const echoes = new Echoes({
    ownWrites: { hasSeen: (of, uid, version) => seen.has(`${of} ${uid} ${version}`) },
    isUnderWay: (of) => underWay.has(of),
  });
  const change = (version: string, change: Change<KubeObject>["type"] = "modified"): void => {
    const object = child(version);
    const made: Change<KubeObject> =
      change === "modified"
        ? { type: change, object, old: child("0") }
        : change === "added"
          ? { type: change, object, initial: false }
          : { type: change, object, synthetic: false };
    const ask = (): void => void asked.push(version);
    if (!echoes.covers(key, made, ask)) ask();
  };
  return {
    asked,
    change,
    begin: () => underWay.add(key),
    see: (version: string) => seen.add(`${key} of-child ${version}`),
    end() {
      underWay.delete(key);
      echoes.ended(key);
    },
  };
}

describe("echoes of a run", () => {
  test.each(["added", "modified"] as const)(
    "an object that is %s by a run which sees it asks for no other",
    (type) => {
      const run = create();
      run.begin();
      run.change("2", type);
      run.see("2");
      run.end();
      expect(run.asked).toEqual([]);
    },
  );

  test("what a run does not see is asked about when it has ended, and not before", () => {
    const run = create();
    run.begin();
    run.change("2");
    run.change("3");
    expect(run.asked).toEqual([]);
    run.see("2");
    run.end();
    expect(run.asked).toEqual(["3"]);
  });

  test("an echo that comes after its run asks for nothing, what somebody else has changed does at once", () => {
    const run = create();
    run.begin();
    run.see("2");
    run.end();
    run.change("2");
    run.change("3");
    expect(run.asked).toEqual(["3"]);
  });

  test("a child that is gone is asked about at once", () => {
    const run = create();
    run.begin();
    run.see("2");
    run.change("2", "deleted");
    expect(run.asked).toEqual(["2"]);
  });

  test("a run is asked about what it did not see once, however often it runs", () => {
    const run = create();
    run.begin();
    run.change("2");
    run.end();
    run.begin();
    run.end();
    expect(run.asked).toEqual(["2"]);
  });

  test("of a run that sees very much only some is held back, and nothing is lost", () => {
    const run = create();
    const versions = Array.from({ length: 40 }, (_, at) => String(at + 1));
    run.begin();
    for (const version of versions) run.change(version);
    expect(run.asked.length).toBeGreaterThan(0);
    run.end();
    expect(run.asked.toSorted((one, other) => Number(one) - Number(other))).toEqual(versions);
  });
});
