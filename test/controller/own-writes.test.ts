import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/cache/informer.ts";
import { Store } from "../../src/cache/store.ts";
import { ApiError } from "../../src/client/api-error.ts";
import { layered } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/builtin/core.ts";
import { OwnWrites } from "../../src/controller/changes/own-writes.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";

interface Sample extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status: { readonly seen: number; readonly foreign?: number };
}

function sample(version: number, size: number, seen: number, extra: object = {}): Sample {
  return {
    apiVersion: "v1",
    kind: "Sample",
    metadata: {
      name: "a",
      namespace: "ns",
      uid: "u",
      resourceVersion: String(version),
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...extra,
    },
    spec: { size },
    status: { seen },
  };
}

const type: ResourceType<Sample> = {
  group: "example.com",
  version: "v1",
  kind: "Sample",
  plural: "samples",
  namespaced: true,
};

function ledger(finalizer?: string): OwnWrites {
  const ours = finalizer === undefined ? {} : { finalizer };
  return new OwnWrites({ kind: type, overlayOf: () => undefined, ...ours });
}

/** A write that the server has made on the state before. */
function record(own: OwnWrites, before: Sample, after: Sample): void {
  own.recordWrite(type, after, before.metadata.resourceVersion);
}

describe("own writes", () => {
  it("know the watch event of an own status write", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(2, 1, 1));
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(true);
  });

  it("are told once: the same event again is a foreign one", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(2, 1, 1));
    own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) });
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(false);
  });

  it("let a foreign spec edit through that a relist shows together with the own write (T22)", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(3, 5, 1));
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(3, 5, 1) })).toBe(false);
  });

  it("let a foreign write through that the own one was not made on, as a relist shows the two together", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(3, 1, 1));
    expect(own.explains({ type: "modified", old: sample(2, 1, 0), object: sample(3, 1, 1) })).toBe(false);
  });

  it("let a delete request through that came in with the own write (T21)", () => {
    const own = ledger();
    const deleting = sample(2, 1, 1, { deletionTimestamp: "2026-01-01T00:00:01Z" });
    record(own, sample(1, 1, 0), deleting);
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: deleting })).toBe(false);
  });

  it("let a foreign status write through", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(2, 1, 1));
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(true);
    expect(own.explains({ type: "modified", old: sample(2, 1, 1), object: sample(3, 1, 9) })).toBe(false);
  });

  it("forget a deleted object", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(2, 1, 1));
    expect(own.explains({ type: "deleted", object: sample(2, 1, 1), synthetic: false })).toBe(false);
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(false);
  });

  it("know each of several own writes that the watch has not shown yet", () => {
    const own = ledger();
    record(own, sample(1, 1, 0), sample(2, 1, 1));
    record(own, sample(2, 1, 1), sample(3, 1, 2));
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: sample(2, 1, 1) })).toBe(true);
    expect(own.explains({ type: "modified", old: sample(2, 1, 1), object: sample(3, 1, 2) })).toBe(true);
  });

  it("know the watch event of our finalizer, and of no other", () => {
    const [ours, theirs] = ["x/ours", "x/theirs"];
    for (const [finalizers, expected] of [
      [[ours], true],
      [[theirs], false],
      [[ours, theirs], false],
    ] as const) {
      const own = ledger(ours);
      const marked = sample(2, 1, 0, { finalizers });
      record(own, sample(1, 1, 0), marked);
      expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: marked })).toBe(expected);
    }
  });

  it("let a delete request through that came in with our finalizer (T21)", () => {
    const own = ledger("x/ours");
    const deletionTimestamp = "2026-01-01T00:00:01Z";
    const deleting = sample(2, 1, 0, { finalizers: ["x/ours"], deletionTimestamp });
    record(own, sample(1, 1, 0), deleting);
    expect(own.explains({ type: "modified", old: sample(1, 1, 0), object: deleting })).toBe(false);
  });

  it("let the event through after which our finalizer is gone: what then holds the resource is to be told", () => {
    const own = ledger("x/ours");
    const before = sample(1, 1, 0, { finalizers: ["x/ours", "x/theirs"] });
    const after = sample(2, 1, 0, { finalizers: ["x/theirs"] });
    record(own, before, after);
    expect(own.explains({ type: "modified", old: before, object: after })).toBe(false);
  });

  it("of a state that is as it was are none: whoever made it, it was not us", () => {
    const own = ledger();
    own.recordWrite(type, sample(2, 1, 1), "2");
    expect(own.turnOf("u", "2")).toBeUndefined();
  });
});

/** A list of one object or none, by keys. */
const listed = (object: Sample | undefined): ReadonlyMap<string, Sample> =>
  new Map(object === undefined ? [] : [["ns/a", object]]);

/**
 * A server with one object, and a controller that writes its status through its ledger. What the server has stored, what
 * the watch has shown, what was answered, and what has run are four things, each of which happens at its own step.
 */
