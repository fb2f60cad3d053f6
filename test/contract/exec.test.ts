// Commands in containers, over the real protocol: on the embedded API server beside process pods, on a real one with a kubelet of
// our own behind it. What both answer is the same, and kubectl is content with both.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Authentication } from "../../src/client/connection.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { ExecOptions, ExecResult } from "../../src/client/kube-client.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { Pod } from "../../src/kinds/builtin/core.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { assets } from "../support/control-plane.ts";
import { eventually } from "../support/eventually.ts";
import { startFakeKubelet, type FakeKubelet } from "../support/fake-kubelet.ts";
import { startProxy } from "../support/passing-proxy.ts";

describeOnEachApiServer(
  "commands in containers",
  (server) => {
    const pod = { namespace: "default", name: "worker" };
    let kubelet: FakeKubelet | undefined;
    const exec = (options: Partial<ExecOptions> & Pick<ExecOptions, "command">): Promise<ExecResult> =>
      server().client.exec(pod, { container: "app", ...options });
    const shell = (script: string, options: Partial<ExecOptions> = {}): Promise<ExecResult> =>
      exec({ command: ["sh", "-c", script], ...options });
    const createPod = async (name: string, nodeName: string | undefined): Promise<void> => {
      const { client } = server();
      await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "default" },
        spec: {
          ...(nodeName === undefined ? {} : { nodeName }),
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 0,
          containers: [
            { name: "app", image: "none", command: ["sleep", "3600"] },
            { name: "missing", image: "none" },
          ],
        },
      });
      if (kubelet !== undefined) return;
      await eventually(async () => {
        const { status } = await client.get(Pod, { namespace: "default", name });
        const app = status?.containerStatuses?.find((each) => each.name === "app");
        expect(app?.state?.running).toBeDefined();
      });
    };

    beforeAll(async () => {
      const { client, kind } = server();
      if (kind === "real") {
        kubelet = await startFakeKubelet(client);
        await eventually(() =>
          client.request({ method: "GET", path: "/api/v1/namespaces/default/serviceaccounts/default" }),
        );
      }
      await createPod(pod.name, kubelet?.node);
    });
    afterAll(() => kubelet?.stop());

    it("gives the exit code, and standard output and error apart", async () => {
      const { exitCode, stdout, stderr } = await shell("echo out; echo err >&2; exit 3");
      expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([3, "out\n", "err\n"]);
    });

    it("passes bytes in and out as they are, and ends the input", async () => {
      const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
      const { exitCode, stdout } = await exec({ command: ["cat"], stdin: bytes });
      expect([exitCode, stdout.equals(bytes)]).toEqual([0, true]);
    });

    it("gives arguments to the command that no shell has read", async () => {
      const { stdout } = await exec({ command: ["printf", "%s|", "a b", "$HOME", "ü", "&x=1"] });
      expect(stdout.toString()).toBe("a b|$HOME|ü|&x=1|");
    });

    it("hands 100 MB over as they come, no faster than they are taken", async () => {
      const size = server().kind === "embedded" ? 100_000_000 : 20_000_000;
      let bytes = 0;
      let waiting = 0;
      let most = 0;
      const { exitCode, stdout } = await exec({
        command: ["head", "-c", String(size), "/dev/zero"],
        onStdout: (chunk) => {
          bytes += chunk.length;
          waiting += chunk.length;
          most = Math.max(most, waiting);
          // Taken in the next turn of the event loop, every other chunk.
          if (bytes % 2 === 0)
            return new Promise((resolve) => setImmediate(() => resolve((waiting = 0) as never)));
          waiting = 0;
          return undefined;
        },
      });
      expect([exitCode, bytes, stdout.length]).toEqual([0, size, 0]);
      expect(most).toBeLessThan(4_000_000);
    });

    it("ends a command that prints more than is kept", async () => {
      const mark = randomUUID();
      const printing = shell(`: ${mark}; cat /dev/zero`, { maxOutput: 10_000, kill: 500 });
      await expect(printing).rejects.toMatchObject({ code: "EXEC_OUTPUT_LIMIT" });
      expect(await running(mark)).toBe(false);
    });

    it("ends a command whose time is over, with its children, also one that ignores SIGTERM", async () => {
      const mark = randomUUID();
      const script = `trap '' TERM; : ${mark}; while :; do sh -c ': ${mark}; sleep 3600; :'; done`;
      const hanging = shell(script, { timeout: 300, kill: 300 });
      await expect(hanging).rejects.toMatchObject({ code: "EXEC_TIMEOUT" });
      expect(await running(mark)).toBe(false);
    });

    it("ends a command whose signal is aborted, and lets it go down by SIGTERM", async () => {
      const mark = randomUUID();
      const abort = new AbortController();
      let printed = "";
      const onStdout = (chunk: Buffer): void => {
        printed += chunk.toString();
        if (printed.includes("begun")) abort.abort(new Error("not wanted any more"));
      };
      const script = `trap 'echo down >&2; exit 0' TERM; echo begun; : ${mark}; while :; do sleep 0.05; done`;
      await expect(shell(script, { onStdout, signal: abort.signal })).rejects.toThrow("not wanted any more");
      expect(await running(mark)).toBe(false);
    });

    it("leaves a command running when it is told to", async () => {
      const mark = randomUUID();
      const hanging = shell(`: ${mark}; sleep 1`, { timeout: 300, kill: false });
      await expect(hanging).rejects.toMatchObject({ code: "EXEC_TIMEOUT" });
      expect(await running(mark)).toBe(true);
      await eventually(async () => expect(await running(mark)).toBe(false));
    });

    it("says what is missing: the pod, its container, the program", async () => {
      const { client } = server();
      const absent = client.exec({ namespace: "default", name: "none" }, { command: ["true"] });
      expect(isNotFound(await absent.catch((error: unknown) => error))).toBe(true);
      await expect(exec({ command: ["true"], container: "nothing" })).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining("container nothing is not valid for pod worker") as string,
      });
      await expect(client.exec(pod, { command: ["true"] })).rejects.toThrow(
        "a container name must be specified for pod worker, choose one of: [app missing]",
      );
      await expect(exec({ command: ["true"], container: "missing" })).rejects.toMatchObject({
        status: 500,
        message: expect.stringContaining('container not found ("missing")') as string,
      });
      await expect(exec({ command: ["no-such-program"], kill: false })).rejects.toMatchObject({
        code: "EXEC_FAILED",
        message: expect.stringContaining("no-such-program") as string,
      });
      await expect(exec({ command: [] })).rejects.toMatchObject({ code: "EXEC_FAILED" });
    });

    it("refuses what is no request for another protocol", async () => {
      const path = "/api/v1/namespaces/default/pods/worker/exec?container=app&command=true&stdout=true";
      for (const method of ["GET", "POST"] as const) {
        await expect(server().client.request({ method, path })).rejects.toThrow(
          "Upgrade request required (400 BadRequest)",
        );
      }
      await expect(server().client.request({ method: "DELETE", path })).rejects.toMatchObject({
        status: 405,
      });
    });

    it("reads credentials again that are refused, and goes through the proxy of the connection", async () => {
      const proxy = await startProxy("http", { login: "user:word" });
      const connection = await loadConnection({ path: server().kubeconfig, env: {} });
      const expired: Authentication = {
        ...(await connection.authenticate(0)),
        headers: { authorization: "Bearer expired" },
      };
      const client = createKubeClient({
        ...connection,
        proxy: { url: proxy.url, source: "HTTPS_PROXY" },
        authenticate: (now, refused) =>
          refused === undefined ? Promise.resolve(expired) : connection.authenticate(now),
      });
      const { stdout } = await client.exec(pod, { container: "app", command: ["echo", "through"] });
      expect(stdout.toString()).toBe("through\n");
      const once = `user:word@${new URL(server().url).host}`;
      expect(proxy.asked).toEqual([once, once]);
      await client.close();
      proxy.close();
    });

    it("says that nothing is known of a command whose pod is gone, or that it was killed with it", async () => {
      const { client, kind } = server();
      const name = "leaving";
      let other: FakeKubelet | undefined;
      if (kind === "real") other = await startFakeKubelet(client, "leaving-node");
      await createPod(name, other?.node);
      const begun = Promise.withResolvers<void>();
      const ended = client
        .exec(
          { namespace: "default", name },
          {
            container: "app",
            command: ["sh", "-c", "echo begun; exec sleep 3600"],
            onStdout: () => begun.resolve(),
          },
        )
        .then(
          ({ exitCode }) => exitCode,
          (error: { readonly code: string }) => error.code,
        );
      await begun.promise;
      await client.delete(Pod, { namespace: "default", name }, { gracePeriodSeconds: 0 });
      await other?.stop();
      expect(await ended).toBe(kind === "real" ? "CONNECTION_FAILED" : 137);
    });

    it.skipIf(assets === undefined)("serves kubectl exec", async () => {
      const kubectl = (...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> =>
        new Promise((resolve) => {
          const all = ["--kubeconfig", server().kubeconfig, "exec", ...args];
          execFile(join(assets ?? "", "kubectl"), all, (error, stdout, stderr) =>
            resolve({ code: error?.code ?? 0, stdout, stderr }),
          );
        });
      const { code, stdout, stderr } = await kubectl(
        pod.name,
        "-c",
        "app",
        "--",
        "sh",
        "-c",
        "echo out; echo err >&2; exit 4",
      );
      expect([code, stdout]).toEqual([4, "out\n"]);
      expect(stderr).toContain("err\n");
      expect((await kubectl(pod.name, "-c", "missing", "--", "true")).stderr).toContain(
        'container not found ("missing")',
      );
    });

    /** Whether a process of this machine has the mark in its command. */
    async function running(mark: string): Promise<boolean> {
      const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
        execFile("ps", ["-eo", "args"], (_, stdout) => resolve({ stdout }));
      });
      return stdout.includes(mark);
    }
  },
  { embedded: { pods: "process" }, real: {} },
);
