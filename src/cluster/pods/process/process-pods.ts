// Pods as local child processes of the cluster: how the embedded cluster runs a real database without a container engine.
//
// What a container has here: its command, looked up in podPath and PATH; a folder; its environment; volumes as folders; an
// address of its own (Linux) as status.podIP; logs; probes; its user when we are root. What it does not have: an image,
// a mount or network namespace, limits, cluster DNS. So a server listens on its pod's IP (fieldRef status.podIP), not on
// 0.0.0.0, when another pod uses the same port; and mount paths are rewritten, see mount-paths.ts.
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Duplex } from "node:stream";
import { type Pod, Service } from "../../../kinds/builtin/core.ts";
import type { Container } from "../../../kinds/builtin/parts.ts";
import { OperatorError } from "../../../ports/operator-error.ts";
import { type ContainerBackend, ContainerStartError } from "../container-backend.ts";
import { createNodeAgent, type NodeAgentOptions } from "../node-agent.ts";
import { openPort } from "../open-port.ts";
import { keysIn } from "../pod-sources.ts";
import type {
  PodAttachRequest,
  PodExecRequest,
  PodExecResult,
  PodHost,
  PodLogRequest,
  PodRuntime,
} from "../pod-runtime.ts";
import type { TokenOf } from "./mounted-tokens.ts";
import { makePassage, openPassage } from "./folder-owner.ts";
import type { PodAddresses } from "../pod-addresses.ts";
import { createLoopbackAddresses } from "./loopback-addresses.ts";
import { clusterMarker, killMarked } from "./process-group.ts";
import { ProcessSandbox } from "./process-sandbox.ts";
import { type Reaper, startReaper } from "./reaper.ts";
import { type ServiceProxy, startServiceProxy } from "./service-proxy.ts";
import { serviceVariables } from "./service-variables.ts";

/** Options of {@link createProcessPods}. */
export interface ProcessPodsOptions extends NodeAgentOptions {
  /** The cluster's folder: pods go to `pods` and claims to `claims` in it. What a run before has left in `pods` is removed. */
  readonly directory: string;
  /** Folders in which commands are looked up before `PATH`. */
  readonly podPath?: readonly string[];
  /** The environment that `PATH`, locale and time zone are taken from; usually the process's own. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default the process's. */
  readonly platform?: string;
}

/** What containers inherit of the environment; the rest stays with us. */
const inheritedNames = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/** A runtime of local processes, with a proxy that makes services reachable at their cluster IP. */
export function createProcessPods(options: ProcessPodsOptions): PodRuntime {
  return createNodeAgent(new ProcessBackend(options), options);
}

/** What is there from start to stop. */
interface Started {
  readonly host: PodHost;
  readonly reaper: Reaper;
  readonly addresses: PodAddresses;
}

class ProcessBackend implements ContainerBackend {
  readonly mode = "process";
  readonly probes = true;
  #options: ProcessPodsOptions;
  #platform: string;
  #root = process.getuid?.() === 0;
  #sandboxes = new Map<string, ProcessSandbox>();
  #started: Started | undefined;
  #proxy: ServiceProxy | undefined;

  constructor(options: ProcessPodsOptions) {
    // Absolute, as containers have working folders of their own.
    this.#options = { ...options, directory: resolve(options.directory) };
    this.#platform = options.platform ?? process.platform;
  }

