// The commands of kubectl, run on the embedded cluster and on a real control plane: what both print is the same, but for what each
// draws by itself (ages, uids, addresses, times, names). The real one asks a node of ours for logs, commands and ports.
// KUBECTL_COMMANDS=all runs every section (two minutes) instead of the most telling ones, and looks for commands that kubectl's help
// lists beside them; a part of a name runs those sections.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { answeringClusters } from "../support/answering-clusters.ts";
import { assets } from "../support/control-plane.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import type { ClusterForOperator } from "../support/side-by-side.ts";
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
  const clusters = answeringClusters();
  const folder = mkdtempSync(join(tmpdir(), "kubectl-commands-"));

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

    it.each(cases)("$name", async ({ run, says, unordered: isUnordered = false }: KubectlCase) => {
      const [embedded, real] = await Promise.all(clusters.map((cluster) => shell(run, cluster)));
      const plain = ({ code, text }: Said): Said => {
        const lines = plainOutput(text).split("\n");
        return { code, text: (isUnordered ? lines.toSorted() : lines).join("\n") };
      };
      if (says !== undefined) expect(embedded!.text).toMatch(says);
      expect(plain(embedded!)).toEqual(plain(real!));
    });

    async function shell(script: string, cluster: ClusterForOperator): Promise<Said> {
      const home = homeOf(cluster);
      const port = script.includes("$PORT") ? String(await freePort()) : "";
      const child = spawn("sh", ["-c", script], {
        cwd: home,
        env: {
          PATH: [assets ?? "", process.env["PATH"] ?? ""].join(delimiter),
          HOME: home,
          KUBECONFIG: join(home, ".kubeconfig"),
          KUBECACHEDIR: join(folder, cluster.name, "cache"),
          NAMESPACE: namespace,
          NODE: "xstate-operator-node",
          PORT: port,
        },
      });
      let text = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (more: string) => (text += more));
      }
      const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
      return { code, text: port === "" ? text : text.replaceAll(port, "PORT") };
    }
  });
});
