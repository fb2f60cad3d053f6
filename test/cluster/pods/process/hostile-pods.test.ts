// Pods that try to get at what is not theirs, on a cluster that root runs: the containers' user is another one, and nothing
// that we do for them as root may help them.
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import type { Cluster } from "../../../../src/cluster/cluster.ts";
import { startCluster } from "../../../../src/cluster/start-cluster.ts";
import { PersistentVolumeClaim, Pod, Secret } from "../../../../src/kinds/builtin/core.ts";
import { clientOf } from "../../../support/api-servers.ts";
import { eventually } from "../../../support/eventually.ts";

const namespace = "default";
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!isRoot)("a hostile pod of a cluster that root runs (skipped: not root on Linux)", () => {
  let folder: string;
  let secret: string;
  let cluster: Cluster;
  let client: KubeClient;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "hostile-pods-"));
    chmodSync(folder, 0o755);
    secret = join(folder, "root-only");
    writeFileSync(secret, "the treasure", { mode: 0o600 });
    cluster = await startCluster({ directory: join(folder, "cluster"), pods: "process" });
    client = await clientOf(cluster.kubeconfig);
  });

  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "shared" } }];
  const volumeMounts = [{ name: "data", mountPath: "/data" }];

  /** Runs a pod as user 4242. */
  async function run(name: string, script: string, { pod = {}, container = {} } = {}): Promise<void> {
    const main = { name: "main", image: "none", command: ["sh", "-c", script], ...container };
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace },
      spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        securityContext: { runAsUser: 4242, runAsGroup: 4242 },
        containers: [main],
        ...pod,
      },
    });
  }
  const containerOf = async (name: string) =>
    (await client.get(Pod, { namespace, name })).status?.containerStatuses?.[0];
  const endOf = (name: string) =>
    eventually(async () => {
      const terminated = (await containerOf(name))?.state?.terminated;
      expect(terminated).toBeDefined();
      return terminated;
    });
  const logOf = async (name: string) =>
    String(await client.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/pods/${name}/log` }));

  it("says why it ended in its termination log, but cannot make us read or empty another file", async () => {
    await run("honest", "echo no disk > /dev/termination-log; exit 3");
    expect(await endOf("honest")).toMatchObject({ exitCode: 3, message: "no disk\n" });
    const swap = `rm -f /dev/termination-log; ln -s ${secret} /dev/termination-log; exit 1`;
    await run("swapping", swap, { pod: { restartPolicy: "OnFailure" } });
    // Started twice: what is emptied before a start is emptied now.
    const last = await eventually(async () => {
      const status = await containerOf("swapping");
      expect(status?.restartCount).toBeGreaterThanOrEqual(1);
      return status?.lastState?.terminated ?? status?.state?.terminated;
    });
    expect(last?.exitCode).toBe(1);
    expect(JSON.stringify(await containerOf("swapping"))).not.toContain("treasure");
    expect(readFileSync(secret, "utf8")).toBe("the treasure");
  });

  it("fills its termination log, of which we read the beginning only", async () => {
    await run("long", "head -c 200000000 /dev/zero | tr '\\0' x > /dev/termination-log; exit 1");
    expect((await endOf("long"))?.message).toHaveLength(4_096);
  });

  it("keeps what it mounts from other users", async () => {
    await client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace },
      stringData: { password: "hunter2" },
    });
    const mounted = [{ name: "login", mountPath: "/login" }];
    await run("owner", "cat /login/password; echo; echo /login/password; sleep 600", {
      pod: { volumes: [{ name: "login", secret: { secretName: "login" } }] },
      container: { volumeMounts: mounted },
    });
    const [value, path = ""] = await eventually(async () => {
      const lines = (await logOf("owner")).split("\n");
      expect(lines).toHaveLength(3);
      return lines;
    });
    expect(value).toBe("hunter2");
    expect(existsSync(path)).toBe(true);
    await run("thief", `cat ${path}; ls ${join(folder, "cluster", "pods")}`, {
      pod: { securityContext: { runAsUser: 4343, runAsGroup: 4343 } },
    });
    expect((await endOf("thief"))?.exitCode).not.toBe(0);
    expect(await logOf("thief")).not.toContain("hunter2");
    expect((await logOf("thief")).match(/Permission denied/g)).toHaveLength(2);
  });

  describe("cannot have folders made outside of its own", () => {
    beforeAll(async () => {
      await client.create(PersistentVolumeClaim, {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "shared", namespace },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      // Links that an earlier pod has left in the claim.
      await run("links", `ln -s ${folder} /data/out; ln -s / /data/root; mkdir /data/in; touch /data/file`, {
        pod: { volumes },
        container: { volumeMounts },
      });
      expect(await endOf("links")).toMatchObject({ exitCode: 0 });
    });

    const mount = (subPath: string) => ({ volumeMounts: [{ ...volumeMounts[0], subPath }] });
    it.each<[string, { readonly pod?: object; readonly container: object }]>([
      ["a workingDir that leads out of the home", { container: { workingDir: "../../../../evil" } }],
      [
        "a workingDir that leads out of a volume",
        { container: { volumeMounts, workingDir: "/data/../../../evil" } },
      ],
      [
        "a workingDir through a link in a volume",
        { container: { volumeMounts, workingDir: "/data/out/evil" } },
      ],
      ["a subPath that leads out of the volume", { container: mount("../../../evil") }],
      ["a subPath through a link", { container: mount("out/evil") }],
      ["a subPath that is a link", { container: mount("root") }],
      ["a subPath through a file", { container: mount("file/evil") }],
      [
        "a subPath of a variable",
        {
          container: {
            env: [{ name: "OUT", value: "../../../evil" }],
            volumeMounts: [{ ...volumeMounts[0], subPathExpr: "$(OUT)" }],
          },
        },
      ],
      [
        "a claim with a path as its name",
        {
          pod: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "../../evil" } }] },
          container: { volumeMounts },
        },
      ],
    ])("by %s", async (what, { pod = {}, container }) => {
      const name = what.replaceAll(" ", "-").toLowerCase();
      try {
        await run(name, "pwd", { pod: { volumes, ...pod }, container });
      } catch (error) {
        // Refused by the API server already.
        expect(error).toMatchObject({
          status: 422,
          message: expect.stringMatching(/subPath|claimName|workingDir/),
        });
        return;
      }
      await eventually(async () => {
        const { status } = await client.get(Pod, { namespace, name });
        const placed = status?.conditions?.find(({ type }) => type === "PodScheduled");
        // There is no such claim, or there may be none.
        const isNotPlaced =
          placed?.message?.includes('persistentvolumeclaim "../../evil" not found') ?? false;
        const reason = isNotPlaced ? "not placed" : status?.containerStatuses?.[0]?.state?.waiting?.reason;
        expect(reason).toBe(what.startsWith("a claim") ? "not placed" : "CreateContainerConfigError");
      });
      for (const place of [
        folder,
        join(folder, "cluster"),
        join(folder, "cluster", "claims"),
        tmpdir(),
        "/",
      ]) {
        expect(readdirSync(place)).not.toContain("evil");
      }
    });

    it("but within: a subPath and a workingDir are made, and are its user's", async () => {
      await run("inside", "touch file; pwd; stat -c %u:%a .", {
        pod: { volumes },
        container: {
          volumeMounts: [{ name: "data", mountPath: "/data", subPath: "in/new" }],
          workingDir: "/data/deep",
        },
      });
      expect(await endOf("inside")).toMatchObject({ exitCode: 0 });
      expect(await logOf("inside")).toMatch(/in\/new\/deep\n4242:700\n$/);
    });

    it("nor be given files that have another name elsewhere", async () => {
      const linked = join(folder, "cluster", "claims", `${namespace}_shared`, "hard");
      linkSync(secret, linked);
      await run("taking", "cat /data/hard", {
        pod: { volumes, securityContext: { runAsUser: 4343, runAsGroup: 4343 } },
        container: { volumeMounts },
      });
      expect((await endOf("taking"))?.exitCode).not.toBe(0);
      expect(statSync(secret).uid).toBe(0);
    });
  });
});
