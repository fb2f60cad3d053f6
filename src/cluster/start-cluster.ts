// Makes an embedded cluster out of its parts: folder, certificate, users, API server, kubeconfig, then controllers and pods.
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { refuseWrongOptions } from "../options/option-problems.ts";
import { silentLogger } from "../ports/logger.ts";
import { systemRandom } from "../ports/random.ts";
import { systemClock } from "../ports/system-clock.ts";
import { createKubeClient } from "../client/http-client.ts";
import { loadConnection } from "../client/kube-config.ts";
import { startApiServer } from "./api/api-server.ts";
import { createServerCertificate } from "./api/http/tls.ts";
import { adminUser, controllersUser, type ApiUser } from "./api/requests/users.ts";
import { clusterOptions, type Cluster, type ClusterOptions } from "./cluster.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import { writeKubeConfig } from "./kube-config.ts";
import { makeFolder, makeTemporaryFolder } from "./make-folder.ts";
import { createProcessPods } from "./pods/process/process-pods.ts";
import type { PodRuntime } from "./pods/pod-runtime.ts";
import { createSimulatedPods } from "./pods/simulated/simulated-pods.ts";

/**
 * Starts a Kubernetes API server on 127.0.0.1 in this process, with the built-in controllers and pods unless the options say otherwise.
 *
 * **Guarantees**: when the promise resolves, requests are answered; everything is in memory and ends with `stop()`.
 * **Caveats**: for development and tests: every user may do everything unless `rbac` is on, and nothing outlasts the process.
 * **Errors**: `CLUSTER_OPTIONS_INVALID` for options that are unknown or have a wrong form; `FOLDER_NOT_MADE` and `FILE_NOT_WRITTEN` for a folder that is full or cannot be written to; those of listening, for instance when the port is in use.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  refuseWrongOptions(clusterOptions, options, "startCluster", "CLUSTER_OPTIONS_INVALID");
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLogger;
  const isOurs = options.directory === undefined;
  const directory = options.directory ?? (await makeTemporaryFolder("xstate-operator-cluster-"));
  await makeFolder(directory);
  // The certificate is checked against the system's time, whatever clock the cluster runs on.
  const certificate = await createServerCertificate(systemClock.now());
  const [adminToken, controllersToken] = [newToken(), newToken()];
  const users = new Map<string, ApiUser>([
    [adminToken, adminUser],
    [controllersToken, controllersUser],
  ]);
  for (const [token, { name, groups = [] }] of Object.entries(options.users ?? {})) {
    users.set(token, { name, groups: [...groups, "system:authenticated"] });
  }
  const pods = options.controllers === false ? undefined : createPods(options, directory);
  const server = await startApiServer({
    port: options.port ?? 0,
    certificate,
    users,
    rbac: options.rbac ?? false,
    interceptWrites: options.interceptWrites,
    clock,
    random: systemRandom,
    log,
    podRuntime: () => pods,
  });
  const { url } = server;
  const kubeconfig = join(directory, "kubeconfig");
  const trust = { url, authority: certificate.authority };
  let stopControllers = (): Promise<void> => Promise.resolve();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      await stopControllers();
      await server.stop();
      if (isOurs) await rm(directory, { recursive: true, force: true });
    })();
    return stopped;
  };
  try {
    await writeKubeConfig(kubeconfig, { ...trust, user: adminUser.name, token: adminToken });
    if (pods !== undefined) {
      const path = join(directory, "controllers.kubeconfig");
      await writeKubeConfig(path, { ...trust, user: controllersUser.name, token: controllersToken });
      const connection = await loadConnection({ path, env: {} });
      const client = createKubeClient(connection, { userAgent: "kube-controller-manager/embedded", clock });
      stopControllers = () => client.close();
      const running = await startControllers({
        client,
        clock,
        random: systemRandom,
        log,
        pods,
        authority: certificate.authority,
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

function newToken(): string {
  return randomBytes(24).toString("hex");
}
