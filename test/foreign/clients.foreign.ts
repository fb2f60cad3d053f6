// Client libraries of other languages: each runs a program of requests on the embedded cluster and on a real control plane, and what it
// gets is the same on both. FOREIGN_CLIENTS=kr8s,fabric8 chooses.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { plainOutput } from "../contract/kubectl/plain-output.ts";
import { answeringClusters } from "../support/answering-clusters.ts";
import { differencesBetween, leftBehind, showDifference } from "../support/left-behind.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { shop, type ClusterForOperator } from "../support/side-by-side.ts";
import { javaWith } from "./java-program.ts";
import { pythonWith } from "./python-program.ts";

type Obtained = { readonly command: string; readonly args: readonly string[] } | { readonly failure: string };

interface ForeignClient {
  readonly name: string;
  obtain(): Obtained;
}

const programs = join(import.meta.dirname, "clients");

function inPython(file: string, requirement: string): ForeignClient {
  return {
    name: requirement.replace("==", " "),
    obtain() {
      const made = pythonWith(`clients-${file}`, [requirement]);
      return "failure" in made ? made : { command: made.python, args: [join(programs, `${file}.py`)] };
    },
  };
}

function inJava(file: string, artifact: string): ForeignClient {
  return {
    name: artifact.split(":").slice(0, 2).join(" "),
    obtain() {
      const fetched = javaWith(`clients-${file}`, [artifact]);
      if ("failure" in fetched) return fetched;
      const args = ["-Xmx256m", "-cp", fetched.classPath, join(programs, `${file}.java`)];
      return { command: "java", args };
    },
  };
}

const chosen = process.env["FOREIGN_CLIENTS"]?.split(",");
const clients: readonly ForeignClient[] = [
  inPython("official_client", "kubernetes==37.0.2"),
  inPython("asyncio_client", "kubernetes_asyncio==36.1.0"),
  inPython("kr8s_client", "kr8s==0.20.15"),
  inPython("lightkube_client", "lightkube==1.0.1"),
  inPython("pykube_client", "pykube-ng==23.6.0"),
  inJava("Fabric8Client", "io.fabric8:kubernetes-client:8.0.0"),
  inJava("OfficialClient", "io.kubernetes:client-java:24.0.0"),
].filter(({ name }) => chosen === undefined || chosen.some((each) => name.includes(each)));

describeOnRealApiServer("client libraries on the embedded cluster and", () => {
  const clusters = answeringClusters();
  const home = mkdtempSync(join(tmpdir(), "foreign-clients-"));

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  for (const { name, obtain } of clients) {
    const program = obtain();
    if ("failure" in program) console.log(`skipped: ${name}: ${program.failure}`);
    describe.skipIf("failure" in program)(name, () => {
      it("gets the same, and leaves the same", async () => {
        if ("failure" in program) return;
        const [embedded, real] = await Promise.all(clusters.map((cluster) => said(program, cluster)));
        expect(embedded).toEqual(real);
        const [here, there] = await Promise.all(clusters.map(({ client }) => leftBehind(client, shop)));
        expect(differencesBetween(here!, there!).map(showDifference)).toEqual([]);
      });
    });
  }

  /** What it prints, a line for each step; what it complains about beside is only for people. */
  async function said(
    { command, args }: Exclude<Obtained, { readonly failure: string }>,
    { admin, name }: ClusterForOperator,
  ): Promise<readonly string[]> {
    const child = spawn(command, args, {
      env: { ...process.env, KUBECONFIG: admin, HOME: join(home, name), PYTHONDONTWRITEBYTECODE: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: longestRun,
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (more: string) => (out += more));
    child.stderr.setEncoding("utf8").on("data", (more: string) => (err += more));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    expect(code, `${name}: ${out.slice(-1_000)}\n${err.slice(-4_000)}`).toBe(0);
    return plainOutput(out)
      .replaceAll(notServed, "")
      .replaceAll(/(?<=\[),+/g, "")
      .replaceAll(randomEnd, "-NAME")
      .split("\n")
      .filter((line) => line !== "");
  }
});

/** Milliseconds after which a program hangs. */
const longestRun = 180_000;

/**
 * What the embedded cluster does not serve, where it is listed, and whole steps about it; and in what a change of a pod that is refused
 * differs from the pod, which it does not say. The guide names all of it.
 */
const notServed =
  /^\{"[^"]*\bcomponentstatuses".*$|"(?:[^" ]* Binding [^"]*|bindings|[^"]*(?:[Cc]omponent[Ss]tatus|\/proxy)[^"]*)"(?:, )?|\\n@@ .*?(?="\}|$)/gm;

/** What API servers put behind a `generateName`. */
const randomEnd = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
