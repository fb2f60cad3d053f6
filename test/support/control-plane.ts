// Starts a real Kubernetes control plane on loopback from the binaries in KUBEBUILDER_ASSETS (the envtest convention):
// etcd, kube-apiserver with RBAC and, unless told otherwise, kube-controller-manager. There is no kubelet.
import { spawn, type ChildProcess } from "node:child_process";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { createFrontProxyCertificate, createServerCertificate } from "../../src/cluster/api/http/tls.ts";
import { auditLog, kubeconfigOf, type ControlPlaneAccess } from "./control-plane-access.ts";
import { freePort } from "./free-port.ts";

/** Folder of the binaries, or undefined. */
export const assets = process.env["KUBEBUILDER_ASSETS"];

/** Why suites on the real API server are skipped; undefined when they can run. */
export const whyNoControlPlane: string | undefined =
  assets === undefined
    ? "KUBEBUILDER_ASSETS is not set"
    : ["etcd", "kube-apiserver", "kubectl"].every((name) => existsSync(join(assets, name)))
      ? undefined
      : `KUBEBUILDER_ASSETS=${assets} lacks etcd, kube-apiserver or kubectl`;

/** Options of {@link startControlPlane}. */
export interface ControlPlaneOptions {
  /** What `--controllers` of kube-controller-manager says; "none" starts none. Default "*". */
  readonly controllers?: string;
  readonly apiServerFlags?: readonly string[];
  /** Flags of kube-controller-manager besides its usual ones. */
  readonly controllerFlags?: readonly string[];
}

