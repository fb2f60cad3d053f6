// Test cases in kuttl's format, on the embedded and on the real API server.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Namespace } from "../../src/kinds/builtin/core.ts";
import { runCommand, type CommandOutcome } from "../cli/run-in-process.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

/** Whether a process works still; one that has ended may not have been waited for by its parent. Linux only; elsewhere none does. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const suite = join(import.meta.dirname, "../fixtures/kuttl");

describeOnEachApiServer(
  "test cases",
  (server) => {
    let folder = "";
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), "xstate-operator-test-cases-"));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    const run = (...args: readonly string[]): Promise<CommandOutcome> => {
      const env = { PATH: process.env["PATH"] ?? "", OUT: folder, SHARED: join(suite, "shared") };
      return runCommand(["test", ...args, "--kubeconfig", server().kubeconfig], env, { folder: suite });
    };
    const namespaces = async (): Promise<readonly string[]> =>
      (await server().client.list(Namespace)).items
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith("kuttl-test-"));

    it("pass: objects, asserts, errors, deletions, expressions, commands, folders, templates", async () => {
      const report = join(folder, "report.xml");
      const said = await run("--template-var", "image=nginx:1", "--report", report);
      expect(said.err).toBe("");
      const names = ["rollout", "settings", "several-files", "templates"];
      expect(said.out.split("\n").slice(0, -2).toSorted()).toEqual(
        names.map((name) => expect.stringMatching(new RegExp(`^✓ ${name} \\(\\d+\\.\\d s\\)$`)) as string),
      );
      expect(said.out).toMatch(/\n4 test cases: 4 passed, 0 failed\n$/);
      expect(said.code).toBe(0);
      expect(await namespaces()).toEqual([]);
      expect(readFileSync(report, "utf8")).toContain('<testsuites name="kuttl-test" tests="9" failures="0"');
      const [written = ""] = readdirSync(folder).filter((name) => name.startsWith("w-kuttl-test-"));
      expect(readFileSync(join(folder, written), "utf8")).toBe(`in ${written.slice("w-".length)}\n`);
    });

    it("say of deletions what was there", async () => {
      const { code, out } = await run("broken/deletions");
      expect(code).toBe(1);
      const said = out.split("\n").flatMap((line) => /ConfigMap .*delete.*/.exec(line) ?? []);
      const [, namespace = ""] = /(kuttl-test-\w+)/.exec(out) ?? [];
      expect(said).toEqual([
        `ConfigMap ${namespace}/present deleted`,
        `ConfigMap ${namespace}/never-there is not there: nothing to delete`,
        `ConfigMap ${namespace}/labelled deleted`,
        "ConfigMap with app=none is not there: nothing to delete",
      ]);
    });

    it("fail with the nearest candidate, its difference, what was gathered, and the log", async () => {
      const { code, out } = await run("broken/wrong-value");
      expect(code).toBe(1);
      const text = out.replaceAll(/kuttl-test-\w{6}/g, "NS").replaceAll(/\(\d+\.\d s\)/g, "(TIME)");
      expect(text).toMatch(
        /^✗ wrong-value \(TIME\)\n {2}0-web\n {4}none of 2 ConfigMap with app=web is as expected\n {6}at broken\/wrong-value\/00-assert\.yaml:8\n {6}nearest: web\n {6}- data\.replicas: "3"\n {6}\+ data\.replicas: "2"\n {6}- data\.farewell: bye\n {6}\+ data\.farewell is not there\n {2}log:\n/,
      );
      expect(text).toContain("    ConfigMap NS/web created\n");
      expect(text).toContain("    running echo collected in $NAMESPACE\n      collected in NS\n");
      expect(text).toMatch(/no Events in NS/);
      expect(text).not.toContain("never");
      expect(text).toMatch(/\n1 test case: 0 passed, 1 failed\n$/);
      expect(await namespaces()).toEqual([]);
    });

    it("fail for an object that is not there, and for a command that takes too long, whose processes are ended", async () => {
      const { code, out } = await run("broken", "--test", "absent-object", "--test", "late-command");
      expect(code).toBe(1);
      expect(out).toMatch(
        /Deployment kuttl-test-\w+\/web is not there\n.*00-assert\.yaml:1\n.*there is no Deployment in namespace kuttl-test-\w+ at all/,
      );
      expect(out).toMatch(/the command took longer than 1 s: echo begun; sleep 600\n/);
      expect(out).toMatch(/ {6}begun\n/);
    });

    it("leave everything where that is asked for", async () => {
      const { code } = await run("e2e/templates", "--template-var", "image=nginx:1", "--skip-delete");
      expect(code).toBe(0);
      const [left = "", ...more] = await namespaces();
      expect(more).toEqual([]);
      await server().client.delete(Namespace, { name: left });
    });

    it("share a namespace where that is asked for, which stays if it was there", async () => {
      const { code } = await run("e2e/settings", "-n", "default");
      expect(code).toBe(0);
      expect(
        (await server().client.get(Namespace, { name: "default" })).metadata.deletionTimestamp,
      ).toBeUndefined();
      expect(await run("e2e/settings", "-n", "shared-by-tests")).toMatchObject({ code: 0 });
      await expect(server().client.get(Namespace, { name: "shared-by-tests" })).rejects.toMatchObject({
        status: 404,
      });
    });

    it("end when the user ends them, and leave no namespace and no process", async () => {
      const stop = new AbortController();
      const env = { PATH: process.env["PATH"] ?? "", OUT: folder };
      const report = join(folder, "cut.xml");
      const args = [
        "test",
        "interrupted",
        "--verbose",
        "--report",
        report,
        "--kubeconfig",
        server().kubeconfig,
      ];
      const ending = runCommand(args, env, { folder: suite, signal: stop.signal });
      const pids = await eventually(() => readFileSync(join(folder, "pids"), "utf8").split(" ").map(Number));
      expect(pids).toHaveLength(2);
      stop.abort();
      const said = await ending;
      expect(said.code).toBe(130);
      expect(said.out).toMatch(/- endless interrupted \(/);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(readFileSync(report, "utf8")).toContain('failures="1"');
      const left = await server().client.list(Namespace);
      for (const { metadata } of left.items) {
        if (metadata.name.startsWith("kuttl-test-")) expect(metadata.deletionTimestamp).toBeDefined();
      }
    });
  },
  { long: true },
);
