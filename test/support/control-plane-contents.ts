// What a control plane stores, read and set back behind its API server's back: in etcd itself, by its JSON gateway.

/** Values by key, both in base64. */
export type Contents = ReadonlyMap<string, string>;

/** Leases by which API servers tell that they live. */
const pulses = /^\/registry\/(?:leases\/kube-system\/apiserver-|peerserverleases\/)/;

/** How long nothing may have appeared again for the contents to count as set back, in milliseconds. */
const calm = 300;

/** Everything that is stored, but for the API server's own sign of life. */
export async function readContents(etcd: string): Promise<Contents> {
  const answer = (await ask(etcd, "range", { key: base64("/"), range_end: base64("0") })) as {
    readonly kvs?: readonly { readonly key: string; readonly value?: string }[];
  };
  const stored = (answer.kvs ?? []).filter(({ key }) => !pulses.test(Buffer.from(key, "base64").toString()));
  return new Map(stored.map(({ key, value }) => [key, value ?? ""]));
}

/**
 * Deletes what has been added, and stores again what was changed or deleted. The API server learns of it as of any change.
 * Rejects when things go on appearing: somebody is still at work.
 */
export async function restoreContents(etcd: string, contents: Contents): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (let since = performance.now(); performance.now() - since < calm;) {
    if (performance.now() > deadline) throw new Error("somebody still writes to this control plane");
    const now = await readContents(etcd);
    const added = [...now.keys()].filter((key) => !contents.has(key));
    const changed = [...contents].filter(([key, value]) => now.get(key) !== value);
    if (added.length + changed.length > 0) since = performance.now();
    // One change is one revision: what watches etcd tells changes apart by that.
    await inTurns(added, (key) => ask(etcd, "deleterange", { key }));
    await inTurns(changed, ([key, value]) => ask(etcd, "put", { key, value }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function ask(etcd: string, call: "range" | "put" | "deleterange", body: object): Promise<unknown> {
  const answer = await fetch(`${etcd}/v3/kv/${call}`, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd answers ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Eight at a time. */
async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const item of rest) await act(item);
    }),
  );
}
