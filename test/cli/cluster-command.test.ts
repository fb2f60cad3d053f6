import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { Namespace, Pod } from "../../src/kinds/builtin/core.ts";
import { eventually } from "../support/eventually.ts";
import { runCommand } from "./run-in-process.ts";

const bin = join(readPackage().root, "bin", "xstate-operator.js");

describe("cluster up", () => {
  let folder = "";
  let child: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-up-"));
  });

  afterEach(() => {
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  const up = (...args: readonly string[]) =>
    (child = spawn(process.execPath, [bin, "cluster", "up", "--dir", join(folder, "cluster"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    }));

  it("says where the cluster is, answers kubectl's requests, and ends with 0 on SIGTERM", async () => {
    const file = join(folder, "embedded kubeconfig");
    const { stdout, stderr } = up("-o", "json", "--kubeconfig", file);
    const side = text(stderr);
    const [line] = (await once(createInterface({ input: stdout }), "line")) as [string];
    const { url, kubeconfig } = JSON.parse(line) as { url: string; kubeconfig: string };
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(kubeconfig).toBe(file);

    const client = createKubeClient(await loadConnection({ path: kubeconfig, env: {} }), {
      userAgent: "test",
    });
    const namespaces = await client.list(Namespace);
    expect(namespaces.items.map((each) => each.metadata.name)).toContain("default");
    await client.close();

    child?.kill("SIGTERM");
    const [code] = (await once(child!, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(await side).toContain(`export KUBECONFIG='${kubeconfig}'\n`);
  });

  it("says that a port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { stderr } = up("--port", String(port));
    const side = text(stderr);
    const [code] = (await once(child!, "exit")) as [number | null];
    server.close();
    expect(code).toBe(1);
    expect(await side).toMatch(
      /error: the cluster cannot listen on port \d+: another process uses it\n[\s\S]* {2}do: Omit --port/,
    );
  });

  it("says that a folder cannot be used", async () => {
    writeFileSync(join(folder, "cluster"), "a file");
    const { stderr } = up();
    const side = text(stderr);
    const [code] = (await once(child!, "exit")) as [number | null];
    expect(code).toBe(1);
    expect(await side).toMatch(
      /error: the cluster cannot use .*cluster: [\s\S]* {2}do: Choose a writable folder/,
    );
    expect(existsSync(join(folder, "cluster"))).toBe(true);
    expect(readFileSync(join(folder, "cluster"), "utf8")).toBe("a file");
  });

  it("has pods behave as a script says", async () => {
    writeFileSync(join(folder, "pods.yaml"), "pods:\n  - match: { name: 'job-*' }\n    exit: { code: 3 }\n");
    const abort = new AbortController();
    const started = Promise.withResolvers<string>();
    const ended = runCommand(
      ["cluster", "up", "--pods", "pods.yaml", "-o", "json"],
      {},
      { folder, signal: abort.signal, onOut: started.resolve },
    );
    const { kubeconfig } = JSON.parse(await started.promise) as { kubeconfig: string };
    const client = createKubeClient(await loadConnection({ path: kubeconfig, env: {} }), {
      userAgent: "test",
    });
    const key = { namespace: "default", name: "job-1" };
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: key,
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "app:1" }] },
    });
    await eventually(async () => {
      const { status } = await client.get(Pod, key);
      expect(status?.phase).toBe("Failed");
      expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    });
    await client.close();
    abort.abort();
    expect(await ended).toMatchObject({ code: 0 });
  });

  it.each([
    ["that is wrong", "pods:\n  - exits: { code: 3 }\n", /pods\.yaml:2:5: .*Did you mean "exit"/],
    ["that is not there", undefined, /the script of pods .*pods\.yaml cannot be read: /],
  ])("does not start with a script of pods %s", async (_, script, message) => {
    if (script !== undefined) writeFileSync(join(folder, "pods.yaml"), script);
    const { code, out, err } = await runCommand(["cluster", "up", "--pods", "pods.yaml"], {}, { folder });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(message);
  });
});
