// An event of a person is never written over by another one's: it is waited for, or said to be in the way.
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { humanEventAnnotation, humanEventIdAnnotation } from "../../src/lifecycle/human-event-annotation.ts";
import { sendHumanEvent, type HumanEventOptions } from "../../src/controller/application/send-human-event.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { startSimulatedServer } from "../../src/testing/simulation/simulated-server.ts";

const Thing = defineKind({ group: "test.example.com", version: "v1", kind: "Thing", spec: z.object({}) });
const key = { namespace: "default", name: "one" };

/** A thing that no operator looks at. */
async function begin() {
  const { client, clock } = await startSimulatedServer([Thing]);
  await client.create(Thing, {
    apiVersion: "test.example.com/v1",
    kind: "Thing",
    metadata: key,
    spec: {},
  });
  const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    client.patch(Thing, key, { type: "merge", body: { metadata: { annotations } } });
  const pending = async (): Promise<unknown> =>
    (await client.get<KubeObject>(Thing, key)).metadata.annotations?.[humanEventAnnotation];
  const outcomes: string[] = [];
  const send = async (event: string, options: Partial<HumanEventOptions<KubeObject>> = {}): Promise<void> => {
    try {
      const all = { client, type: Thing, key, event, clock, typed: "thing/one", fieldManager: "alice" };
      const { by } = await sendHumanEvent<KubeObject>({ ...all, ...options });
      outcomes.push(`${event} sent by ${by}`);
    } catch (error) {
      outcomes.push(error instanceof Error ? error.message : String(error));
    }
  };
  return {
    client,
    clock,
    annotate,
    take: () => annotate({ [humanEventAnnotation]: null, [humanEventIdAnnotation]: null }),
    pending,
    outcomes,
    send,
  };
}

/** The client of somebody who is always a little late: `meanwhile` happens between each look and what is written after it. */
function late(client: KubeClient, meanwhile: () => Promise<unknown>): KubeClient {
  return new Proxy(client, {
    get: (target, name, receiver) =>
      name === "get"
        ? async (...asked: Parameters<KubeClient["get"]>) => {
            const seen = await target.get(...asked);
            await meanwhile();
            return seen;
          }
        : (Reflect.get(target, name, receiver) as unknown),
  });
}

describe("two events that are sent at the same time", () => {
  it("are sent one after the other, where an operator takes the first one soon", async () => {
    const { clock, pending, outcomes, send, take } = await begin();
    const both = Promise.all([send("pause"), send("retry", { fieldManager: "bob" })]);
    await clock.advance(1_000);
    expect(outcomes).toHaveLength(1);
    const [first] = outcomes;
    expect(first).toBe(
      `${String(await pending())} sent by ${first?.endsWith("bob") === true ? "bob" : "alice"}`,
    );
    await take();
    await clock.advance(1_000);
    await both;
    expect(outcomes.toSorted()).toEqual(["pause sent by alice", "retry sent by bob"]);
    expect(outcomes[1]).toContain(await pending());
  });

  it("are not both sent, where nobody takes the first one", async () => {
    const { clock, pending, outcomes, send } = await begin();
    const both = Promise.all([send("pause"), send("pause", { fieldManager: "bob" })]);
    await clock.advance(10_000);
    await both;
    expect(await pending()).toBe("pause");
    expect(outcomes).toEqual([
      expect.stringMatching(/^pause sent by (alice|bob)$/),
      expect.stringMatching(
        /^the event "pause" of (alice|bob) is still pending on thing\/one \(sent at \d{4}-.*Z\); nothing was sent$/,
      ),
    ]);
  });
});

describe("an event", () => {
  it("takes the place of one that waits by force", async () => {
    const { pending, outcomes, send } = await begin();
    await send("pause");
    await send("retry", { force: true });
    expect(outcomes).toEqual(["pause sent by alice", "retry sent by alice"]);
    expect(await pending()).toBe("retry");
  });

  it("is sent although others write at the same time", async () => {
    const { client, clock, annotate, pending, outcomes, send } = await begin();
    let writes = 0;
    const busy = late(client, async () => {
      if (writes < 3) await annotate({ counted: String((writes += 1)) });
    });
    const sent = send("pause", { client: busy });
    await clock.advance(2_000);
    await sent;
    expect(outcomes).toEqual(["pause sent by alice"]);
    expect([writes, await pending()]).toEqual([3, "pause"]);
  });

  it("is refused by whoever checks the object, each time it is looked at", async () => {
    const { clock, pending, outcomes, send, take } = await begin();
    await send("pause");
    let looks = 0;
    const check = (): void => {
      looks += 1;
      if (looks > 2) throw new Error("it is not accepted any more");
    };
    const sent = send("retry", { check });
    await clock.advance(1_000);
    await sent;
    await take();
    expect(outcomes).toEqual(["pause sent by alice", "it is not accepted any more"]);
    expect(await pending()).toBeUndefined();
  });

  it("is not sent by whoever has stopped", async () => {
    const { clock, pending, outcomes, send } = await begin();
    await send("pause");
    const stop = new AbortController();
    const sent = send("retry", { signal: stop.signal });
    await clock.advance(400);
    stop.abort(new Error("stopped"));
    await sent;
    expect(outcomes).toEqual(["pause sent by alice", "stopped"]);
    expect(await pending()).toBe("pause");
  });
});
