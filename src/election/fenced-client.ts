// A client that reads always and writes only while this process leads: what stands between a leader that does not know
// yet that it is none, and the cluster.
import { isWrite, layered, nameOfWrite, withOptions, type ClientCall } from "../client/client-layers.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { formatKey } from "../meta/object-key.ts";
import type { WriteBounds } from "./leadership-term.ts";

/** What lets writes pass: a leadership term, or a run's part in a shard. */
export interface WriteFence {
  /** Sends a write, named for messages, when that is allowed, within the bounds it gives. */
  write<T>(
    what: string,
    outer: AbortSignal | undefined,
    send: (bounds: WriteBounds) => Promise<T>,
  ): Promise<T>;
}

/**
 * The client, with every write bound to a fence.
 *
 * **Guarantees**: a write is sent only while the term lasts by the local clocks at that instant (asked when it is called,
 * and again when it goes out on its connection), and is aborted when the term ends under it. Reads and watches pass; closing it closes the client.
 * **Caveats**: see `LeadershipTerm`: it bounds what this process sends, not what the network delivers late.
 * **Errors**: those of the fence: `LEADERSHIP_MISSING` before a term, `LEADERSHIP_LOST` after it.
 */
export function createFencedClient(client: KubeClient, term: WriteFence): KubeClient {
  return layered(client, {
    place: "fence",
    request: (call, send) => {
      if (isRead(call)) return send(call);
      const { signal: outer, beforeSend: asked } = call.options;
      return term.write(nameOf(call), outer, ({ signal, beforeSend }) => {
        const ask = (): void => {
          asked?.();
          beforeSend();
        };
        return send(withOptions(call, { signal, beforeSend: ask }));
      });
    },
  });
}

function isRead(call: ClientCall): boolean {
  if (call.verb === "exec") return false;
  return call.verb === "request" ? call.options.method === "GET" : !isWrite(call);
}

function nameOf(call: ClientCall): string {
  if (call.verb === "exec") return `exec in pod ${formatKey(call.key)}`;
  if (call.verb === "request") return `${call.options.method} ${call.options.path}`;
  return isWrite(call) ? nameOfWrite(call) : call.verb;
}
