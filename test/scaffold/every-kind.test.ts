// Every kind of the dictionary: generated, compiled, created on both API servers, and left alone from then on.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { crdOf, defineController, defineKind, defineOperator } from "../../src/index.ts";
import { apiVersionOf, isNotFound } from "../../src/client/index.ts";
import { ClusterRoleBinding, CustomResourceDefinition, ServiceAccount } from "../../src/kinds/index.ts";
import { builtinTypes, typeOf } from "../../src/kinds/builtin/type-lookup.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { ObjectKey } from "../../src/meta/object-key.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import type { BindableResource } from "../../src/reconcile/resources/resource.ts";
import { parseDictionary, type DictionaryEntry } from "../../src/scaffold/dictionary.ts";
import { undeclaredOwner } from "../../src/scaffold/owner-kind.ts";
import { resourceFile, type ResourceFile } from "../../src/scaffold/resource-file.ts";
import { describeOnEachApiServer, type ApiServerUnderTest } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { writeProjects } from "../operator-file/written-projects.ts";
import { generatedProject } from "./generated-project.ts";

const source = readFileSync(join(import.meta.dirname, "../../src/scaffold/dictionary.yaml"), "utf8");
const dictionary = parseDictionary(source, "the dictionary");

const Thing = defineKind({
  group: "all.example.com",
  version: "v1",
  kind: "Thing",
  spec: z.object({ entry: z.string(), nudge: z.string().optional() }),
});

function generate(entry: DictionaryEntry): ResourceFile {
  const owner = { ...undeclaredOwner("Thing", "all.example.com/v1"), module: "./thing.ts" };
  return resourceFile({ entry, owner, manifest: entry.manifest, source: undefined });
}

function typed(entry: DictionaryEntry): ResourceType {
  return typeOf(apiVersionOf(entry), entry.kind) ?? expect.fail(`${entry.name} is not a built-in kind`);
}

const generated = [...dictionary.values()].map((entry) => ({ entry, file: generate(entry) }));

describe("the dictionary", () => {
  it("has every built-in kind once", () => {
    const name = (type: ResourceType): string => `${apiVersionOf(type)} ${type.kind}`;
    expect([...dictionary.values()].map(typed).map(name).toSorted()).toEqual(
      builtinTypes.map(name).toSorted(),
    );
  });
});

const project = generatedProject();
const resources = new Map<string, (thing: unknown) => BindableResource>();
beforeAll(async () => {
  project.write(
    "thing.ts",
    `import type { CustomResource } from "xstate-operator";\nexport type Thing = CustomResource<{ readonly nudge?: string }>;\n`,
  );
  for (const { file } of generated) project.write(file.file, file.text);
  for (const { entry, file } of generated) {
    const url = pathToFileURL(join(project.folder, file.file)).href;
    const module = (await import(/* @vite-ignore */ url)) as Record<
      string,
      (thing: unknown) => BindableResource
    >;
    resources.set(entry.name, module[file.function] ?? expect.fail(`${file.file} exports nothing`));
  }
});
afterAll(() => project.remove());

it("every generated resource compiles, and every operator that was a file", async () => {
  await writeProjects(project.folder);
  expect(project.typeErrors()).toEqual([]);
}); // OKT 74

const writes = new Set(["create", "update", "patch", "apply", "delete"]);
/** Writes of the operator on the embedded API server. */
const written: string[] = [];

describeOnEachApiServer(
  "every generated resource",
  (server) => {
    const keyFor = ({ name }: DictionaryEntry): Required<ObjectKey> => ({
      namespace: "default",
      name: name.toLowerCase(),
    });
    let operator: RunningOperator;
    let served: readonly DictionaryEntry[] = [];
    beforeAll(async () => {
      const { client } = server();
      await client.apply(CustomResourceDefinition, crdOf(Thing), { fieldManager: "admin" });
      await eventually(() => client.list(Thing));
      served = await servedBy(server());
      const definition = defineOperator({
        name: "every-kind",
        controllers: [
          defineController(Thing, {
            owns: served.map(typed),
            steps: {
              ObjectsGetter: ({ cr, registry }) => {
                const make = resources.get(cr.spec.entry) ?? expect.fail(cr.spec.entry);
                registry.add(make(cr));
              },
            },
          }),
        ],
      });
      operator = await startOperator(definition, await kubeconfigOf(server()));
      for (const entry of served) {
        await client.create(Thing, {
          apiVersion: apiVersionOf(Thing),
          kind: "Thing",
          metadata: keyFor(entry),
          spec: { entry: entry.name },
        });
      }
    });
    afterAll(() => operator.stop());

    const writesSoFar = (): readonly string[] => {
      const { plane } = server();
      const all =
        plane
          ?.audit()
          .filter(({ user, verb }) => user === account && writes.has(verb))
          .map(({ verb, uri }) => `${verb} ${uri}`) ?? written;
      return all.filter((each) => !each.includes("/things/") && !each.includes("/events"));
    };
    const reconciled = async (entry: DictionaryEntry, generation: number): Promise<void> => {
      await eventually(async () => {
        const { status } = await server().client.get(Thing, keyFor(entry));
        const condition = findCondition(status?.conditions, "ReconciliationSuccess");
        expect(condition, entry.name).toMatchObject({
          status: "True",
          observedGeneration: generation,
          message: "1 resource is as declared",
        });
      });
    };

    it("is created", async () => {
      for (const entry of served) await reconciled(entry, 1);
    });

    it("is left alone by the next reconcile", async () => {
      const before = writesSoFar();
      // The Event is not counted: the operator also records Events of its own.
      expect(before.length).toBeGreaterThanOrEqual(served.length - 1);
      for (const entry of served) {
        await server().client.patch(Thing, keyFor(entry), {
          type: "merge",
          body: { spec: { nudge: "again" } },
        });
      }
      for (const entry of served) await reconciled(entry, 2);
      expect(writesSoFar().slice(before.length)).toEqual([]);
    });
  },
  {
    embedded: {
      interceptWrites: {
        before: ({ userAgent, verb, path }) => {
          if (userAgent.startsWith("every-kind")) written.push(`${verb} ${path}`);
          return "proceed";
        },
      },
    },
  },
);

/** The real API server has all; the embedded one is not asked for what it does not serve. */
async function servedBy({ kind, client }: ApiServerUnderTest): Promise<readonly DictionaryEntry[]> {
  const entries = [...dictionary.values()];
  if (kind === "real") return entries;
  const found = await Promise.all(
    entries.map((entry) =>
      client.list(typed(entry)).then(
        () => [entry],
        (error: unknown) => (isNotFound(error) ? [] : Promise.reject(error as Error)),
      ),
    ),
  );
  return found.flat();
}

const account = "system:serviceaccount:default:tester";

/** A user of its own on the real API server, so that its writes can be counted. */
async function kubeconfigOf({ client, kubeconfig, plane }: ApiServerUnderTest): Promise<string> {
  if (plane === undefined) return kubeconfig;
  const metadata = { name: "tester", namespace: "default" };
  await client.create(ServiceAccount, { apiVersion: "v1", kind: "ServiceAccount", metadata });
  await client.create(ClusterRoleBinding, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "tester" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  });
  const { status } = (await client.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/tester/token",
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3_600 },
    },
  })) as { status: { token: string } };
  return plane.kubeconfigFor("every-kind", status.token);
}
