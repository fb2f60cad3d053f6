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
import { Namespace } from "../../src/kinds/builtin/core.ts";

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
    const { stdout, stderr } = up("-o", "json");
    const side = text(stderr);
    const [line] = (await once(createInterface({ input: stdout }), "line")) as [string];
    const { url, kubeconfig } = JSON.parse(line) as { url: string; kubeconfig: string };
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(kubeconfig).toBe(join(folder, "cluster", "kubeconfig"));

    const client = createKubeClient(await loadConnection({ path: kubeconfig, env: {} }), {
      userAgent: "test",
    });
    const namespaces = await client.list(Namespace);
    expect(namespaces.items.map((each) => each.metadata.name)).toContain("default");
    await client.close();

    child?.kill("SIGTERM");
    const [code] = (await once(child!, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(await side).toContain(`export KUBECONFIG=${kubeconfig}\n`);
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
});