/** A control plane, for the process that has started it. */
export interface RunningControlPlane {
  readonly access: ControlPlaneAccess;
  /** URL of etcd. */
  readonly etcd: string;
  /** Starts kube-controller-manager, if there is one; "none" starts none. */
  startControllers(controllers: string, flags?: readonly string[]): Promise<void>;
  /** Ends kube-controller-manager at once. */
  stopControllers(): Promise<void>;
  /** Stops kube-apiserver (SIGTERM, or SIGKILL) and starts it again on the same port and data. */
  restartApiServer(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Copies what etcd has on its disk, for {@link restore}. kube-apiserver is down meanwhile. */
  backUp(): Promise<void>;
  /** Sets etcd back to its backup, and starts kube-apiserver again on it, as after a disaster. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** Users and their groups; only the groups of Kubernetes itself have rights. */
const users = { admin: "system:masters", "controller-manager": "system:masters", stranger: "strangers" };

/** Starts the control plane; about 7 s. Requests of others than administrators are written to the audit log. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<RunningControlPlane> {
  if (assets === undefined || whyNoControlPlane !== undefined) throw new Error(whyNoControlPlane);
  const directory = mkdtempSync(join(tmpdir(), "xstate-operator-kube-"));
  const file = (name: string): string => join(directory, name);
  const etcdPort = await freePort(3);
  const [peerPort, apiPort] = [etcdPort + 1, etcdPort + 2];
  const url = `https://127.0.0.1:${apiPort}`;
  const children = new Map<string, ChildProcess>();

  const { key, certificate, authority } = await createServerCertificate(Date.now());
  writeFileSync(file("ca.crt"), authority);
  writeFileSync(file("server.crt"), certificate);
  writeFileSync(file("server.key"), key, { mode: 0o600 });
  const frontProxy = await createFrontProxyCertificate(Date.now());
  writeFileSync(file("front-proxy-ca.crt"), frontProxy.authority);
  writeFileSync(file("front-proxy.crt"), frontProxy.certificate);
  writeFileSync(file("front-proxy.key"), frontProxy.key, { mode: 0o600 });
  const accounts = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  writeFileSync(file("sa.pub"), accounts.publicKey);
  writeFileSync(file("sa.key"), accounts.privateKey, { mode: 0o600 });

  const tokenOf = new Map(Object.keys(users).map((name) => [name, randomBytes(24).toString("hex")]));
  writeFileSync(
    file("tokens.csv"),
    Object.entries(users)
      .map(
        ([name, group]) =>
          `${tokenOf.get(name)},${name},${createHash("sha256").update(name).digest("hex")},"${group}"\n`,
      )
      .join(""),
    { mode: 0o600 },
  );
  const access: ControlPlaneAccess = {
    url,
    directory,
    authority,
    tokens: Object.fromEntries(tokenOf),
  };

  writeFileSync(
    file("audit-policy.yaml"),
    JSON.stringify({
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      omitStages: ["RequestReceived", "ResponseStarted"],
      rules: [
        { level: "None", userGroups: ["system:masters", "system:nodes"] },
        { level: "Metadata", userGroups: ["system:authenticated"] },
      ],
    }),
  );
  const start = (name: string, args: readonly string[]): void => {
    const log = openSync(file(`${name}.log`), "a");
    children.set(name, spawn(join(assets, name), args, { stdio: ["ignore", log, log] }));
    closeSync(log);
  };
  const agent = new Agent({ connect: { ca: authority } });
  const whenUp = async (
    name: string,
    address: string,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      if (children.get(name)?.exitCode !== null) break;
      try {
        const answer = await request(address, { dispatcher: agent, headers, headersTimeout: 2_000 });
        await answer.body.dump();
        if (answer.statusCode === 200) return;
      } catch {
        // Not listening yet.
      }
      await delay(100);
    }
    throw new Error(
      `${name} did not become ready:\n${readFileSync(file(`${name}.log`), "utf8").slice(-2_000)}`,
    );
  };
  const end = async (name: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    const child = children.get(name);
    children.delete(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill(signal);
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(late);
  };
  const startApiServer = async (): Promise<void> => {
    start("kube-apiserver", [
      `--etcd-servers=http://127.0.0.1:${etcdPort}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${apiPort}`,
      "--endpoint-reconciler-type=none",
      "--service-cluster-ip-range=10.96.0.0/16",
      `--tls-cert-file=${file("server.crt")}`,
      `--tls-private-key-file=${file("server.key")}`,
      `--token-auth-file=${file("tokens.csv")}`,
      `--client-ca-file=${file("ca.crt")}`,
      `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
      "--requestheader-allowed-names=front-proxy-client",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-uid-headers=X-Remote-Uid",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      `--proxy-client-cert-file=${file("front-proxy.crt")}`,
      `--proxy-client-key-file=${file("front-proxy.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${file("sa.pub")}`,
      `--service-account-signing-key-file=${file("sa.key")}`,
      "--authorization-mode=RBAC",
      "--allow-privileged=true",
      "--profiling=false",
      `--audit-policy-file=${file("audit-policy.yaml")}`,
      `--audit-log-path=${auditLog(access)}`,
      ...(options.apiServerFlags ?? []),
    ]);
    await whenUp("kube-apiserver", `${url}/readyz`, { authorization: `Bearer ${tokenOf.get("admin")}` });
  };

  const startControllers = async (controllers: string, flags: readonly string[] = []): Promise<void> => {
    if (controllers === "none" || !existsSync(join(assets, "kube-controller-manager"))) return;
    start("kube-controller-manager", [
      `--kubeconfig=${kubeconfigOf(access, "controller-manager")}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${file("kcm")}`,
      "--leader-elect=false",
      `--controllers=${controllers}`,
      "--use-service-account-credentials=false",
      `--service-account-private-key-file=${file("sa.key")}`,
      `--root-ca-file=${file("ca.crt")}`,
      "--kube-api-qps=500",
      "--kube-api-burst=1000",
      "--concurrent-gc-syncs=20",
      "--allocate-node-cidrs=false",
      ...flags,
    ]);
  };

  const stop = async (): Promise<void> => {
    for (const name of ["kube-controller-manager", "kube-apiserver", "etcd"]) await end(name, "SIGTERM");
    await agent.close();
    rmSync(directory, { recursive: true, force: true });
  };
  const startEtcd = async (): Promise<void> => {
    start("etcd", [
      "--name=test",
      `--data-dir=${file("etcd-data")}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=test=http://127.0.0.1:${peerPort}`,
    ]);
    await whenUp("etcd", `http://127.0.0.1:${etcdPort}/health`);
  };
  /** Copies etcd's folder while neither etcd nor the API server runs. */
  const copyOfEtcd = async (from: string, to: string): Promise<void> => {
    for (const name of ["kube-apiserver", "etcd"]) await end(name, "SIGTERM");
    rmSync(file(to), { recursive: true, force: true });
    cpSync(file(from), file(to), { recursive: true });
    await startEtcd();
    await startApiServer();
  };
  try {
    await startEtcd();
    await startApiServer();
    await startControllers(options.controllers ?? "*", options.controllerFlags);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    access,
    etcd: `http://127.0.0.1:${etcdPort}`,
    startControllers,
    stopControllers: () => end("kube-controller-manager", "SIGKILL"),
    restartApiServer: async (signal) => {
      await end("kube-apiserver", signal);
      await startApiServer();
    },
    backUp: () => copyOfEtcd("etcd-data", "etcd-backup"),
    restore: () => copyOfEtcd("etcd-backup", "etcd-data"),
    stop,
  };
}