class Interleaving {
  readonly #store = new Store<Sample>();
  /** States of the object; undefined: it is gone. */
  readonly #history: (Sample | undefined)[] = [sample(1, 0, 0, { uid: "1" })];
  #shown = 0;
  readonly #answers: (() => void)[] = [];
  readonly #own: OwnWrites = new OwnWrites({
    kind: type,
    overlayOf: () => ({
      hasSynced: true,
      lister: { get: () => this.#store.get("ns/a") } as never,
      recordWrite: (object) => this.#look(this.#store.recordWrite(object as Sample)),
      recordDelete: (object) => this.#store.recordDelete(object as Sample),
    }),
  });
  readonly #client = layered(
    {
      patch: (
        _type: unknown,
        _key: unknown,
        { body }: { body: { metadata: { resourceVersion?: string } } },
      ) => this.#commit(body.metadata.resourceVersion),
    } as unknown as KubeClient,
    this.#own.layer,
  );
  #pending: Change<Sample>[] = [];
  /** What the last run has read. */
  reconciled: Sample | undefined;
  runs = 0;

  constructor() {
    this.#look(this.#store.replace(listed(this.last), "1", true));
    this.run();
  }

  get last(): Sample | undefined {
    return this.#history.at(-1);
  }

  get #version(): number {
    return this.#history.length + 1;
  }

  /** Writes the status, on the state that is read now or on whatever there is. */
  write(guarded: boolean): void {
    const read = this.#store.get("ns/a");
    if (read === undefined) return;
    const body = { metadata: guarded ? { resourceVersion: read.metadata.resourceVersion } : {} };
    void this.#client
      .patch(type, { namespace: "ns", name: "a" }, { type: "merge", body }, { subresource: "status" })
      .catch(() => undefined);
  }

  foreign(what: "spec" | "status" | "delete" | "create"): void {
    const now = this.last;
    const next = this.#version;
    if (what === "create") {
      if (now === undefined) this.#history.push(sample(next, 0, next, { uid: String(next) }));
    } else if (now !== undefined) {
      const extra = { uid: now.metadata.uid };
      if (what === "delete") this.#history.push(undefined);
      else if (what === "spec") this.#history.push(sample(next, now.spec.size + 1, now.status.seen, extra));
      else this.#history.push(foreignStatus(sample(next, now.spec.size, now.status.seen, extra), now, next));
    }
  }

  see(): void {
    if (this.#shown >= this.#history.length - 1) return;
    const before = this.#history[this.#shown];
    const after = this.#history[(this.#shown += 1)];
    const version = String(this.#shown + 1);
    if (after !== undefined)
      this.#look(this.#store.apply(before === undefined ? "ADDED" : "MODIFIED", after));
    else if (before !== undefined) {
      const deleted = { ...before, metadata: { ...before.metadata, resourceVersion: version } };
      this.#look(this.#store.apply("DELETED", deleted));
    }
  }

  relist(): void {
    this.#shown = this.#history.length - 1;
    this.#look(this.#store.replace(listed(this.last), String(this.#history.length), false));
  }

  async answer(): Promise<void> {
    this.#answers.shift()?.();
    for (let tick = 0; tick < 8; tick += 1) await Promise.resolve();
  }

  /** A worker takes the key, and asks again about what was not explained when it came. */
  run(): void {
    const foreign = this.#pending.filter((change) => !this.#own.explains(change));
    this.#pending = [];
    if (foreign.length === 0) return;
    this.runs += 1;
    this.reconciled = this.#store.get("ns/a");
  }

  async drain(): Promise<void> {
    while (this.#answers.length > 0) await this.answer();
    while (this.#shown < this.#history.length - 1) this.see();
    this.run();
  }

  #commit(guard: string | undefined): Promise<Sample> {
    const now = this.last;
    if (now === undefined || (guard !== undefined && guard !== now.metadata.resourceVersion)) {
      return Promise.reject(new Error("conflict"));
    }
    const next = this.#version;
    const { uid } = now.metadata;
    const written = foreignStatus(sample(next, now.spec.size, next, { uid }), now);
    this.#history.push(written);
    return new Promise((resolve) => this.#answers.push(() => resolve(written)));
  }

  #look(changes: readonly Change<Sample>[]): void {
    for (const change of changes) if (!this.#own.explains(change)) this.#pending.push(change);
  }
}

/** The state with what others have in the status: as it was, or changed. */
function foreignStatus(state: Sample, before: Sample, foreign = before.status.foreign): Sample {
  return foreign === undefined ? state : { ...state, status: { ...state.status, foreign } };
}

describe("own writes, however writes, answers, watch events, relists and runs interleave", () => {
  const steps = (...kinds: readonly string[]) =>
    array(constantFrom(...kinds), { minLength: 1, maxLength: 40 });
  const take = async (subject: Interleaving, step: string): Promise<void> => {
    if (step === "see") subject.see();
    else if (step === "relist") subject.relist();
    else if (step === "answer") await subject.answer();
    else if (step === "run") subject.run();
    else if (step === "guarded" || step === "unguarded") subject.write(step === "guarded");
    else subject.foreign(step as "spec");
  };

  it("never swallow a foreign edit of the spec or the status, a delete, or a successor", () =>
    assert(
      asyncProperty(
        steps("guarded", "unguarded", "spec", "status", "delete", "create", "see", "relist", "answer", "run"),
        async (plan) => {
          const subject = new Interleaving();
          for (const step of plan) await take(subject, step);
          await subject.drain();
          const { last, reconciled } = subject;
          const foreign = (state: Sample | undefined): unknown =>
            state && [state.metadata.uid, state.spec.size, state.status.foreign];
          expect(foreign(reconciled)).toEqual(foreign(last));
        },
      ),
      { numRuns: 3_000 },
    ));

  it("cause no run, also where the event comes before the answer", () =>
    assert(
      asyncProperty(steps("guarded", "see", "answer"), async (plan) => {
        const subject = new Interleaving();
        for (const step of plan) await take(subject, step);
        await subject.drain();
        expect(subject.runs).toBe(1);
      }),
      { numRuns: 1_000 },
    ));
});

describe("the ledger's layer", () => {
  const child = (version: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "ns",
      name: "c",
      uid: "c",
      resourceVersion: version,
      creationTimestamp: "",
      ...metadata,
    },
  });
  const key = { namespace: "ns", name: "c" };

  function setUp(cached: KubeObject | undefined, answer: () => Promise<unknown>) {
    const shown: string[] = [];
    const own = new OwnWrites({
      kind: type,
      overlayOf: () => ({
        hasSynced: true,
        lister: { get: () => cached } as never,
        recordWrite: ({ metadata }) => shown.push(`written ${metadata.uid}@${metadata.resourceVersion}`),
        recordDelete: ({ metadata }) => shown.push(`deleted ${metadata.uid}@${metadata.resourceVersion}`),
      }),
      turn: () => 7,
    });
    const server = { apply: answer, delete: answer, patch: answer } as unknown as KubeClient;
    return { own, shown, client: layered(server, own.layer) };
  }

  it("shows what was written, and knows its state, with the run it was written in", async () => {
    const { own, shown, client } = setUp(child("1"), () => Promise.resolve(child("2")));
    await client.apply(ConfigMap, child("1"), { fieldManager: "me" });
    expect(shown).toEqual(["written c@2"]);
    expect([own.turnOf("c", "2"), own.turnOf("c", "1")]).toEqual([7, undefined]);
  });

  it("takes no state for its own that a write has left as it was seen", async () => {
    const { own, client } = setUp(child("2"), () => Promise.resolve(child("2")));
    await client.patch(ConfigMap, key, { type: "merge", body: {} });
    expect(own.turnOf("c", "2")).toBeUndefined();
  });

  it.each([{ dryRun: true }, { subresource: "scale" as const }])(
    "keeps nothing of a write with %j",
    async (options) => {
      const { own, shown, client } = setUp(child("1"), () => Promise.resolve(child("2")));
      await client.patch(ConfigMap, key, { type: "merge", body: {} }, options);
      expect([shown, own.turnOf("c", "2")]).toEqual([[], undefined]);
    },
  );

  it("knows what it has deleted, by the object that was there when the delete was sent", async () => {
    let cached: KubeObject | undefined = child("1");
    const { own, shown, client } = setUp(cached, () => {
      cached = undefined;
      return Promise.resolve(undefined);
    });
    await client.delete(ConfigMap, key);
    expect(shown).toEqual(["deleted c@1"]);
    expect(own.hasDeleted("c")).toBe(true);
  });

  it("knows what it has begun to delete, and not what somebody else had before", async () => {
    const deleting = { deletionTimestamp: "now", finalizers: ["x/wait"] };
    const ours = setUp(child("1"), () => Promise.resolve(child("2", deleting)));
    await ours.client.delete(ConfigMap, key);
    expect([ours.own.hasDeleted("c"), ours.shown]).toEqual([true, ["written c@2"]]);
    const theirs = setUp(child("2", deleting), () => Promise.resolve(child("2", deleting)));
    await theirs.client.delete(ConfigMap, key);
    expect(theirs.own.hasDeleted("c")).toBe(false);
  });

  it("shows an object as gone once its last finalizer was taken off", async () => {
    const before = child("2", { deletionTimestamp: "now", finalizers: ["x/ours"] });
    const { shown, client } = setUp(before, () => Promise.resolve(child("3", { deletionTimestamp: "now" })));
    await client.patch(ConfigMap, key, { type: "json", body: [] });
    expect(shown).toEqual(["deleted c@2"]);
  });

  it("shows an object as gone that the server does not find, and takes the deletion for nobody's", async () => {
    const { own, shown, client } = setUp(child("1"), () =>
      Promise.reject(
        new ApiError("gone", {
          status: 404,
          reason: "NotFound",
          details: { name: "c" },
          retryAfter: undefined,
          request: "",
        }),
      ),
    );
    await expect(client.delete(ConfigMap, key)).rejects.toMatchObject({ code: "API_NOT_FOUND" });
    expect([shown, own.hasDeleted("c")]).toEqual([["deleted c@1"], false]);
  });
});

describe("a write after one that went unanswered", () => {
  const key = { name: "a", namespace: "ns" };
  const lost = new OperatorError("CONNECTION_FAILED", "the connection was reset");
  const change = { type: "merge", body: { spec: { size: 2 } } } as const;

  /** A client whose answers are scripted, by verb, with what readers see in front of it. */
  function scripted(answers: Partial<Record<"get" | "patch" | "apply", (() => unknown)[]>>, seen?: Sample) {
    const store = new Store<KubeObject>();
    store.replace(new Map(seen === undefined ? [] : [["ns/a", seen]]), "1", true);
    const sent: string[] = [];
    const next = (verb: "get" | "patch" | "apply") => async (): Promise<never> => {
      sent.push(verb);
      await Promise.resolve();
      return answers[verb]?.shift()?.() as never;
    };
    const client = { get: next("get"), patch: next("patch"), apply: next("apply") } as unknown as KubeClient;
    const own = new OwnWrites({
      kind: type,
      overlayOf: () => ({
        hasSynced: true,
        lister: { get: () => store.get("ns/a") } as never,
        recordWrite: (object) => void store.recordWrite(object),
        recordDelete: (object) => store.recordDelete(object),
      }),
    });
    return { client: layered(client, own.layer), sent, shown: () => store.get("ns/a") };
  }

  const loses = (): never => {
    throw lost;
  };

  it("is refused when that was carried out, and readers see what it has done", async () => {
    const { client, sent, shown } = scripted(
      { patch: [loses], get: [() => sample(2, 2, 0)] },
      sample(1, 1, 0),
    );
    await expect(client.patch(type, key, change)).rejects.toBe(lost);
    await expect(client.patch(type, key, change)).rejects.toMatchObject({ code: "API_CONFLICT" });
    expect(sent).toEqual(["patch", "get"]);
    expect(shown()).toEqual(sample(2, 2, 0));
  });

  it("goes out when that was not carried out, and is asked for once only", async () => {
    const { client, sent } = scripted(
      { patch: [loses, () => sample(2, 2, 0), () => sample(3, 2, 0)], get: [() => sample(1, 1, 0)] },
      sample(1, 1, 0),
    );
    await expect(client.patch(type, key, change)).rejects.toBe(lost);
    await client.patch(type, key, change);
    await client.patch(type, key, change);
    expect(sent).toEqual(["patch", "get", "patch", "patch"]);
  });

  it("waits for an answer about it: without one it does not go out either", async () => {
    const { client, sent } = scripted(
      { patch: [loses], get: [loses, () => sample(2, 2, 0)] },
      sample(1, 1, 0),
    );
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(client.patch(type, key, change)).rejects.toBe(lost);
    }
    await expect(client.patch(type, key, change)).rejects.toMatchObject({ code: "API_CONFLICT" });
    expect(sent).toEqual(["patch", "get", "get"]);
  });

  it("is not asked for when the server has answered, with a refusal", async () => {
    const refused = new ApiError("no", {
      status: 422,
      reason: "Invalid",
      details: {},
      retryAfter: undefined,
      request: "",
    });
    const refuses = (): never => {
      throw refused;
    };
    const { client, sent } = scripted({ patch: [refuses, () => sample(2, 2, 0)] }, sample(1, 1, 0));
    await expect(client.patch(type, key, change)).rejects.toBe(refused);
    await client.patch(type, key, change);
    expect(sent).toEqual(["patch", "patch"]);
  });

  it("shows readers what a creation was refused for", async () => {
    const taken = new ApiError("modified", {
      status: 409,
      reason: "Conflict",
      details: {},
      retryAfter: undefined,
      request: "",
    });
    const refuses = (): never => {
      throw taken;
    };
    const { client, sent, shown } = scripted({ apply: [refuses], get: [() => sample(2, 2, 0)] });
    const options = { fieldManager: "m", onlyIfAbsent: true };
    await expect(client.apply(type, sample(1, 1, 0), options)).rejects.toBe(taken);
    expect(sent).toEqual(["apply", "get"]);
    expect(shown()).toEqual(sample(2, 2, 0));
  });
});
