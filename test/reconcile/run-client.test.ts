import { describe, expect, it } from "vitest";
import { sourceLineOf } from "../../src/cli/source-line.ts";
import { framesOf } from "../../src/ports/author-code.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import type { Manifest } from "../../src/meta/object.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { withinRun } from "../../src/reconcile/run-client.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { Harness, type Cache } from "./support/harness.ts";
import { MemoryClient } from "./support/memory-client.ts";

const key = { namespace: "shop", name: "a" };
const manifest: Manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: key };

function setUp() {
  const inner = new MemoryClient();
  const abort = new AbortController();
  const told: string[] = [];
  const client = withinRun({
    client: inner,
    signal: abort.signal,
    onRead: ({ kind, metadata }) => told.push(`${kind}/${metadata.name}`),
  });
  return { inner, abort, client, told };
}

/** Every verb, as a request that a hook may send. */
const verbs: readonly (readonly [string, (client: KubeClient) => Promise<unknown>])[] = [
  ["get", (client) => client.get(ConfigMap, key)],
  ["list", (client) => client.list(ConfigMap)],
  [
    "watch",
    async (client) => {
      const events = client.watch(ConfigMap, { signal: new AbortController().signal });
      await events[Symbol.asyncIterator]().next();
    },
  ],
  ["create", (client) => client.create(ConfigMap, manifest)],
  ["update", (client) => client.update(ConfigMap, manifest)],
  ["patch", (client) => client.patch(ConfigMap, key, { type: "merge", body: {} })],
  ["apply", (client) => client.apply(ConfigMap, manifest, { fieldManager: "hook" })],
  ["delete", (client) => client.delete(ConfigMap, key)],
  ["request", (client) => client.request({ method: "POST", path: "/api/v1/namespaces" })],
];

describe("the client of a run", () => {
  it.each(verbs)("refuses to %s once the run is over, with the reason", async (_verb, send) => {
    const { inner, abort, told } = setUp();
    const requests: string[] = [];
    const counted = new Proxy(inner, {
      get: (_target, name) => () => {
        requests.push(String(name));
        return Promise.resolve();
      },
    });
    const bound = withinRun({
      client: counted,
      signal: abort.signal,
    });
    abort.abort(new OperatorError("RECONCILE_TIMEOUT", "too long"));
    await expect((async () => send(bound))()).rejects.toMatchObject({ code: "RECONCILE_TIMEOUT" });
    expect(requests).toEqual([]);
    expect(told).toEqual([]);
  });

  it("aborts a request under way when the run is cut off, and when its own signal says so", async () => {
    const { abort } = setUp();
    const signals: (AbortSignal | undefined)[] = [];
    const client = withinRun({
      client: {
        get: (_type: unknown, _key: unknown, options?: { signal?: AbortSignal }) => {
          signals.push(options?.signal);
          return new Promise(() => undefined);
        },
      } as unknown as KubeClient,
      signal: abort.signal,
    });
    const own = new AbortController();
    void client.get(ConfigMap, key);
    void client.get(ConfigMap, key, { signal: own.signal });
    own.abort();
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
    abort.abort();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  it("tells what was read", async () => {
    const { client, inner, told } = setUp();
    inner.put(ConfigMap, manifest);
    await client.get(ConfigMap, key);
    await client.patch(ConfigMap, key, { type: "merge", body: { data: { a: "1" } } });
    expect(told).toEqual(["ConfigMap/a"]);
  });

  it("stays open when a hook closes it, as others use what is behind it", async () => {
    const { inner, client } = setUp();
    await client.close();
    inner.put(ConfigMap, manifest);
    expect((await client.get(ConfigMap, key)).metadata.name).toBe("a");
  });
});

describe("a hook that does not await", () => {
  /** The place of the call, as this file reports it: the line below its own. */
  function forgetful(client: KubeClient): { readonly lost: Promise<unknown>; readonly place: string } {
    const [, row = ""] = /run-client\.test\.ts:(\d+)/.exec(new Error().stack ?? "") ?? [];
    const lost = client.get(ConfigMap, key);
    return { lost, place: `run-client.test.ts:${Number(row) + 1}:` };
  }

  /** What somebody sees who did not wait, such as the process. */
  const seenLater = (lost: Promise<unknown>): Promise<unknown> =>
    new Promise((resolve) => void lost.then(resolve, resolve));

  it("is named by the error of a request that fails later", async () => {
    // Made where the answer arrives: nothing of the caller is in its stack.
    const refused = Object.assign(new Error("refused"), { stack: "Error: refused\n    at node:net:1:2" });
    const server = { get: () => Promise.reject(refused) } as unknown as KubeClient;
    const client = withinRun({ client: server, signal: new AbortController().signal });
    const { lost, place } = forgetful(client);
    const error = (await seenLater(lost)) as Error;
    expect(error).toBe(refused);
    expect(sourceLineOf(error)).toContain(place);
  });

  it("is named by the error of a request that it sends after its run is over, each by its own line", async () => {
    const { client, abort } = setUp();
    const reason = new OperatorError("RECONCILE_ABORTED", "the reconcile is over", { remedy: "Await." });
    abort.abort(reason);
    const { lost, place } = forgetful(client);
    const error = (await seenLater(lost)) as Error;
    expect(error).toMatchObject({ code: "RECONCILE_ABORTED", remedy: "Await.", cause: reason });
    expect(sourceLineOf(error)).toContain(place);
    expect(reason.stack).not.toContain(place);
  });

  it("is named once, where it does await", async () => {
    const { client } = setUp();
    const error = await client.get(ConfigMap, key).catch((caught: unknown) => caught as Error);
    const lines = framesOf(error as Error).map(({ place }) => place.replace(/:\d+$/, ""));
    expect(new Set(lines).size).toBe(lines.length);
  });
});

describe("a hook that outlives its run", () => {
  it("can write nothing any more: no object, no status (T45)", async () => {
    let release = (): void => undefined;
    const attempts: Promise<string>[] = [];
    let context: StepContext<Cache> | undefined;
    const codeOf = (error: unknown): string => (error instanceof OperatorError ? error.code : String(error));
    const harness = new Harness({
      timeout: 1_000,
      steps: {
        CRChecker: async (given) => {
          context = given;
          await new Promise<void>((resolve) => (release = resolve));
          given.status.merge({ zombie: true });
          attempts.push(
            given.client.create(ConfigMap, manifest).then(() => "written", codeOf),
            given.status.flush().then(() => "written", codeOf),
            given.registry.add(manifest) as never,
          );
          await given.registry.createAll();
        },
      },
    });
    const run = harness.run();
    await harness.clock.advance(1_000);
    const outcome = await run;
    expect(outcome.error).toMatchObject({ code: "RECONCILE_TIMEOUT" });
    expect(harness.condition).toMatchObject({ status: "False", reason: "Error" });
    expect(harness.events).toMatchObject([{ type: "Warning", reason: "ReconcileFailed" }]);
    const before = harness.client.writes.length;
    release();
    await harness.clock.settle();
    expect(await Promise.all(attempts.slice(0, 2))).toEqual(["RECONCILE_TIMEOUT", "RECONCILE_ABORTED"]);
    expect(context?.signal.aborted).toBe(true);
    expect(harness.client.writes.length).toBe(before);
    expect(harness.cr.status).not.toHaveProperty("zombie");
  });
});
