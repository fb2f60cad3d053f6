// Makes an embedded cluster out of its parts: folder, certificate, users, API server, kubeconfig, then controllers and pods.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../ports/logger.ts";
import { systemClock } from "../ports/system-clock.ts";
import { systemRandom } from "../ports/random.ts";
import { startApiServer } from "./api/api-server.ts";
import type { PodLogSource } from "./api/http/pod-log.ts";
import { createServerCertificate } from "./api/http/tls.ts";
import { adminUser, controllersUser, type ApiUser } from "./api/http/users.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import { writeKubeConfig } from "./kube-config.ts";

/**
 * Starts a Kubernetes API server on 127.0.0.1 in this process, with the built-in controllers and pods unless told otherwise.
 *
 * **Guarantees**: when the promise resolves, requests are answered; everything is in memory and ends with `stop()`.
 * **Caveats**: for development and tests: every user may do everything, and nothing outlasts the process.
 * **Errors**: those of listening, for instance when the port is taken.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLogger;
  const isOurs = options.directory === undefined;
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "xstate-operator-cluster-")));
  await mkdir(directory, { recursive: true });
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
  let podLogs: PodLogSource | undefined;
  const server = await startApiServer({
    port: options.port ?? 0,
    certificate,
    users,
    interceptWrites: options.interceptWrites,
    clock,
    random: systemRandom,
    log,
    podLogs: () => podLogs,
  });
  const kubeconfig = join(directory, "kubeconfig");
  const entry = { url: server.url, certificate: certificate.certificate };
  await writeKubeConfig(kubeconfig, { ...entry, user: adminUser.name, token: adminToken });
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    podLogs = undefined;
    await server.stop();
    if (isOurs) await rm(directory, { recursive: true, force: true });
  };
  return {
    url: server.url,
    directory,
    kubeconfig,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function newToken(): string {
  return randomBytes(24).toString("hex");
}
