// How many pods a controller makes or deletes before it looks again, so that a wrong number of replicas does not drown the server.
// https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/replicaset/replica_set.go

/** The most pods that are made, or deleted, in one go. */
export const burst = 500;

/**
 * Does something so many times, at most {@link burst}: once, then twice at a time, then four times, as long as it succeeds.
 * The first failure, if there was one; what has begun with it is waited for, and nothing begins after it.
 */
export async function slowStart(
  count: number,
  work: () => Promise<unknown>,
): Promise<PromiseRejectedResult | undefined> {
  let left = Math.min(count, burst);
  for (let size = 1; left > 0; size *= 2) {
    const batch = Math.min(size, left);
    const results = await Promise.allSettled(Array.from({ length: batch }, work));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) return failed;
    left -= batch;
  }
  return undefined;
}
