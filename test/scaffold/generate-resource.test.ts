import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripTypeScriptTypes } from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../cli/run-in-process.ts";
import { generatedProject, type GeneratedProject } from "./generated-project.ts";

const kindModule = `
import { defineKind, type InstanceOf } from "xstate-operator";
import { z } from "zod";
export const Memcached = defineKind({
  group: "cache.example.com",
  version: "v1alpha1",
  kind: "Memcached",
  spec: z.object({ size: z.int().default(1), tag: z.string().optional(), password: z.string().default("a") }),
});
export type Memcached = InstanceOf<typeof Memcached>;
`;

const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: \${name}
  namespace: prod
  resourceVersion: "12"
  labels: { app: "\${name}" }
spec:
  replicas: \${spec.size}
  selector: { matchLabels: { app: "\${name}" } }
  template:
    metadata: { labels: { app: "\${name}" } }
    spec:
      containers:
        - name: main
          image: "memcached:1.6-\${spec.size}"
          resources: { limits: { cpu: 1, memory: 64Mi } }
          command: [sh, -c, 'echo \`date\` $\${HOME} + & < > " \\\\n']
      volumes:
        - { name: auth, secret: { secretName: auth, defaultMode: 0640 } }
status: { replicas: 3 }
---
apiVersion: v1
kind: Secret
metadata: { name: auth }
stringData:
  conf: |
    line \`one\` \\ $\${x}
    line two: \${spec.password}
`;

let project: GeneratedProject;
beforeEach(() => {
  project = generatedProject();
  project.write("memcached.ts", kindModule);
});
afterEach(() => project.remove());

const path = (file: string): string => join(project.folder, file);
const text = (file: string): string => readFileSync(path(file), "utf8");
const files = (): readonly string[] => readdirSync(path("resources")).toSorted();
function generate(...args: readonly string[]) {
  return runCommand([
    "generate",
    "resource",
    "--kind",
    "Memcached",
    "--module",
    path("memcached.ts"),
    "--path",
    path("resources"),
    ...args,
  ]);
}
/** Generates from a manifest. */
function from(yaml: string, ...args: readonly string[]) {
  project.write("memcached.yaml", yaml);
  return generate(path("memcached.yaml"), ...args);
}

type Fields = Record<string, unknown>;
interface Parts {
  readonly key: object;
  readonly mutateWithInitialData: (object: Fields) => void;
  readonly mutateWithCR: (object: Fields, cr: object) => void;
}

interface Declared {
  readonly key: object;
  readonly initial: Fields;
  readonly whole: Fields;
}

/** In place of the library, for {@link declared}. */
const stand = `const kubernetesResource = (options) => options, keyOf = ({ metadata: { namespace, name } }) => ({ namespace, name });
const Deployment = {}, Secret = {};`;

/** What a generated file declares for a custom resource: run as it is, without the library. */
async function declared(file: string, spec: object): Promise<Declared> {
  const code = stripTypeScriptTypes(text(`resources/${file}`)).replaceAll(/^import .*$/gm, "");
  const url = `data:text/javascript,${encodeURIComponent(`${stand}\n${code}`)}`;
  const module = (await import(/* @vite-ignore */ url)) as Record<string, (cr: object) => Parts>;
  const cr = { metadata: { name: "m", namespace: "n", uid: "u" }, spec };
  const parts = Object.values(module)[0]?.(cr) ?? expect.fail(`${file} exports nothing`);
  const initial: Fields = { metadata: {} };
  parts.mutateWithInitialData(initial);
  const whole = structuredClone(initial);
  parts.mutateWithCR(whole, cr);
  return { key: parts.key, initial, whole };
}

