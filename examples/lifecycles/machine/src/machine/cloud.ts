// What the operator asks of a cloud, and how it asks over HTTP.

/** An instance of the cloud. */
export interface Instance {
  readonly id: string;
  readonly state: "Creating" | "Running" | "Deleting";
  /** How many volumes are attached to it. */
  readonly volumes: number;
}

/** A cloud, as far as a machine needs it. */
export interface Cloud {
  /** Begins to make an instance. The token is the client's: the same token never makes a second instance. */
  make(token: string, flavor: string, signal: AbortSignal): Promise<void>;
  /** The instance that was made under a token, or undefined. */
  find(token: string, signal: AbortSignal): Promise<Instance | undefined>;
  instance(id: string, signal: AbortSignal): Promise<Instance | undefined>;
  /** Begins to delete an instance; nothing happens if there is none. */
  delete(id: string, signal: AbortSignal): Promise<void>;
}

/** The cloud behind an address such as `https://cloud.example.com`. */
export function cloudAt(address: string): Cloud {
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
    throw new Error(`${method} ${path}: the cloud answers ${response.status}`);
  };
  const read = async (path: string, signal: AbortSignal): Promise<Instance | undefined> => {
    const response = await call("GET", path, signal);
    return response.ok ? ((await response.json()) as Instance) : undefined;
  };
  return {
    make: async (token, flavor, signal) => void (await call("PUT", `tokens/${token}`, signal, { flavor })),
    find: (token, signal) => read(`tokens/${token}`, signal),
    instance: (id, signal) => read(`instances/${id}`, signal),
    delete: async (id, signal) => void (await call("DELETE", `instances/${id}`, signal)),
  };
}
