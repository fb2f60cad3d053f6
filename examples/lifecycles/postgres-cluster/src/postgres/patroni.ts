// What the operator asks of Patroni, which elects the leader and keeps the replicas in sync; and how it asks over HTTP.

/** Patroni, as far as the operator needs it. */
export interface Patroni {
  /** The pod that leads, or undefined while none does. */
  leader(cluster: string, signal: AbortSignal): Promise<string | undefined>;
  /** Whether every replica has what the leader has. */
  isInSync(cluster: string, signal: AbortSignal): Promise<boolean>;
  /** Asks the leader to hand over to another pod. Nothing happens if another one leads already. */
  switchOver(cluster: string, leader: string, signal: AbortSignal): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly role: "leader" | "replica";
  readonly lag?: number;
}

/** Patroni behind the service of each cluster. */
export function patroniOfServices(port = 8008): Patroni {
  const members = async (cluster: string, signal: AbortSignal): Promise<readonly Member[]> => {
    const response = await fetch(`http://${cluster}:${port}/cluster`, { signal });
    if (!response.ok) throw new Error(`GET /cluster: Patroni of ${cluster} answers ${response.status}`);
    return ((await response.json()) as { readonly members: readonly Member[] }).members;
  };
  return {
    leader: async (cluster, signal) =>
      (await members(cluster, signal)).find(({ role }) => role === "leader")?.name,
    isInSync: async (cluster, signal) => (await members(cluster, signal)).every(({ lag = 0 }) => lag === 0),
    switchOver: async (cluster, leader, signal) => {
      const body = JSON.stringify({ leader });
      const response = await fetch(`http://${cluster}:${port}/switchover`, { method: "POST", body, signal });
      // 412: this pod does not lead any more.
      if (response.ok || response.status === 412) return;
      throw new Error(`POST /switchover: Patroni of ${cluster} answers ${response.status}`);
    },
  };
}
