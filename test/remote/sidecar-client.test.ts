// The operator's end of sidecars, against one that runs: where it is found, what it shows there, and when it listens again.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { KubeObject } from "../../src/meta/object.ts";
import { createSidecarClient, type SidecarCall } from "../../src/remote/sidecar-client.ts";
import { startSidecar, type Sidecar } from "../../src/sidecar/start-sidecar.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { eventually } from "../support/eventually.ts";

const cr = {
  apiVersion: "shop.example.com/v1",
  kind: "Shop",
  metadata: { name: "corner", namespace: "town", uid: "u", resourceVersion: "1", creationTimestamp: "" },
} as KubeObject;
const { signal } = new AbortController();

async function situation() {
  const directory = mkdtempSync(join(tmpdir(), "sidecar-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const tokenFile = join(directory, "token");
  writeFileSync(tokenFile, "token-of-this-shop");
  let sidecar: Sidecar | undefined;
  let state = "Open";
  const start = async (port = 0): Promise<void> => {
    sidecar = await startSidecar({ directory, port, tokenFile, state: () => ({ state }), every: "1h" });
  };
  const stop = async (): Promise<void> => sidecar?.stop();
  onTestFinished(stop);
  await start();
  /** What the cache holds. */
  const known: { pod: string | undefined; secret: string } = {
    pod: sidecar?.url,
    secret: "token-of-this-shop",
  };
  // Time stands still: nothing is tried again by itself.
  const clock = createVirtualClock();
  const client = createSidecarClient({
    url: (_cr, { lookUp }) => (lookUp as unknown as (what: string) => string | undefined)("pod"),
    token: (_cr, { lookUp }) => (lookUp as unknown as (what: string) => string | undefined)("secret"),
    clock,
    attempts: 1,
    env: {},
  });
  const woken: string[] = [];
  onTestFinished(client.start(({ name }) => void woken.push(name)));
  const lookUp = ((what: keyof typeof known) => known[what]) as unknown as SidecarCall<KubeObject>["lookUp"];
  return {
    client,
    call: { cr, lookUp, signal },
    known,
    woken,
    start,
    stop,
    change: (word: string): void => {
      state = word;
      sidecar?.changed();
    },
  };
}

describe("the client of sidecars", () => {
  it("finds each by what is looked up, with a token of its own", async () => {
    const { client, call, known } = await situation();
    expect(await client.state(call)).toMatchObject({ state: "Open" });
    expect(client.at(call, "/tasks/x")).toEqual({
      url: `${known.pod}/tasks/x`,
      headers: { authorization: "Bearer token-of-this-shop" },
    });
    known.secret = "another";
    await expect(client.state(call)).rejects.toMatchObject({ code: "HTTP_STATUS", status: 401 });
    known.pod = undefined;
    await expect(client.state(call)).rejects.toMatchObject({ code: "SIDECAR_ABSENT" });
    await expect(client.state(call)).rejects.toThrow("Shop town/corner has no sidecar at present");
  });

  it("listens again as soon as one answers that was away, whatever time its next try would have been", async () => {
    const { client, call, known, woken, start, stop, change } = await situation();
    await client.state(call);
    await eventually(() => expect(woken).not.toEqual([]));
    await stop();
    // That nothing is heard any more is news; the next try waits for a clock that stands still.
    await eventually(() => expect(client.state(call)).rejects.toMatchObject({ code: "HTTP_UNREACHABLE" }));
    await start(Number(new URL(known.pod ?? "").port));
    woken.length = 0;
    expect(await client.state(call)).toMatchObject({ state: "Open" });
    await eventually(() => expect(woken).not.toEqual([]));
    woken.length = 0;
    change("Closed");
    await eventually(() => expect(woken).not.toEqual([]));
    expect(await client.state(call)).toMatchObject({ state: "Closed" });
  });
});
