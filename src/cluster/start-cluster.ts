// Makes an embedded cluster out of its parts: folder, certificate, users, API server, kubeconfig, then controllers and pods.
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { refuseWrongOptions } from "../options/option-problems.ts";
import type { Clock } from "../ports/clock.ts";
import { toMilliseconds } from "../ports/duration.ts";
import { silentLogger } from "../ports/logger.ts";
import { systemRandom } from "../ports/random.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { startApiServer } from "./api/api-server.ts";
import { adminUser, controllersUser, type ApiUser } from "./api/requests/users.ts";
import { DataFolder, type DataFolderOptions } from "./api/storage/data-folder.ts";
import { clusterOptions, type Cluster, type ClusterOptions } from "./cluster.ts";
import { controllersAgent, createControllersClient } from "./controllers-client.ts";
import { lockFolder } from "./data-lock.ts";
import { keepIdentity, newIdentity, readIdentity, type ClusterIdentity } from "./kept-identity.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import { refuseOthersKubeConfig, writeKubeConfig } from "./kube-config.ts";
import { makeFolder, makeTemporaryFolder } from "./make-folder.ts";
import { createProcessPods } from "./pods/process/process-pods.ts";
import type { PodRuntime } from "./pods/pod-runtime.ts";
import { createSimulatedPods } from "./pods/simulated/simulated-pods.ts";

/**
 * Starts a Kubernetes API server on 127.0.0.1 in this process, with the built-in controllers and pods unless the options say otherwise.
 *
 * **Guarantees**: when the promise resolves, requests are answered; everything is in memory and ends with `stop()`, unless `data` is given.
 * **Caveats**: for development and tests: every user may do everything unless `rbac` is on.
 * **Errors**: `CLUSTER_OPTIONS_INVALID` for options that are unknown or have a wrong form; `FOLDER_NOT_MADE` and `FILE_NOT_WRITTEN` for a folder that is full or cannot be written to; `FILE_NOT_OURS` for a kubeconfig that is somebody else's; `CLUSTER_FOLDER_IN_USE` for a directory that a running cluster has; `CLUSTER_DATA_IN_USE`, `CLUSTER_DATA_DAMAGED` and `CLUSTER_DATA_NEWER` for the folder of `data`; those of listening, for instance when the port is in use.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  refuseWrongOptions(clusterOptions, options, "startCluster", "CLUSTER_OPTIONS_INVALID");
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLogger;
  const isOurs = options.directory === undefined;
  if (options.kubeconfig !== undefined) await refuseOthersKubeConfig(options.kubeconfig);
  const directory = options.directory ?? (await makeTemporaryFolder("xstate-operator-cluster-"));
  await makeFolder(directory);
  // Its kubeconfig would lead to another cluster, and its pods would be taken for what an earlier one has left.
  const leave = isOurs ? undefined : await lockFolder(directory, "CLUSTER_FOLDER_IN_USE");
  const letGo = async (): Promise<void> => {
    await leave?.();
    if (isOurs) await rm(directory, { recursive: true, force: true });
  };
  const isTogether = options.data !== undefined && resolve(options.data) === resolve(directory);
  const kept =
    options.data === undefined
      ? undefined
      : await openData(options.data, { clock, log }, isTogether).catch(async (error: unknown) => {
          await letGo();
          throw error;
        });
  // The certificate is checked against the system's time, whatever clock the cluster runs on.
  const identity = kept?.identity ?? (await newIdentity(systemClock.now()));
  const { certificate, frontProxy, adminToken, controllersToken } = identity;
  const users = new Map<string, ApiUser>([
    [adminToken, adminUser],
    [controllersToken, controllersUser],
  ]);
  for (const [token, { name, groups = [] }] of Object.entries(options.users ?? {})) {
    users.set(token, { name, groups: [...groups, "system:authenticated"] });
  }
  const pods = options.controllers === false ? undefined : createPods(options, directory);
  const starting = startApiServer({
    port: options.port ?? identity.port ?? 0,
    orAnyPort: options.port === undefined,
    certificate,
    frontProxy,
    accountKey: Buffer.from(identity.accountKey, "base64"),
    journal: kept?.data,
    users,
    rbac: options.rbac ?? false,
    metrics: options.metrics ?? false,
    eventTtl: toMilliseconds(options.eventTtl ?? "1h"),
    interceptWrites: options.interceptWrites,
    clock,
    random: systemRandom,
    log,
    podRuntime: () => pods,
  });
  const server = await starting.catch(async (error: unknown) => {
    await kept?.close();
    await letGo();
    throw error;
  });
  const { url } = server;
  const kubeconfig = options.kubeconfig ?? join(directory, "kubeconfig");
  const trust = { url, authority: certificate.authority };
  let stopControllers = (): Promise<void> => Promise.resolve();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      await stopControllers();
      await server.stop();
      await kept?.close();
      await letGo();
    })();
    return stopped;
  };
  try {
    await kept?.keep(Number(new URL(url).port));
    await writeKubeConfig(kubeconfig, { ...trust, user: adminUser.name, token: adminToken });
    if (pods !== undefined) {
      const overHttp = async (): Promise<KubeClient> => {
        const path = join(directory, "controllers.kubeconfig");
        await writeKubeConfig(path, { ...trust, user: controllersUser.name, token: controllersToken });
        return createHttpClient(path, clock);
      };
      const client = createControllersClient({ core: server.core, clock, detour: server.detour, overHttp });
      stopControllers = () => client.close();
      const running = await startControllers({
        client,
        clock,
        random: systemRandom,
        log,
        pods,
        authority: certificate.authority,
        issueHeldToken: (held) => server.core.accountTokens.issueHeld(held),
        url,
      });
      stopControllers = async () => {
        await running.stop();
        await client.close();
      };
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, directory, kubeconfig, faults: server.faults, stop };
}

/** Loaded only where it is needed. */
async function createHttpClient(path: string, clock: Clock): Promise<KubeClient> {
  const { createKubeClient } = await import("../client/http-client.ts");
  const { loadConnection } = await import("../client/kube-config.ts");
  const connection = await loadConnection({ path, env: {} });
  return createKubeClient(connection, { userAgent: controllersAgent, clock });
}

function createPods(options: ClusterOptions, directory: string): PodRuntime {
  if (typeof options.pods === "object") return options.pods;
  if (options.pods !== "process") {
    const { podStartDelay } = options;
    return createSimulatedPods(podStartDelay === undefined ? {} : { startDelay: podStartDelay });
  }
  const { podPath } = options;
  return createProcessPods({
    directory,
    ...(podPath === undefined ? {} : { podPath }),
    // oxlint-disable-next-line no-restricted-properties -- the edge of the cluster: local processes need a PATH
    environment: process.env,
  });
}

/** What a folder keeps, and how it is left. */
interface KeptData {
  readonly data: DataFolder;
  readonly identity: ClusterIdentity;
  keep(port: number): Promise<void>;
  close(): Promise<void>;
}

async function openData(folder: string, options: DataFolderOptions, isLocked: boolean): Promise<KeptData> {
  await makeFolder(folder);
  const unlock = isLocked ? undefined : await lockFolder(folder, "CLUSTER_DATA_IN_USE");
  try {
    const identity = await readIdentity(folder, systemClock.now());
    const data = await DataFolder.open(folder, options);
    return {
      data,
      identity,
      keep: (port) => keepIdentity(folder, { ...identity, port }),
      close: async () => {
        await data.close();
        await unlock?.();
      },
    };
  } catch (error) {
    await unlock?.();
    throw error;
  }
}
