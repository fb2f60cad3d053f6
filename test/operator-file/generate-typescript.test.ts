// Operators that are files, as projects in TypeScript: every construct, with the same definitions, rights and behaviour. That they compile,
// test/scaffold/every-kind.test.ts says, which compiles already.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OperatorDefinition } from "../../src/controller/declaration/define-operator.ts";
import { requiredPermissions } from "../../src/delivery/required-permissions.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { readOperator } from "../../src/operator-file/parts/read-operator.ts";
import { lifecycleTests, scenarioTests } from "../../src/testing/index.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { generatedProject, type GeneratedProject } from "../scaffold/generated-project.ts";
import { projects, writeProjects } from "./written-projects.ts";

let project: GeneratedProject;
let sources: Readonly<Record<string, string>>;

beforeAll(async () => {
  project = generatedProject();
  sources = await writeProjects(project.folder);
}, 60_000);
afterAll(() => project.remove());

async function twins(
  name: string,
): Promise<{ readonly file: OperatorDefinition; readonly code: OperatorDefinition }> {
  const module = (await import(pathToFileURL(join(project.folder, name, "operator.ts")).href)) as {
    readonly default: OperatorDefinition;
  };
  return { file: readOperator(sources[name] ?? ""), code: module.default };
}

/** All of an operator that can be compared. */
function described(operator: OperatorDefinition): object {
  const webhooks = { service: { name: operator.name, namespace: operator.name } };
  const access = {
    namespaces: ["default"],
    operatorNamespace: "default",
    sharing: "none",
    installCrds: false,
    metricsSecure: false,
  } as const;
  return {
    name: operator.name,
    formerNames: operator.formerNames,
    crds: operator.controllers.map(({ kind }) => crdOf(kind, { webhooks })),
    machines: operator.controllers.map(({ kind }) => JSON.stringify(kind.lifecycle?.index.graph)),
    rights: requiredPermissions(operator, access),
    controllers: operator.controllers.map(
      ({ options: { owns, reads, watches = [], workers, application } }) => ({
        owns,
        reads,
        watches: watches.map(({ type }) => type),
        workers,
        tasks: Object.entries(application?.tasks ?? {}).map(([task, { start: _start, ...rest }]) => [
          task,
          JSON.stringify(rest),
        ]),
        actions: Object.keys(application?.actions ?? {}),
        poll: application?.poll,
      }),
    ),
  };
}

describe("an operator that has outgrown its file", () => {
  it.each(projects)("is the same: %s", async (name) => {
    const { file, code } = await twins(name);
    expect(described(code)).toEqual(described(file));
  });

  it("walks the same edges, and lives the same life", async () => {
    const { file, code } = await twins("redis");
    const names = (operator: OperatorDefinition): readonly string[] =>
      [...lifecycleTests(operator.controllers[0]!.kind, { specs: [{}] })].map((test) => test.name);
    expect(names(code)).toEqual(names(file));
    const outcomes: unknown[] = [];
    for (const operator of [file, code]) {
      const [life] = scenarioTests({
        kind: operator.controllers[0]!.kind,
        operator: () => operator,
        steps: [
          { what: "created", act: ({ create }) => create({ replicas: 2, window: "2h" }), until: "Running" },
          {
            what: "stopped",
            act: ({ edit }) => edit({ lifecycle: { desiredState: "Stopped" } }),
            until: "Stopped",
          },
        ],
        outcome: async ({ client }) => {
          const { kind } = operator.controllers[0]!;
          const { spec, status } = (await client.get(kind, {
            namespace: "default",
            name: "one",
          })) as unknown as {
            readonly spec: object;
            readonly status?: {
              readonly endpoint?: string;
              readonly lifecycle?: { readonly state?: string };
            };
          };
          outcomes.push({ spec, endpoint: status?.endpoint, state: status?.lifecycle?.state });
          return outcomes.at(-1);
        },
      });
      await life?.run();
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[0]).toMatchObject({ endpoint: "one.default.svc:6379", state: "Stopped" });
  });

  it("is written only into an empty folder, and only of a file", async () => {
    const taken = await runCommand(["generate", "typescript", "examples/redis", "--out", project.folder]);
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining("is not empty") as string });
    const module = await runCommand([
      "generate",
      "typescript",
      "examples/memcached/operator.ts",
      "--out",
      "/tmp/x",
    ]);
    expect(module).toMatchObject({ code: 2, err: expect.stringContaining("is a module already") as string });
  });
});