describe("a resource from a manifest", () => {
  it("is one file for each document", async () => {
    const { code, out, err } = await from(manifest);
    expect({ code, files: files() }).toEqual({
      code: 0,
      files: ["auth-secret.ts", "memcached-deployment.ts"],
    });
    expect(out).toMatch(/^written .*memcached-deployment\.ts\nwritten .*auth-secret\.ts\n$/);
    expect(err).toContain('import { Deployment, Secret } from "xstate-operator/kinds";\n');
    expect(err).toContain("owns: [Deployment, Secret],");
    expect(err).toContain("registry.add(memcachedDeployment(cr), authSecret(cr))");
    expect(err).toContain("commit no real secret");
  });

  it("says which imports the controller lacks", async () => {
    project.write("controller.ts", 'import { Deployment, readyPodsCount } from "xstate-operator/kinds";\n');
    const { err } = await from(manifest);
    expect(err).toMatch(
      /^Add to the controller:\n {2}import \{ Secret \} from "xstate-operator\/kinds";\n {2}import \{ memcachedDeployment \} from ".\/resources/m,
    );
  });

  it("has every value as it is written, read as kubectl reads it", async () => {
    await from(manifest);
    const { key, whole } = await declared("memcached-deployment.ts", { size: 3 });
    expect(key).toEqual({ namespace: "n", name: "m" });
    expect(whole).toEqual({
      metadata: { labels: { app: "m" } },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "m" } },
        template: {
          metadata: { labels: { app: "m" } },
          spec: {
            containers: [
              {
                name: "main",
                image: "memcached:1.6-3",
                resources: { limits: { cpu: "1", memory: "64Mi" } },
                command: ["sh", "-c", 'echo `date` ${HOME} + & < > " \\\\n'],
              },
            ],
            volumes: [{ name: "auth", secret: { secretName: "auth", defaultMode: 0o640 } }],
          },
        },
      },
    });
    const secret = await declared("auth-secret.ts", { password: "`${p}`" });
    expect(secret.key).toEqual({ namespace: "n", name: "auth" });
    expect(secret.whole).toEqual({
      metadata: {},
      stringData: { conf: "line `one` \\ ${x}\nline two: `${p}`\n" },
    });
  });

  it("has in its second part what does not depend on the spec, and the rest in its third", async () => {
    await from(manifest);
    expect((await declared("memcached-deployment.ts", { size: 3 })).initial).toEqual({
      metadata: { labels: { app: "m" } },
      spec: { selector: { matchLabels: { app: "m" } } },
    });
  });

  it.each([
    ["a field that the kind does not have", "${spec.siez}", 'has no field "siez" (did you mean size?)'],
    ["a field without a default", "${spec.tag}", "spec.tag of a Memcached may be missing"],
    ["a shell's variable", "${HOME}", "that is not known of every Memcached"],
    ["a label", "${metadata.labels.x}", "that is not known of every Memcached"],
    ["a whole spec", "${spec}", "that is not known of every Memcached"],
  ])("refuses %s, and writes nothing", async (_what, placeholder, message) => {
    const { code, err } = await from(`${manifest}---
{ apiVersion: v1, kind: ConfigMap, metadata: { name: late }, data: { a: "x ${placeholder}" } }
`);
    expect(code).toBe(1);
    expect(err).toContain(`asks for ${placeholder}, but`);
    expect(err).toContain(message);
    expect(() => files()).toThrow("ENOENT");
  });

  it.each([
    ["no YAML", "a: [", "is not YAML"],
    ["a Helm template", "apiVersion: v1\nkind: {{ .Values.x }}", "helm template"],
    ["no object", "# nothing", "has no object"],
    ["an object without a kind", "apiVersion: v1", "without apiVersion and kind"],
    ["an unknown kind", "{ apiVersion: x.io/v1, kind: Thing }", "has no Thing of x.io/v1"],
    [
      "two objects of one name",
      "{ apiVersion: v1, kind: Secret }\n---\n{ apiVersion: v1, kind: Secret }",
      "would be written into memcached-secret.ts",
    ],
  ])("is refused for %s", async (_what, yaml, message) => {
    const { code, err } = await from(yaml);
    expect(err).toContain(message);
    expect(code).toBe(1);
  });

  it("is read from a list, and from what a cluster prints", async () => {
    const { code } = await from(
      JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: [
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", uid: "u" }, data: { a: "1" } },
          { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "two" } },
        ],
      }),
    );
    expect({ code, files: files() }).toEqual({
      code: 0,
      files: ["one-config-map.ts", "two-service-account.ts"],
    });
    expect(text("resources/one-config-map.ts")).not.toContain("uid");
  });

  it("is named by the object, and by the kind for the resource's name in it", async () => {
    await from(
      ["${name}", "${name}-proxy", "config-for-${name}", "config-map"]
        .map((name) => `{ apiVersion: v1, kind: ConfigMap, metadata: { name: "${name}" } }\n`)
        .join("---\n"),
    );
    expect(files()).toEqual([
      "config-for-memcached-config-map.ts",
      "config-map.ts",
      "memcached-config-map.ts",
      "memcached-proxy-config-map.ts",
    ]);
  });

  it("is only of the kind that is asked for", async () => {
    await from(manifest, "--type", "secret", "--name", "token");
    expect(files()).toEqual(["token.ts"]);
  });
});

