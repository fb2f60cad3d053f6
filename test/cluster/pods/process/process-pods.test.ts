// Process pods on a running embedded cluster: real child processes, real sockets on loopback.
import { execFileSync, fork } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { request } from "undici";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import type { Cluster } from "../../../../src/cluster/cluster.ts";
import { startCluster } from "../../../../src/cluster/start-cluster.ts";
import { StatefulSet } from "../../../../src/kinds/builtin/apps.ts";
import { Job } from "../../../../src/kinds/builtin/batch.ts";
import {
  ConfigMap,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from "../../../../src/kinds/builtin/core.ts";
import type { PodSpec } from "../../../../src/kinds/builtin/parts.ts";
import type { KubeObject } from "../../../../src/meta/object.ts";
import { apiVersionOf, type ResourceType } from "../../../../src/meta/resource-type.ts";
import { clientOf } from "../../../support/api-servers.ts";
import { eventually } from "../../../support/eventually.ts";

const namespace = "default";
const isLinux = process.platform === "linux";

/** A small server that says who it is, and does what its paths say. */
const server = `
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
const { NAME, POD_IP, GREETING, CONFIG } = process.env;
const [file] = process.argv.slice(2);
appendFileSync(file, "started " + NAME + "\\n");
const http = createServer((request, response) => {
  console.log("request " + request.url);
  if (request.url === "/exit") {
    // Not before the answer has arrived, and no connection is left that a later request could be sent on.
    request.socket.on("close", () => process.exit(7));
    response.writeHead(200, { connection: "close" }).end("bye");
    return;
  }
  const user = process.getuid();
  response.end(JSON.stringify({ NAME, GREETING, user, config: readFileSync(CONFIG, "utf8"), data: readFileSync(file, "utf8") }));
});
http.listen(8080, POD_IP, () => console.log("listening"));
process.on("SIGTERM", () => { console.log("asked to end"); process.exit(0); });
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("process pods", () => {
  let folder: string;
  let cluster: Cluster;
  let client: KubeClient;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "process-pods-"));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "server.mjs"), server);
    writeFileSync(join(folder, "only-here"), "#!/bin/sh\necho found me\n", { mode: 0o755 });
    cluster = await startCluster({ directory: join(folder, "cluster"), pods: "process", podPath: [folder] });
    client = await clientOf(cluster.kubeconfig);
  });

  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const create = <T extends KubeObject>(
    type: ResourceType<T>,
    name: string,
    content: object,
    metadata: object = {},
  ) =>
    client.create(type, {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name, namespace, ...metadata },
      ...content,
    });
  const podOf = (name: string) => client.get(Pod, { namespace, name });
  const runPod = (name: string, script: string, more: Partial<PodSpec> = {}, container: object = {}) =>
    create(Pod, name, {
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 2,
        containers: [{ name: "main", image: "none", command: ["sh", "-c", script], ...container }],
        ...more,
      },
    });
  const hasEnded = (name: string) =>
    eventually(async () => {
      const pod = await podOf(name);
      expect(pod.status?.phase).toMatch(/Succeeded|Failed/);
      return pod;
    });
  const logOf = async (name: string, query = "") =>
    String(
      await client.request({
        method: "GET",
        path: `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}`,
      }),
    );
  const pidOf = async (name: string) => {
    const pod = await podOf(name);
    return Number(pod.status?.containerStatuses?.[0]?.containerID?.split("/").at(-1));
  };

  it("run a stateful server that is ready by its probe, is reached by its service, and is restarted when it crashes", async () => {
    const user = process.getuid?.() === 0 ? { securityContext: { runAsUser: 4242, runAsGroup: 4242 } } : {};
    await create(ConfigMap, "config", { data: { "app.conf": "colour=blue" } });
    await create(Secret, "login", { stringData: { greeting: "hello" } });
    await create(Service, "web", {
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] },
    });
    const container = {
      name: "web",
      image: "none",
      command: [process.execPath, join(folder, "server.mjs")],
      args: ["/var/lib/web/log-$(NAME)"],
      ports: [{ name: "http", containerPort: 8080 }],
      env: [
        { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "GREETING", valueFrom: { secretKeyRef: { name: "login", key: "greeting" } } },
        { name: "CONFIG", value: "/etc/web/app.conf" },
      ],
      readinessProbe: { httpGet: { port: "http", path: "/" }, periodSeconds: 1 },
      livenessProbe: { exec: { command: ["test", "-f", "/etc/web/app.conf"] }, periodSeconds: 1 },
      volumeMounts: [
        { name: "data", mountPath: "/var/lib/web" },
        { name: "config", mountPath: "/etc/web" },
      ],
    };
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } };
    await create(StatefulSet, "web", {
      spec: {
        replicas: 2,
        serviceName: "web",
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            ...user,
            terminationGracePeriodSeconds: 5,
            containers: [container],
            volumes: [{ name: "config", configMap: { name: "config" } }],
          },
        },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
      },
    });
    await eventually(async () => {
      expect((await client.get(StatefulSet, { namespace, name: "web" })).status?.readyReplicas).toBe(2);
    });
    const first = await podOf("web-0");
    const second = await podOf("web-1");
    if (isLinux) expect(first.status?.podIP).not.toBe(second.status?.podIP);
    const ask = async (path: string, address = first.status?.podIP, port = 8080) => {
      const { body } = await request(`http://${address}:${port}${path}`);
      return body.text();
    };
    expect(JSON.parse(await ask("/"))).toEqual({
      NAME: "web-0",
      GREETING: "hello",
      user: "securityContext" in user ? 4242 : process.getuid?.(),
      config: "colour=blue",
      data: "started web-0\n",
    });
    if (isLinux) {
      const { spec } = await client.get(Service, { namespace, name: "web" });
      const names = new Set<string>();
      for (let index = 0; index < 4; index += 1) {
        names.add((JSON.parse(await ask("/", spec.clusterIP, 80)) as { NAME: string }).NAME);
      }
      expect([...names].sort()).toEqual(["web-0", "web-1"]);
    }
    expect(await ask("/exit")).toBe("bye");
    await eventually(async () => {
      const [status] = (await podOf("web-0")).status?.containerStatuses ?? [];
      expect(status).toMatchObject({
        restartCount: 1,
        ready: true,
        lastState: { terminated: { exitCode: 7, reason: "Error" } },
      });
    });
    expect(JSON.parse(await ask("/"))).toMatchObject({ data: "started web-0\nstarted web-0\n" });
    expect(await logOf("web-0", "previous=true")).toContain("request /exit");
    expect(await logOf("web-0", "tailLines=1")).toBe("request /\n");

    await client.delete(Pod, { namespace, name: "web-1" });
    await eventually(async () => {
      const pod = await podOf("web-1");
      expect(pod.metadata.uid).not.toBe(second.metadata.uid);
      expect(pod.status?.containerStatuses?.[0]?.ready).toBe(true);
    });
    const pids = [await pidOf("web-0"), await pidOf("web-1")];
    expect(pids.map(isAlive)).toEqual([true, true]);
    await client.delete(StatefulSet, { namespace, name: "web" });
    await eventually(async () => {
      expect((await client.list(Pod, { namespace, labelSelector: "app=web" })).items).toEqual([]);
    });
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(
      readFileSync(join(cluster.directory, "claims", "default_data-web-0", "log-web-0"), "utf8"),
    ).toContain("web-0");
    await client.delete(PersistentVolumeClaim, { namespace, name: "data-web-0" });
    await eventually(() =>
      expect(existsSync(join(cluster.directory, "claims", "default_data-web-0"))).toBe(false),
    );
  });

  it("end with the exit code and message of their command", async () => {
    await runPod("ends", "echo out; echo err >&2; printf 'no disk' > /dev/termination-log; exit 3");
    const { status } = await hasEnded("ends");
    expect(status?.phase).toBe("Failed");
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      reason: "Error",
      message: "no disk",
    });
    expect((await logOf("ends")).split("\n").sort()).toEqual(["", "err", "out"]);
  });

  it("run init containers first, which share their volumes", async () => {
    const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
    const initContainers = [
      { name: "init", image: "none", command: ["sh", "-c", "echo made > /scratch/file"], volumeMounts },
    ];
    const volumes = [{ name: "scratch", emptyDir: {} }];
    await runPod(
      "init",
      "cat /scratch/file; ls $XSTATE_MOUNT_SCRATCH",
      { initContainers, volumes },
      { volumeMounts },
    );
    await hasEnded("init");
    expect(await logOf("init")).toBe("made\nfile\n");
  });

  it("do not run when an init container fails", async () => {
    const initContainers = [{ name: "init", image: "none", command: ["false"] }];
    await runPod("broken", "echo never", { initContainers });
    const { status } = await hasEnded("broken");
    expect(status?.phase).toBe("Failed");
    expect(status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("PodInitializing");
  });

  it("find commands in the folders that the cluster names", async () => {
    await runPod("finds", "only-here");
    await hasEnded("finds");
    expect(await logOf("finds")).toBe("found me\n");
  });

  it("wait, and say why, when their command is not there", async () => {
    await create(Pod, "lost", {
      spec: {
        containers: [{ name: "main", image: "none", command: ["no-such-command"] }],
        terminationGracePeriodSeconds: 0,
      },
    });
    await eventually(async () => {
      const [status] = (await podOf("lost")).status?.containerStatuses ?? [];
      expect(status?.state?.waiting?.reason).toBe("StartError");
      expect(status?.state?.waiting?.message).toContain('"no-such-command": executable file not found');
    });
    await client.delete(Pod, { namespace, name: "lost" });
    await eventually(async () => {
      expect((await client.list(Pod, { namespace, fieldSelector: "metadata.name=lost" })).items).toEqual([]);
    });
  });

  it("are asked to end, after their preStop hook, and killed when their grace is over", async () => {
    const lifecycle = { preStop: { exec: { command: ["sh", "-c", "echo stopping > /scratch/hook"] } } };
    const volumes = [{ name: "scratch", hostPath: { path: folder } }];
    const volumeMounts = [{ name: "scratch", mountPath: "/scratch" }];
    await runPod(
      "stubborn",
      "trap '' TERM; echo up; sleep 600 & wait; sleep 600",
      { volumes },
      { lifecycle, volumeMounts },
    );
    await eventually(async () => expect(await logOf("stubborn")).toBe("up\n"));
    const pid = await pidOf("stubborn");
    const begun = performance.now();
    await client.delete(Pod, { namespace, name: "stubborn" });
    await eventually(async () => {
      expect((await client.list(Pod, { namespace, fieldSelector: "metadata.name=stubborn" })).items).toEqual(
        [],
      );
    });
    expect(performance.now() - begun).toBeGreaterThan(1_900);
    expect(isAlive(pid)).toBe(false);
    expect(readFileSync(join(folder, "hook"), "utf8")).toBe("stopping\n");
  });

  it("leave no process behind that their command has started, whatever it did", async () => {
    const marker = `leftover-${process.pid}`;
    await runPod(
      "spawns",
      `setsid sh -c 'exec sleep 3600.${process.pid}' & sleep 3600.${process.pid} & echo ${marker}`,
    );
    await hasEnded("spawns");
    if (!isLinux) return;
    await eventually(() => {
      const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
      expect(processes.split("\n").filter((line) => line.includes(`3600.${process.pid}`))).toEqual([]);
    });
  });

  it("complete jobs", async () => {
    const template = {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "c", image: "none", command: ["sh", "-c", "echo $JOB_COMPLETION_INDEX"] }],
      },
    };
    await create(Job, "work", {
      spec: { completions: 2, parallelism: 2, completionMode: "Indexed", template },
    });
    await eventually(async () => {
      const { status } = await client.get(Job, { namespace, name: "work" });
      expect(status?.conditions?.some((each) => each.type === "Complete" && each.status === "True")).toBe(
        true,
      );
    });
    const { items } = await client.list(Pod, { namespace, labelSelector: "job-name=work" });
    const logs = await Promise.all(items.map((pod) => logOf(pod.metadata.name)));
    expect(logs.sort()).toEqual(["0\n", "1\n"]);
  });

  it("serve their log as it is written, to the end", async () => {
    await runPod("talks", "for i in 1 2 3; do echo line $i; sleep 0.2; done");
    const follow = eventually(() => logOf("talks", "follow=true"));
    expect(await follow).toBe("line 1\nline 2\nline 3\n");
  });

  it("end soon after a cluster that was killed, and what they left is cleared by the next one", async () => {
    const directory = join(folder, "killed");
    const child = fork(join(import.meta.dirname, "..", "support", "killed-cluster.ts"), [directory], {
      execArgv: ["--conditions=xstate-operator-source"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once("message", (message) => resolve(Number(message)));
      child.once("exit", (code) => reject(new Error(`the cluster ended with ${code}`)));
    });
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await eventually(() => expect(isAlive(pid)).toBe(false));
    expect(readdirSync(join(directory, "pods"))).toHaveLength(1);
    const next = await startCluster({ directory, pods: "process" });
    expect(readdirSync(join(directory, "pods"))).toEqual([]);
    await next.stop();
  });
});
