// How many keys of a kind are this process's, when several share them: worked out again for each scrape.
import type { Metrics } from "../ports/metrics.ts";
import type { KeyShare } from "./key-share.ts";

/** Declares the gauge; `keys` are those of all custom resources that the cache holds. */
export function measureShare(
  metrics: Metrics,
  controller: string,
  share: Pick<KeyShare, "owns">,
  keys: () => Iterable<string>,
): void {
  const owned = metrics.gauge({
    name: "xstate_operator_shard_keys_owned",
    help: "Custom resources that this replica reconciles.",
    labels: ["controller"],
  });
  metrics.onScrape(() => {
    let count = 0;
    for (const key of keys()) if (share.owns(key)) count += 1;
    owned.set({ controller }, count);
  });
}
