// Makes services reachable at their cluster IP: a TCP listener per service port that connects to a ready pod. It reads
// services and pods from the cache. Only Linux has all of 127.0.0.0/8 without configuration: elsewhere it is off.
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Subscription } from "rxjs";
import { Pod, Service } from "../../../kinds/builtin/core.ts";
import { formatKey, keyOf, type ObjectKey } from "../../../meta/object-key.ts";
import { messageOf } from "../../../ports/operator-error.ts";
import { backendsOf } from "../service-backends.ts";
import type { PodHost } from "../pod-runtime.ts";

/** What {@link startServiceProxy} needs. */
export interface ServiceProxyOptions {
  readonly host: PodHost;
  readonly platform: string;
}

/** A running proxy. */
export interface ServiceProxy {
  /** Closes every listener and connection. */
  stop(): Promise<void>;
}

/** One listener. */
interface Listener {
  readonly server: Server;
  readonly sockets: Set<Socket>;
}

/** Starts the proxy; it follows the services of the cache until it is stopped. */
export function startServiceProxy({ host, platform }: ServiceProxyOptions): ServiceProxy {
  const { cache, log } = host;
  const services = cache.informer<Service>(Service);
  const pods = cache.informer<Pod>(Pod);
  const listeners = new Map<string, Listener>();
  let turn = 0;
  if (platform !== "linux") {
    log.info({ platform }, "services are not proxied: only Linux has a loopback address for each");
    return { stop: () => Promise.resolve() };
  }

  /** Addresses of ready pods for one port of a service, starting with the one whose turn it is. */
  function targetsOf(
    key: ObjectKey,
    portName: string,
  ): readonly { readonly host: string; readonly port: number }[] {
    const service = services.lister.get(key);
    if (service === undefined) return [];
    const scope = key.namespace === undefined ? {} : { namespace: key.namespace };
    const targets = backendsOf(service, pods.lister.list(scope)).flatMap(({ ip, ready, ports }) => {
      const port = ports.find((each) => each.name === portName)?.port;
      return ready && port !== undefined ? [{ host: ip, port }] : [];
    });
    turn += 1;
    const first = targets.length === 0 ? 0 : turn % targets.length;
    return [...targets.slice(first), ...targets.slice(0, first)];
  }

  function listen(address: string, port: number, key: ObjectKey, portName: string): Listener {
    const sockets = new Set<Socket>();
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (client) => {
      sockets.add(client);
      client.once("close", () => sockets.delete(client));
      client.on("error", () => client.destroy());
      joinTarget(client, targetsOf(key, portName), sockets);
    });
    server.on("error", (error) => {
      log.warn(
        { service: formatKey(key), address, port, error: error.message },
        "the service cannot be reached at its cluster IP",
      );
    });
    server.listen(port, address);
    return { server, sockets };
  }

  function update(): void {
    const wanted = new Map<string, () => Listener>();
    for (const service of services.lister.list()) {
      const address = service.spec.clusterIP ?? "";
      if (!address.startsWith("127.") || service.spec.type === "ExternalName") continue;
      // No pod stands behind the API server's own service.
      if (formatKey(keyOf(service)) === "default/kubernetes") continue;
      for (const port of service.spec.ports ?? []) {
        if ((port.protocol ?? "TCP") !== "TCP") continue;
        const key = keyOf(service);
        const portName = port.name ?? "";
        wanted.set(`${address}:${port.port} ${formatKey(key)} ${portName}`, () =>
          listen(address, port.port, key, portName),
        );
      }
    }
    for (const [id, listener] of listeners) {
      if (wanted.has(id)) continue;
      listeners.delete(id);
      void close(listener);
    }
    for (const [id, open] of wanted) if (!listeners.has(id)) listeners.set(id, open());
  }

  const stopped = new AbortController();
  let subscription: Subscription | undefined;
  const started = (async () => {
    await Promise.all([services.whenSynced(stopped.signal), pods.whenSynced(stopped.signal)]);
    subscription = services.changes$.subscribe(update);
    update();
  })().catch((error: unknown) => {
    if (!stopped.signal.aborted) log.error({ error: messageOf(error) }, "services are not proxied");
  });
  return {
    async stop() {
      stopped.abort();
      await started;
      subscription?.unsubscribe();
      await Promise.all([...listeners.values()].map(close));
      listeners.clear();
    },
  };
}

/** Connects a client to the first target that answers; without one the client is refused. */
function joinTarget(
  client: Socket,
  targets: readonly { readonly host: string; readonly port: number }[],
  sockets: Set<Socket>,
): void {
  const [target, ...others] = targets;
  if (target === undefined || client.destroyed) {
    client.resetAndDestroy();
    return;
  }
  const upstream = connect({ ...target, allowHalfOpen: true });
  sockets.add(upstream);
  let connected = false;
  upstream.once("connect", () => {
    connected = true;
    client.pipe(upstream);
    upstream.pipe(client);
  });
  upstream.on("error", () => {
    if (connected) client.destroy();
    else joinTarget(client, others, sockets);
  });
  // The end of either side is passed on by the pipes, so that what was sent before it arrives.
  upstream.once("close", () => sockets.delete(upstream));
  client.once("close", () => upstream.destroy());
}

function close({ server, sockets }: Listener): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}
