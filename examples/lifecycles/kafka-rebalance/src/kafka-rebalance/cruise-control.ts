// What the operator asks of Cruise Control, and how it asks over HTTP.

/** Where a proposal or its execution stands. */
export interface Progress {
  readonly state: "Running" | "Completed" | "Failed" | "Unknown";
  /** From 0 to 1. */
  readonly progress?: number;
  readonly message?: string;
}

/** Cruise Control, as far as a rebalance needs it. Whatever is begun has an id that the caller chooses: the same id is the same work. */
export interface CruiseControl {
  isAccepting(signal: AbortSignal): Promise<boolean>;
  /** Begins to compute a proposal for these goals. */
  propose(id: string, goals: readonly string[], signal: AbortSignal): Promise<void>;
  /** Begins to carry out a proposal. */
  execute(id: string, proposal: string, signal: AbortSignal): Promise<void>;
  /** How far the work of this id is. */
  progressOf(id: string, signal: AbortSignal): Promise<Progress>;
  /** Stops the work of this id; nothing happens if there is none. */
  stop(id: string, signal: AbortSignal): Promise<void>;
}

/** Cruise Control behind an address such as `http://cruise-control:9090`. */
export function cruiseControlAt(address: string): CruiseControl {
  const call = async (
    method: string,
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<Response> => {
    const response = await fetch(new URL(path, address), {
      method,
      signal,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok || response.status === 404) return response;
    throw new Error(`${method} ${path}: Cruise Control answers ${response.status}`);
  };
  return {
    isAccepting: async (signal) => (await call("GET", "state", signal)).ok,
    propose: async (id, goals, signal) => void (await call("PUT", `proposals/${id}`, signal, { goals })),
    execute: async (id, proposal, signal) =>
      void (await call("PUT", `executions/${id}`, signal, { proposal })),
    progressOf: async (id, signal) => {
      const response = await call("GET", `tasks/${id}`, signal);
      return response.ok ? ((await response.json()) as Progress) : { state: "Unknown" };
    },
    stop: async (id, signal) => void (await call("DELETE", `tasks/${id}`, signal)),
  };
}
