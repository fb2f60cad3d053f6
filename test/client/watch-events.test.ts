import { describe, expect, it } from "vitest";
import type { WatchEvent, WatchOptions, WatchReceiver } from "../../src/client/kube-client.ts";
import { eventsOf } from "../../src/client/watch-events.ts";
import type { KubeObject } from "../../src/meta/object.ts";

const bookmark = (resourceVersion: string): WatchEvent<KubeObject> => ({
  type: "BOOKMARK",
  resourceVersion,
  initialEventsEnd: false,
});

/** A watch that the test tells what to do, and its events, read one after the other. */
function setUp(signal = new AbortController().signal) {
  const opened: WatchOptions[] = [];
  const end = Promise.withResolvers<void>();
  let receive: WatchReceiver<KubeObject> = () => undefined;
  const events = eventsOf<KubeObject>(
    (options, receiver) => {
      opened.push(options);
      receive = receiver;
      options.signal.addEventListener("abort", () => end.reject(options.signal.reason));
      return end.promise;
    },
    { signal },
  );
  const next = async (): Promise<unknown> => {
    const { done, value } = await events.next();
    return done === true ? "end" : (value as { resourceVersion: string }).resourceVersion;
  };
  return { opened, end, send: (version: string) => receive(bookmark(version)), events, next };
}

describe("a watch whose events are asked for", () => {
  it("is opened when the first is, and tells all in order, then its end", async () => {
    const { opened, end, send, next } = setUp();
    expect(opened).toEqual([]);
    const first = next();
    expect(opened).toHaveLength(1);
    void send("1");
    void send("2");
    expect([await first, await next()]).toEqual(["1", "2"]);
    const third = next();
    void send("3");
    end.resolve();
    expect([await third, await next(), await next()]).toEqual(["3", "end", "end"]);
  });

  it("tells what came before an error, then the error", async () => {
    const { end, send, next } = setUp();
    const first = next();
    void send("1");
    end.reject(new Error("gone"));
    expect(await first).toBe("1");
    await expect(next()).rejects.toThrow("gone");
  });

  it("is held up until its reader has taken what came", async () => {
    const { send, next } = setUp();
    const first = next();
    let isReadOn = false;
    void send("1");
    void send("2")?.then(() => (isReadOn = true));
    await first;
    expect(isReadOn).toBe(false);
    expect(await next()).toBe("2");
    const third = next();
    await expect.poll(() => isReadOn).toBe(true);
    void send("3");
    expect(await third).toBe("3");
  });

  it("is ended when its reader leaves, and when the signal is aborted", async () => {
    const left = setUp();
    const first = left.next();
    void left.send("1");
    await first;
    await left.events.return();
    expect(left.opened[0]?.signal.aborted).toBe(true);

    const abort = new AbortController();
    const aborted = setUp(abort.signal);
    const next = aborted.next();
    abort.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});
