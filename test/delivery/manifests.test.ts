// What `generate manifests` and `generate bundle` write: the forms, that they say the same each time, and that nothing is lost.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { runCommand } from "../cli/run-in-process.ts";
import { assets } from "../support/control-plane.ts";

const operator = join(import.meta.dirname, "../../examples/database/operator.ts");

interface Generated {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** The pod of a Deployment. */
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly containers: readonly {
    readonly image: string;
    readonly args: readonly string[];
    readonly securityContext: object;
  }[];
}

const documentsOf = (text: string): readonly Generated[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Generated);

/** Runs `generate` with arguments, none of which has a space. */
async function generate(...texts: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand(["generate", ...texts.flatMap((text) => text.split(" "))]);
  expect(code, err).toBe(0);
  return out;
}

describe("the manifests", () => {
  it("are the same each time, and in the order in which they can be applied", async () => {
    const once = await generate("manifests", operator, "--leader-elect", "--replicas", "2");
    expect(await generate("manifests", operator, "--leader-elect", "--replicas", "2")).toBe(once);
    expect(documentsOf(once).map(({ kind }) => kind)).toEqual([
      "CustomResourceDefinition",
      "Namespace",
      "ServiceAccount",
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
      "Deployment",
      "Service",
      "PodDisruptionBudget",
    ]);
  });

  it("end a pod after its drain, and run it with the flags of its roles", async () => {
    const text = await generate(
      `manifests ${operator} --sharding --drain-timeout 90s --metrics-secure -n shop bank`,
      "--operator-namespace operators --image registry:5000/db:7",
    );
    const documents = documentsOf(text);
    const deployment = documents.find(({ kind }) => kind === "Deployment");
    const { template } = (deployment?.spec ?? {}) as { readonly template: { readonly spec: PodSpec } };
    const { terminationGracePeriodSeconds, containers } = template.spec;
    expect(terminationGracePeriodSeconds).toBe(95);
    expect(containers[0]?.image).toBe("registry:5000/db:7");
    expect(containers[0]?.args).toEqual([
      "--health-probe-bind-address=:8081",
      "--metrics-bind-address=:8080",
      "--metrics-secure",
      "--drain-timeout=90s",
      "--sharding",
      "--namespace=shop",
      "--namespace=bank",
    ]);
    expect(documents.filter(({ kind }) => kind === "Role").map(({ metadata }) => metadata)).toMatchObject([
      { name: "database-operator", namespace: "shop" },
      { name: "database-operator", namespace: "bank" },
      { name: "database-operator-leases", namespace: "operators" },
    ]);
    expect(
      documents.filter(({ kind }) => kind === "ClusterRole").map(({ metadata }) => metadata.name),
    ).toEqual(["database-operator", "database-operator-metrics-reader"]);
  });

  it("are not made for replicas that would work on the same objects", async () => {
    const { code, err } = await runCommand(["generate", "manifests", operator, "--replicas", "2"]);
    expect(code).toBe(2);
    expect(err).toContain("Add --leader-elect or --sharding");
  });

  it.each([
    [["--namespace", "Foo_Bar"], '--namespace is "Foo_Bar", which cannot name a namespace'],
    [["--operator-namespace", "my.space"], '--operator-namespace is "my.space"'],
    [["--image", "ex com/tide"], '--image is "ex com/tide", which is no reference to an image'],
    [["--image", "example.com/Tide"], '--image is "example.com/Tide"'],
  ])("are not made with a name that no cluster takes: %j", async (flags, message) => {
    const { code, out, err } = await runCommand(["generate", "manifests", operator, ...flags]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
  });
});

describe("a folder of manifests", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "xstate-operator-manifests-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("of plain YAML can be applied as it is: kubectl takes the files by their names", async () => {
    await generate(`manifests ${operator} --leader-elect --out ${folder}`);
    const documents = readdirSync(folder)
      .toSorted()
      .flatMap((file) => documentsOf(readFileSync(join(folder, file), "utf8")));
    const first = documents.findIndex(({ metadata }) => metadata.namespace !== undefined);
    expect(documents.slice(0, first).map(({ kind }) => kind)).toContain("Namespace");
  });

  const kustomize = (...more: readonly string[]): readonly string[] => [
    `manifests ${operator} --leader-elect --format kustomize --out ${folder}`,
    ...more,
  ];
  const deployment = (): string => join(folder, "base/deployment.yaml");

  it("is written once, and after that only where something changes", async () => {
    expect(await generate(...kustomize())).toMatch(/^(created .*\n)+$/);
    expect(await generate(...kustomize())).toMatch(/^((unchanged|kept) .*\n)+$/);
    const lines = (await generate(...kustomize("--replicas", "2")))
      .split("\n")
      .filter((line) => !/^(unchanged|kept)/.test(line));
    expect(lines.map((line) => line.replace(`${folder}/`, ""))).toEqual([
      "updated   base/deployment.yaml",
      "created   base/pod-disruption-budget.yaml",
      "updated   base/kustomization.yaml",
      "",
    ]);
    expect(await generate(...kustomize())).toMatch(/removed {3}.*pod-disruption-budget\.yaml/);
  });

  it("keeps what the author changed, and nothing else is written then", async () => {
    await generate(...kustomize());
    const edited = readFileSync(deployment(), "utf8").replace("replicas: 1", "replicas: 3");
    writeFileSync(deployment(), edited);
    const { code, err } = await runCommand(`generate ${kustomize("--replicas 2").join(" ")}`.split(" "));
    expect(code).toBe(1);
    expect(err).toContain("FILE_EDITED");
    expect(err).toContain("base/deployment.yaml");
    expect(readFileSync(deployment(), "utf8")).toBe(edited);
    expect(readFileSync(join(folder, "base/kustomization.yaml"), "utf8")).not.toContain("disruption");
    await generate(...kustomize("--force"));
    expect(readFileSync(deployment(), "utf8")).toContain("replicas: 1");
  });

  it("has an overlay that is the author's", async () => {
    await generate(...kustomize());
    const overlay = join(folder, "overlays/default/kustomization.yaml");
    writeFileSync(overlay, "# mine\n");
    await generate(...kustomize("--force"));
    expect(readFileSync(overlay, "utf8")).toBe("# mine\n");
  });

  it.skipIf(assets === undefined)("is understood by kustomize", async () => {
    await generate(...kustomize("--replicas", "2"));
    const overlay = join(folder, "overlays/default");
    const { status, stdout, stderr } = spawnSync(join(assets ?? "", "kubectl"), ["kustomize", overlay], {
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const kinds = documentsOf(stdout).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(
      documentsOf(await generate("manifests", operator, "--leader-elect", "--replicas", "2"))
        .map(({ kind }) => kind)
        .toSorted(),
    );
  });

  it("holds a chart whose templates take from the values what an installation decides", async () => {
    await generate("manifests", operator, "--leader-elect", "--format", "helm", "--out", folder);
    const template = readFileSync(join(folder, "templates/deployment.yaml"), "utf8");
    expect(template).toContain("namespace: {{ .Release.Namespace }}");
    expect(template).toContain("            {{- toYaml .Values.resources | nindent 12 }}");
    expect(template).not.toContain("@@");
    expect(parse(readFileSync(join(folder, "values.yaml"), "utf8"))).toMatchObject({
      replicas: 1,
      crds: { install: true },
    });
    // Prometheus' own braces are not Helm's.
    expect(readFileSync(join(folder, "templates/prometheus-rule.yaml"), "utf8")).toContain(
      '{{ "{{" }} $labels.name {{ "}}" }}',
    );
  });

  it("holds a bundle with the roles that the operator needs", async () => {
    await generate("bundle", operator, "--leader-elect", "--out", folder);
    const file = join(folder, "manifests/database-operator.clusterserviceversion.yaml");
    expect(parse(readFileSync(file, "utf8"))).toMatchObject({
      metadata: { name: "database-operator.v0.1.0" },
      spec: {
        // Its validator warns of a bundle that does not say it.
        minKubeVersion: "1.29.0",
        install: {
          spec: {
            permissions: [
              {
                serviceAccountName: "database-operator",
                rules: [{ resources: ["leases"] }, { resources: ["leases"] }],
              },
            ],
            clusterPermissions: [{ serviceAccountName: "database-operator" }],
            deployments: [{ name: "database-operator" }],
          },
        },
        customresourcedefinitions: {
          owned: [{ name: "databases.data.example.com", version: "v1", kind: "Database" }],
        },
      },
    });
  });
});
