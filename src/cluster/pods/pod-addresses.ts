// The addresses of one node's pods. An address is one pod's until it is released, and then handed out again as late as possible,
// so that nobody who still remembers it meets another pod there.

/** The address of the node itself. */
export const hostAddress = "127.0.0.1";

/** Hands out addresses. */
export interface PodAddresses {
  /** An address that no pod has. Errors: all are taken. */
  take(): string;
  /** Gives an address back. */
  release(address: string): void;
}

/** The addresses `addressOf(0)` to `addressOf(count - 1)`, in turns, beginning at `first`. */
export function createPodAddresses(
  count: number,
  addressOf: (index: number) => string,
  first = 0,
): PodAddresses {
  const inUse = new Set<string>();
  let next = first;
  return {
    take() {
      if (inUse.size >= count) throw new Error(`all ${count} addresses for pods are taken`);
      for (;;) {
        const address = addressOf(next % count);
        next += 1;
        if (inUse.has(address)) continue;
        inUse.add(address);
        return address;
      }
    },
    release: (address) => void inUse.delete(address),
  };
}
