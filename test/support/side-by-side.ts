// The embedded cluster and the real API server side by side, each with an account that a foreign operator runs under. On the real one
// Kubernetes' own controllers run; its pods are simulated by ours, which also answer in the place of a kubelet.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BehaviorSubject } from "rxjs";
import { parse } from "yaml";
import { createSharedCache } from "../../src/cache/shared-cache.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ApiEvents } from "../../src/cluster/controllers/controller-events.ts";
import { runController } from "../../src/cluster/controllers/controller-loop.ts";
import type { ControllerContext } from "../../src/cluster/controllers/controller-context.ts";
import type { NodeSilence } from "../../src/cluster/controllers/node/node-loss.ts";
import { nodeName, registerNode } from "../../src/cluster/controllers/node/node-object.ts";
import { podController } from "../../src/cluster/controllers/scheduler/pod-controller.ts";
import { recordingClient } from "../../src/cluster/controllers/recording-client.ts";
import { claimController } from "../../src/cluster/controllers/storage/claim-controller.ts";
import type { PodRuntime } from "../../src/cluster/pods/pod-runtime.ts";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import type { ClusterOptions } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { clientOf } from "./api-servers.ts";
import { assets, type ControlPlaneOptions } from "./control-plane.ts";
import { leaseControlPlane } from "./leased-control-plane.ts";
import { serveNode } from "./simulated-kubelet.ts";

/** The namespace in which operators have their account and their lease. */
export const home = "operators";
/** The namespace of the custom resources. */
export const shop = "shop";
const account = `system:serviceaccount:${home}:operator`;

/** A cluster that a foreign operator runs on. */
export interface ClusterForOperator {
  readonly name: "embedded" | "real";
  /** A client of the administrator. */
  readonly client: KubeClient;
  /** Kubeconfig file of the administrator. */
  readonly admin: string;
  /** Kubeconfig file of the operator's account. */
  readonly kubeconfig: string;
  /** What the account has written so far, `create configmaps` and the like, and the status of each answer. */
  writes(): readonly Write[];
  /** Runs kubectl as the administrator; rejects with what it says. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  stop(): Promise<void>;
}

/** One write of the operator. */
export interface Write {
  readonly verb: string;
  readonly path: string;
  readonly status: number;
}

const written = new Set(["create", "update", "patch", "apply", "delete", "deletecollection"]);

/** Starts an embedded cluster with RBAC. */
export async function startEmbedded(options: ClusterOptions = {}): Promise<ClusterForOperator> {
  const writes: Write[] = [];
  const cluster = await startCluster({
    ...options,
    rbac: true,
    interceptWrites: {
      after({ user, verb, path }, status) {
        if (user === account) writes.push({ verb, path, status });
        return "proceed";
      },
    },
  });
  return prepared("embedded", cluster.kubeconfig, {
    writes: () => writes,
    stop: () => cluster.stop(),
  });
}

/** Leases a real control plane with Kubernetes' own controllers, and simulates its node. */
export async function startReal(
  pods: PodRuntime = createSimulatedPods(),
  options: ControlPlaneOptions = {},
): Promise<ClusterForOperator> {
  // Nothing sends the heartbeats of the node.
  const plane = await leaseControlPlane({ controllers: "*,-node-lifecycle-controller", ...options });
  const client = await clientOf(plane.kubeconfig, "kube-controller-manager/node");
  const node = await startNode(client, pods);
  return prepared("real", plane.kubeconfig, {
    writes: () =>
      plane
        .audit()
        .filter(({ user, verb }) => user === account && written.has(verb))
        .map(({ verb, uri, code }) => ({ verb, path: uri.replace(/\?.*$/, ""), status: code })),
    async stop() {
      await node.stop();
      await client.close();
      await plane.stop();
    },
  });
}

/** What a kubelet, a scheduler and a provisioner of volumes do. */
async function startNode(client: KubeClient, pods: PodRuntime): Promise<{ stop(): Promise<void> }> {
  const abort = new AbortController();
  const base = { clock: systemClock, random: Math.random, log: silentLogger };
  const cache = createSharedCache({ client, ...base });
  const context: ControllerContext = {
    ...base,
    events: new ApiEvents({ client, clock: systemClock, log: silentLogger, signal: abort.signal }),
    client: recordingClient(client, cache),
    cache,
    signal: abort.signal,
  };
  const silence: NodeSilence = new BehaviorSubject<number | undefined>(undefined);
  await registerNode(context, pods.mode);
  // A new node is tainted until whoever watches over nodes has found it ready, and nobody does here.
  await client.request({
    method: "PATCH",
    path: `/api/v1/nodes/${nodeName}`,
    contentType: "application/merge-patch+json",
    body: { spec: { taints: null } },
  });
  await pods.start(context);
  const running = [podController(context, pods, silence), claimController(context, pods)].map((each) =>
    runController(each, context),
  );
  cache.start(abort.signal);
  await cache.whenSynced(abort.signal);
  const served = await serveNode(client, nodeName, pods);
  return {
    async stop() {
      abort.abort(new Error("the node is stopped"));
      await served.stop();
      await Promise.all(running.map((each) => each.stop()));
      await pods.stop();
    },
  };
}

async function prepared(
  name: ClusterForOperator["name"],
  admin: string,
  { writes, stop }: Pick<ClusterForOperator, "writes" | "stop">,
): Promise<ClusterForOperator> {
  const client = await clientOf(admin);
  const folder = mkdtempSync(join(tmpdir(), "foreign-operator-"));
  for (const namespace of [home, shop]) {
    await client.request({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    });
  }
  const accounts = `/api/v1/namespaces/${home}/serviceaccounts`;
  await client.request({
    method: "POST",
    path: accounts,
    body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "operator" } },
  });
  const { status } = (await client.request({
    method: "POST",
    path: `${accounts}/operator/token`,
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 7_200 },
    },
  })) as { status: { token: string } };
  const config = parse(readFileSync(admin, "utf8")) as { users: { user: unknown }[] };
  for (const each of config.users) each.user = { token: status.token };
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  return {
    name,
    client,
    admin,
    kubeconfig,
    writes,
    kubectl: (args, input) =>
      run(
        join(assets ?? "", "kubectl"),
        ["--kubeconfig", admin, "--cache-dir", join(folder, "cache"), ...args],
        input,
      ),
    async stop() {
      await client.close();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a program to its end; what it printed, or a rejection with it. */
function run(program: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (more: string) => (said += more));
    }
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0
        ? resolve(said)
        : reject(new Error(`kubectl ${args.slice(4).join(" ")}: ${said.trim() || `exit code ${code}`}`)),
    );
    child.stdin.end(input);
  });
}