  async start(host: PodHost): Promise<void> {
    const { directory } = this.#options;
    const left = killMarked(clusterMarker, directory);
    if (left > 0)
      host.log.warn({ processes: left, directory }, "ended processes that an earlier cluster has left");
    await rm(this.#pods, { recursive: true, force: true, maxRetries: 3 });
    await mkdir(this.#pods, { recursive: true });
    if (this.#root) for (const folder of [directory, this.#pods]) await openPassage(folder);
    this.#started = {
      host,
      reaper: startReaper(host.log),
      addresses: createLoopbackAddresses(this.#platform, host.random),
    };
    this.#proxy = startServiceProxy({ host, platform: this.#platform });
  }

  async createSandbox(pod: Pod): Promise<ProcessSandbox> {
    const { host, reaper, addresses } = this.#running();
    const { name, namespace, uid } = pod.metadata;
    const folder = join(this.#pods, `${namespace}_${name}_${uid}`);
    await makePassage(folder, this.#root);
    const podIP = addresses.take();
    const { directory, podPath = [], environment } = this.#options;
    const sandbox = new ProcessSandbox({
      pod,
      folder,
      clusterDirectory: directory,
      podIP,
      clock: host.clock,
      reaper,
      podPath,
      inherited: Object.fromEntries(
        inheritedNames.flatMap((each) => {
          const value = environment[each];
          return value === undefined ? [] : [[each, value] as const];
        }),
      ),
      root: this.#root,
      keysOf: keysIn(host, namespace),
      claimFolder: (claimNamespace, claim) => this.claimFolder(claimNamespace, claim),
      tokenOf: tokensOf(host, pod),
      log: host.log,
      apiServer: host.apiServer?.url,
      serviceVariables: () =>
        serviceVariables(host.cache.existing<Service>(Service)?.lister.list({ namespace }) ?? []),
      onRemove: () => {
        addresses.release(podIP);
        this.#sandboxes.delete(uid);
      },
    });
    this.#sandboxes.set(uid, sandbox);
    return sandbox;
  }

  logs(pod: Pod, container: string, request: PodLogRequest): AsyncIterable<string> {
    const log = this.#sandboxes.get(pod.metadata.uid)?.log(container, request.previous === true);
    if (log !== undefined) return log.read(request);
    throw new OperatorError(
      "CONTAINER_NOT_STARTED",
      request.previous === true
        ? `previous terminated container "${container}" in pod "${pod.metadata.name}" not found`
        : `container "${container}" in pod "${pod.metadata.name}" is waiting to start`,
      { remedy: "Look at the container's state in `kubectl describe pod`." },
    );
  }

  async exec(pod: Pod, container: Container, request: PodExecRequest): Promise<PodExecResult> {
    return this.#sandboxOf(pod).exec(container, request);
  }

  async attach(pod: Pod, container: Container, request: PodAttachRequest): Promise<void> {
    await this.#sandboxOf(pod).attach(container, request);
  }

  async connect(pod: Pod, port: number): Promise<Duplex> {
    return openPort(port, this.#sandboxOf(pod).ip);
  }

  async claimFolder(namespace: string, name: string): Promise<string> {
    const folder = this.#claimFolder(namespace, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (this.#root) await openPassage(join(this.#options.directory, "claims"));
    return folder;
  }

  async releaseClaim(namespace: string, name: string): Promise<void> {
    const folder = this.#claimFolder(namespace, name);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async stop(): Promise<void> {
    await this.#proxy?.stop();
    this.#started?.reaper.close();
  }

  #sandboxOf(pod: Pod): ProcessSandbox {
    const sandbox = this.#sandboxes.get(pod.metadata.uid);
    if (sandbox !== undefined) return sandbox;
    throw new OperatorError(
      "CONTAINER_NOT_STARTED",
      `pod "${pod.metadata.name}" has not started: nothing can be done in it`,
      { remedy: "Wait until the pod runs." },
    );
  }

  #claimFolder(namespace: string, name: string): string {
    if (/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(name)) {
      return join(this.#options.directory, "claims", `${namespace}_${name}`);
    }
    throw new ContainerStartError("CreateContainerConfigError", `persistentvolumeclaim "${name}" not found`, {
      remedy: "Correct claimName: it must be the name of a PersistentVolumeClaim.",
    });
  }

  get #pods(): string {
    return join(this.#options.directory, "pods");
  }

  #running(): Started {
    if (this.#started !== undefined) return this.#started;
    throw new OperatorError(
      "POD_RUNTIME_NOT_STARTED",
      "the pod runtime was asked for a pod before its start",
      {
        remedy: "Await start() first.",
      },
    );
  }
}

/** Asks for tokens of a pod's account that are of use as long as the pod is there. */
function tokensOf({ client }: PodHost, { metadata, spec }: Pod): TokenOf {
  const { name, namespace, uid } = metadata;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${spec.serviceAccountName ?? "default"}/token`;
  return async ({ audience, expirationSeconds }) => {
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        ...(audience === undefined ? {} : { audiences: [audience] }),
        expirationSeconds,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
      },
    };
    const { status } = (await client.request({ method: "POST", path, body })) as {
      readonly status: { readonly token: string; readonly expirationTimestamp: string };
    };
    return { token: status.token, expires: Date.parse(status.expirationTimestamp) };
  };
}