describe("a resource that is generated again", () => {
  const file = "resources/memcached-deployment.ts";
  const edit = (from: string, to: string): void => {
    expect(text(file)).toContain(from);
    project.write(file, text(file).replace(from, to));
  };

  it("keeps what the author wrote, and takes what the manifest says now", async () => {
    await from(manifest);
    edit(
      "// #endregion initial",
      "// #endregion initial\n      deployment.metadata.annotations = { by: 'hand' };",
    );
    edit("hashedFields: (deployment) => deployment", "hashedFields: ({ spec }) => spec");
    const { out } = await from(manifest.replace("memcached:1.6", "memcached:1.7"));
    expect(out).toMatch(/^updated .*memcached-deployment\.ts\nunchanged /);
    expect(text(file)).toContain("deployment.metadata.annotations = { by: 'hand' };");
    expect(text(file)).toContain("hashedFields: ({ spec }) => spec");
    expect(text(file)).toContain("memcached:1.7");
    expect(text(file)).not.toContain("memcached:1.6");
  });

  it("takes the parameters that it has not needed so far", async () => {
    await from("{ apiVersion: v1, kind: ConfigMap, metadata: { name: one }, data: { a: b } }");
    await from(
      "{ apiVersion: v1, kind: ConfigMap, metadata: { name: one }, data: { a: '${spec.password}' } }",
    );
    expect(text("resources/one-config-map.ts")).toContain("mutateWithCR: (configMap, memcached) => {");
  });

  it("is no change for what a formatter does", async () => {
    await from(manifest);
    project.write(file, text(file).replaceAll('"', "'").replaceAll(",\n", "\n"));
    expect((await from(manifest)).code).toBe(0);
  });

  it.each([
    ["a generated part that was changed", 'command: ["sh"', 'command: ["bash"', "was changed in its region"],
    ["a file of the author's own", "#region", "#", "has no region"],
    [
      "what follows from another manifest",
      "memcached.yaml",
      "other.yaml",
      "was generated from something else",
    ],
  ])("refuses %s, unless it is forced to, which keeps it", async (_what, from_, to, message) => {
    await from(manifest);
    project.write(file, text(file).replaceAll(from_, to));
    const changed = text(file);
    const refused = await from(manifest);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(message);
    expect(text(file)).toBe(changed);

    expect((await from(manifest, "--force")).out).toContain("the old one is memcached-deployment.ts.bak");
    expect(text(`${file}.bak`)).toBe(changed);
    project.write(file, "mine");
    await from(manifest, "--force");
    expect(text(`${file}.bak.1`)).toBe("mine");
    expect(text(`${file}.bak`)).toBe(changed);
  }); // OKT 74
});

