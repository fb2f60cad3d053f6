// A client whose writes show in the cache at once, so that a controller never acts twice on what it has just done.
import type { SharedCache } from "../../cache/informer.ts";
import { isWrite, keyOfWrite, layered, outcomeOf } from "../../client/client-layers.ts";
import type { KubeClient } from "../../client/kube-client.ts";

/** The client, with the result of each write recorded in the informer of its type, if the cache has one. */
export function recordingClient(client: KubeClient, cache: SharedCache): KubeClient {
  return layered(client, {
    place: "ownWrites",
    request: async (call, send) => {
      const informer = isWrite(call) ? cache.existing(call.type) : undefined;
      if (!isWrite(call) || informer === undefined) return send(call);
      const seen = informer.hasSynced ? informer.lister.get(keyOfWrite(call)) : undefined;
      const answer = await send(call);
      const outcome = outcomeOf(call, answer, seen);
      if (outcome?.object === undefined) return answer;
      if (outcome.kind === "stored") informer.recordWrite(outcome.object);
      else informer.recordDelete(outcome.object);
      return answer;
    },
  });
}
