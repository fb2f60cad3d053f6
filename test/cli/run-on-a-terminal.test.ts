// An operator that somebody has started by npx in a terminal, and its dashboard: what is seen of a hook that throws, and that nothing
// is left of it when npx is ended.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPackage } from "../../src/cli/package-info.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import { startBrowser, whyNoBrowser } from "../support/browser.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

const { root } = readPackage();
const source = `
import { defineController, defineKind, defineOperator } from ${JSON.stringify(join(root, "src", "index.ts"))};
import { z } from ${JSON.stringify(join(root, "node_modules", "zod", "index.js"))};
const Job = defineKind({ group: "seen.example.com", version: "v1", kind: "Job", spec: z.object({}) });
function port() {
  throw new Error("no port in password=hunter22hunter22");
}
export default defineOperator({
  name: "seen",
  controllers: [defineController(Job, { steps: { Mutator: async () => { await null; port(); } } })],
});
`;

/** Processes whose command line has this text. */
function processesWith(text: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(text) ? [Number(name)] : [];
    } catch {
      // It has just ended.
      return [];
    }
  });
}

const noTerminal = process.platform !== "linux" || spawnSync("script", ["--version"]).status !== 0;

describe.skipIf(noTerminal)(
  `an operator in a terminal${noTerminal ? " (skipped: no script(1) of Linux)" : ""}`,
  () => {
    let folder = "";
    let cluster: Cluster;
    let terminal: ChildProcess;
    let output = "";

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "xstate-operator-seen-"));
      writeFileSync(join(folder, "operator.mjs"), source);
      cluster = await startCluster({ controllers: false });
      const run = [
        `"${process.execPath}" "${join(root, "bin", "xstate-operator.js")}" run "${join(folder, "operator.mjs")}"`,
        `--kubeconfig "${cluster.kubeconfig}" --install-crds --dashboard 0`,
      ].join(" ");
      // As npm does it: a shell, which is what receives a signal that npm is sent.
      terminal = spawn("script", ["-qefc", `stty cols 60 rows 40; sh -c '${run}; :'`, "/dev/null"], {
        env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "", TERM: "xterm", npm_lifecycle_event: "npx" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      terminal.stdout?.setEncoding("utf8").on("data", (more: string) => (output += more));
      await eventually(() => expect(stripVTControlCharacters(output)).toContain("info  running"));
      const client = await clientOf(cluster.kubeconfig);
      const type = {
        group: "seen.example.com",
        version: "v1",
        kind: "Job",
        plural: "jobs",
        namespaced: true,
      };
      const metadata = { name: "a", namespace: "default" };
      await client.create(type, { apiVersion: "seen.example.com/v1", kind: "Job", metadata });
      await client.close();
    });

    afterAll(async () => {
      terminal.kill("SIGKILL");
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const place = (): string =>
      `${join(folder, "operator.mjs")}:${source.split("\n").findIndex((line) => line.includes("throw")) + 1}`;

    it("has one line for a failure, in colour, with the place in the author's code", async () => {
      await eventually(() => expect(output).toContain("reconcile failed"));
      const line = output.split("\n").find((each) => each.includes("reconcile failed")) ?? "";
      expect(line).toContain("\u001B[31merror");
      expect(stripVTControlCharacters(line)).toContain(
        `reconcile failed controller=job object=default/a error="no port in password=[redacted]" where=${place()}:`,
      );
      // Its own colours are none that it shows as a text.
      expect(output).not.toMatch(/\\u001b/i);
    });

    it.skipIf(whyNoBrowser !== undefined)(
      `shows on its page in a browser which lines of the author failed${whyNoBrowser === undefined ? "" : ` (skipped: ${whyNoBrowser})`}`,
      async () => {
        const url = /dashboard: (\S+)/.exec(stripVTControlCharacters(output))?.[1] ?? "";
        const browser = await startBrowser();
        try {
          const { page, problems } = await browser.open();
          await page.goto(url);
          await page.getByRole("link", { name: "default/a" }).click();
          const failed = page.locator(".run.failed").first();
          await failed.getByText("in Mutator: no port in password=[redacted]").waitFor();
          const stack = await failed.locator(".stack").textContent();
          expect(stack).toMatch(
            new RegExp(`^at port \\(${place()}:\\d+\\)\nat .*Mutator \\(${folder}/operator.mjs:10:`),
          );
          expect(await page.content()).not.toContain("hunter22");
          expect(problems).toEqual([]);
        } finally {
          await browser.close();
        }
      },
    );

    it("ends with npx, and leaves no operator behind", async () => {
      const operator = join(folder, "operator.mjs");
      const [shell] = processesWith(operator).filter((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("sh\0"),
      );
      process.kill(shell ?? Number.NaN, "SIGTERM");
      await once(terminal, "exit");
      await eventually(() => expect(processesWith(operator)).toEqual([]));
      expect(output).not.toMatch(/^error:/m);
    });
  },
);
