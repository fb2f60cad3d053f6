// The commands of kubectl, run on the embedded cluster and on a real control plane: what both print is the same, but for what each
// draws by itself (ages, uids, addresses, times, names). Those that need a kubelet are run on the embedded one alone.
// KUBECTL_COMMANDS=all runs every section (two minutes) instead of the most telling ones, and looks for commands that kubectl's help
// lists beside them; a part of a name runs those sections.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createSimulatedPods } from "../../src/cluster/pods/simulated/simulated-pods.ts";
import { assets } from "../support/control-plane.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { startEmbedded, startReal, type ClusterForOperator } from "../support/side-by-side.ts";
import type { KubectlCase, KubectlSection } from "./kubectl/kubectl-case.ts";
import { listedCommands } from "./kubectl/listed-commands.ts";
import { plainOutput } from "./kubectl/plain-output.ts";
import { runningPods } from "./kubectl/running-pods.ts";
import { writtenObjects } from "./kubectl/written-objects.ts";

const chosen = process.env["KUBECTL_COMMANDS"];
const sections = [...writtenObjects, ...runningPods].filter(({ name, always = false }) =>
  chosen === undefined ? always : chosen === "all" || name.includes(chosen),
);

interface Said {
  readonly code: number | null;
  readonly text: string;
}

describeOnRealApiServer("kubectl on the embedded cluster and", () => {
  let clusters: readonly ClusterForOperator[] = [];
  let server: Server;
  const folder = mkdtempSync(join(tmpdir(), "kubectl-commands-"));

  beforeAll(async () => {
    server = createServer((_, response) => response.end("served by the pod\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const pods = createSimulatedPods();
    writeFileSync(join(folder, "motd"), "welcome\n");
    const packed = execFileSync("tar", ["cf", "-", "--transform", "s,^,etc/,", "motd"], { cwd: folder });
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
        connect: (port) => (port === 80 ? (server.address() as AddressInfo).port : undefined),
      },
    );
    clusters = await Promise.all([startEmbedded({ pods }), startReal()]);
  });
  afterAll(async () => {
    await Promise.all(clusters.map((each) => each.stop()));
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const listing = chosen === "all" ? "" : " (skipped: set KUBECTL_COMMANDS=all)";
  it.skipIf(chosen !== "all")(`has a case of every command that its help lists${listing}`, () => {
    const scripts = sections.flatMap(({ cases }) => cases.map(({ run }) => run)).join("\n");
    const commands = listedCommands(join(assets ?? "", "kubectl"));
    expect(commands.length).toBeGreaterThan(70);
    expect(commands.filter(({ called }) => !called.test(scripts)).map(({ name }) => name)).toEqual([]);
  });

  describe.each(sections)("$name", ({ name, files = {}, cases }: KubectlSection) => {
    const namespace = `kubectl-${name.replaceAll(/[^a-z]+/g, "-")}`;
    const homeOf = (cluster: ClusterForOperator): string => join(folder, cluster.name, namespace);

    beforeAll(async () => {
      for (const cluster of clusters) {
        for (const [path, text] of Object.entries(files)) {
          const file = join(homeOf(cluster), path);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text);
        }
        mkdirSync(homeOf(cluster), { recursive: true });
        const config = parse(readFileSync(cluster.admin, "utf8")) as {
          contexts: { context: { namespace?: string } }[];
        };
        for (const { context } of config.contexts) context.namespace = namespace;
        writeFileSync(join(homeOf(cluster), ".kubeconfig"), JSON.stringify(config), { mode: 0o600 });
        await cluster.kubectl(["create", "namespace", namespace]);
        await eventually(() =>
          cluster.kubectl(["--namespace", namespace, "get", "sa/default", "cm/kube-root-ca.crt"]),
        );
      }
    });

    it.each(cases)("$name", async ({ run, says, alone, unordered: isUnordered = false }: KubectlCase) => {
      const on = alone === true ? clusters.slice(0, 1) : clusters;
      const [embedded, real] = await Promise.all(on.map((cluster) => shell(run, cluster)));
      const plain = ({ code, text }: Said): Said => {
        const lines = plainOutput(text).split("\n");
        return { code, text: (isUnordered ? lines.toSorted() : lines).join("\n") };
      };
      if (says !== undefined) expect(embedded!.text).toMatch(says);
      if (alone === true) expect(embedded!.code, embedded!.text).toBe(0);
      if (real !== undefined) expect(plain(embedded!)).toEqual(plain(real));
    });

    async function shell(script: string, cluster: ClusterForOperator): Promise<Said> {
      const home = homeOf(cluster);
      const child = spawn("sh", ["-c", script], {
        cwd: home,
        env: {
          PATH: [assets ?? "", process.env["PATH"] ?? ""].join(delimiter),
          HOME: home,
          KUBECONFIG: join(home, ".kubeconfig"),
          KUBECACHEDIR: join(folder, cluster.name, "cache"),
          NAMESPACE: namespace,
          NODE: "xstate-operator-node",
          PORT: script.includes("$PORT") ? String(await freePort()) : "",
        },
      });
      let text = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (more: string) => (text += more));
      }
      return new Promise((resolve) => child.once("close", (code) => resolve({ code, text })));
    }
  });
});
