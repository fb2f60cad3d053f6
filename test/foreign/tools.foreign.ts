// kstatus, Argo CD's engine with our Lua, and Helm's wait, in every phase of the table, against the real API server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { healthScript } from "../../src/cli/generate/argocd-health.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { kstatusOf, type Reported } from "../support/kstatus.ts";
import { installTableKinds, walkLifecycle, walkPlain, type Phase } from "../support/table-phases.ts";
import { buildGo, GoProgram, hasGo } from "./go-program.ts";

if (!hasGo()) console.log("skipped: there is no Go toolchain (go version fails)");

const walks = [
  ["with a lifecycle", walkLifecycle],
  ["of a plain kind", walkPlain],
] as const;

/** Declares the walks with a tool, once on each API server. */
function describeTool(
  name: "kstatus" | "argocd" | "helm",
  ask: (program: GoProgram, phase: Phase, object: Reported) => Promise<void>,
  args: (server: ApiServerUnderTest, kind: string) => readonly string[] = () => [],
): void {
  describe.skipIf(!hasGo())(name, () => {
    const built = hasGo() ? buildGo(name) : { failure: "there is no Go toolchain" };
    if ("failure" in built) console.log(`skipped: ${name} cannot be built here: ${built.failure}`);
    describeOnEachApiServer(name, (server) => {
      beforeAll(() => installTableKinds(server()));
      const programs: GoProgram[] = [];
      afterAll(() => programs.forEach((program) => program.stop()));

      it.skipIf("failure" in built).each(walks)(
        "has the table's answer in every phase of a resource %s",
        async (kind, walk) => {
          if ("failure" in built) return;
          const of = walk === walkLifecycle ? "Service" : "Plain";
          const program = new GoProgram(built.file, args(server(), of));
          programs.push(program);
          if (name === "argocd") program.tell(JSON.stringify(healthScript));
          await walk(server(), `${name}-${of.toLowerCase()}`, (phase, object) => ask(program, phase, object));
          expect(kind).not.toBe("");
        },
      );
    });
  });
}

describeTool("kstatus", async (program, phase, object) => {
  const answer = JSON.parse(await program.ask(JSON.stringify(object))) as string;
  expect({ [phase.name]: answer }).toEqual({ [phase.name]: phase.kstatus });
  // The plain tests trust their own reading of the rules.
  expect(kstatusOf(object)).toBe(answer);
});

/** What Argo CD shows: it has words for what is deliberately at rest. */
const healthOf = (phase: Phase): string => {
  if (phase.kstatus === "Current") return phase.paused === true ? "Suspended" : "Healthy";
  if (phase.kstatus === "Failed") return "Degraded";
  return phase.reason === "Suspended" ? "Suspended" : "Progressing";
};

describeTool("argocd", async (program, phase, object) => {
  const answer = JSON.parse(await program.ask(JSON.stringify(object))) as string;
  expect({ [phase.name]: answer }).toEqual({ [phase.name]: healthOf(phase) });
});

describeTool(
  "helm",
  async (program, phase, { metadata }) => {
    const answer = await program.ask(`${metadata.namespace ?? ""}/${metadata.name}`);
    expect({ [phase.name]: answer === "done" }, answer).toEqual({
      [phase.name]: phase.kstatus === "Current",
    });
  },
  ({ kubeconfig }, kind) => [kubeconfig, `table.example.com/v1 ${kind}`],
);