describe("a resource of a kind", () => {
  const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: certificates.cert.example.com }
spec:
  group: cert.example.com
  scope: Namespaced
  names: { kind: Certificate, plural: certificates }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [secretName]
              properties:
                secretName: { type: string, description: "Where it is kept. Also the key." }
                dnsNames: { type: array, items: { type: string } }
                port: { x-kubernetes-int-or-string: true }
                usages: { type: array, items: { type: string, enum: [signing, any] } }
                extra: { type: object, x-kubernetes-preserve-unknown-fields: true }
                secrets: { type: object, additionalProperties: { type: integer, nullable: true } }
            status: { type: object, properties: { "not-before": { type: string } } }
`;
  const certificate = `
apiVersion: cert.example.com/v1
kind: Certificate
metadata: { name: "\${name}" }
spec:
  secretName: "\${name}-tls"
  dnsNames: ["\${spec.password}"]
  port: https
  usages: [signing]
  extra: { a: [1] }
  secrets: { a: 1, b: null }
`;

  it("compiles: of the library, of a CRD, of a dictionary of the author's, and without a module of its owner", async () => {
    await from(manifest);
    await generate("--type", "ClusterRole");
    project.write("cert.ts", `export { Secret as Cert } from "xstate-operator/kinds";\n`);
    project.write(
      "kinds.yaml",
      `Cert: { apiVersion: c.example.com/v1, plural: certs, import: ../cert.ts, manifest: { type: "\${name}" } }`,
    );
    await generate("--type", "cert", "--dictionary", path("kinds.yaml"));
    const args = ["--type", "Ingress", "--kind", "Ingress", "--group", "a.example.com", "--version", "v1"];
    await runCommand(["generate", "resource", ...args, "--path", path("resources")]);
    project.write("crds.yaml", crd);
    await from(certificate, "--dictionary", path("crds.yaml"));
    await from(
      certificate.replace("[signing]", "[sinning]"),
      "--dictionary",
      path("crds.yaml"),
      "--name",
      "wrong",
    );
    expect(files()).toEqual([
      "auth-secret.ts",
      "ingress.ts",
      "memcached-cert.ts",
      "memcached-certificate.ts",
      "memcached-cluster-role.ts",
      "memcached-deployment.ts",
      "wrong.ts",
    ]);
    expect(text("resources/memcached-cert.ts")).toContain(`import { Cert } from "../cert.ts";`);
    expect(text("resources/memcached-cluster-role.ts")).toContain("ownerReference: false");
    expect(project.typeErrors()).toEqual([expect.stringMatching(/wrong\.ts.*"sinning"/)]);
  }, 90_000);

  it.each([
    ["no map", "- a", "is not a map of kinds"],
    ["no apiVersion", "A: { plural: as }", "without apiVersion"],
    ["no plural", "A: { apiVersion: x/v1 }", "without plural"],
    ["an unknown field", "A: { apiVersion: x/v1, pural: as }", 'a field "pural"'],
    ["an unknown scope", "A: { apiVersion: x/v1, plural: as, scope: Global }", 'the scope "Global"'],
    ["a broken definition", "kind: CustomResourceDefinition", "without group, names"],
  ])("is refused for a dictionary with %s", async (_what, yaml, message) => {
    project.write("kinds.yaml", yaml);
    const { code, err } = await generate("--type", "Secret", "--dictionary", path("kinds.yaml"));
    expect(err).toContain(message);
    expect(code).toBe(1);
  });

  it.each([
    [["--type", "Deploymnt"], "Did you mean Deployment?", 1],
    [[], "neither --type nor a manifest", 2],
    [["--type", "Secret", "--version", "v1"], "as cache.example.com/v1alpha1, not as", 1],
    [["--type", "Secret", "--version", "1"], 'the version cannot be "1"', 1],
    [["nowhere.yaml"], "there is no file", 1],
  ])("is refused for %j", async (args, message, code) => {
    const outcome = await generate(...args);
    expect(outcome.err).toContain(message);
    expect(outcome.code).toBe(code);
  }); // OKT 74

  it("is listed", async () => {
    const { out } = await generate("--list", "-o", "json");
    expect(JSON.parse(out)).toContainEqual({
      name: "Deployment",
      apiVersion: "apps/v1",
      scope: "Namespaced",
    });
  });
});
