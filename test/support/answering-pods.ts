// Simulated pods that answer whoever talks to them, for tests of tools that do: to a few commands, to tar as `kubectl cp` runs it, and at
// port 80.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSimulatedPods, type SimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";

/** Where answering pods come from: each cluster has its own. */
export interface AnsweringPods {
  create(): SimulatedPods;
  stop(): void;
}

/** Starts what answers at their port. */
export async function startAnsweringPods(): Promise<AnsweringPods> {
  const server = createServer((_, response) => response.end("served by the pod\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: served } = server.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), "answering-pods-"));
  writeFileSync(join(folder, "motd"), "welcome\n");
  const packed = execFileSync("tar", ["cf", "-", "--transform", "s,^,etc/,", "motd"], { cwd: folder });
  rmSync(folder, { recursive: true });
  return {
    create() {
      const pods = createSimulatedPods();
      let received = "";
      pods.answer(
        {},
        {
          async exec({ command: [program, mode], container, pod, stdin }) {
            if (program === "greet") return { stdout: `hello of ${container} in ${pod.metadata.name}\n` };
            if (program === "read-back") return { stdout: await stdin() };
            if (program === "tar" && mode === "cf") return { stdout: packed };
            if (program === "tar") {
              received = execFileSync("tar", ["tvf", "-"], { input: await stdin() }).toString();
              return {};
            }
            if (program === "received") return { stdout: received };
            return program === "fail" ? { stderr: "went wrong\n", exitCode: 3 } : undefined;
          },
          connect: (port) => (port === 80 ? served : undefined),
        },
      );
      return pods;
    },
    stop: () => void server.close(),
  };
}
