// The files of a new project, but for those of its kinds; and how a kind is added to one.
import { projectDockerfile, projectDockerignore } from "./image-files.ts";
import { namesOfKind, type NewKind, type ProjectFiles } from "./kind-files.ts";

/** What a new project is called, and which packages it uses. */
export interface NewProject {
  /** The operator's name, which is also the package's. */
  readonly name: string;
  /** The first kind. */
  readonly kind: NewKind;
  /** What npm installs this package from: a range of versions, or `file:`. */
  readonly packageSpec: string;
}

/** Versions of what a project uses beside this package. */
export const projectPackages = {
  dependencies: { zod: "^4.6.7" },
  devDependencies: { "@types/node": "^24.19.4", rolldown: "^1.2.19", typescript: "^7.0.2" },
} as const;

const importMark = "// create api: imports";
const controllerMark = "// create api: controllers";

/** The files of a project. */
export function projectFiles(project: NewProject): ProjectFiles {
  return new Map([
    ["package.json", packageFile(project)],
    ["tsconfig.json", tsconfig],
    ["operator.ts", operatorModule(project)],
    ["test/cluster.ts", clusterModule],
    ["Dockerfile", projectDockerfile],
    [".dockerignore", projectDockerignore],
    [".gitignore", gitignore],
    [".github/workflows/ci.yaml", ci],
    ["README.md", readme(project)],
  ]);
}

function packageFile({ name, packageSpec }: NewProject): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=22.19" },
    scripts: {
      start: "xstate-operator run operator.ts --embedded",
      check: "tsc && xstate-operator check operator.ts",
      test: 'node --disable-warning=ExperimentalWarning --test "test/**/*.test.ts"',
      build: "xstate-operator build operator.ts",
    },
    dependencies: { "xstate-operator": packageSpec, ...projectPackages.dependencies },
    devDependencies: projectPackages.devDependencies,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

const tsconfig = `{
  "compilerOptions": {
    // Node runs these files as they are: it takes the types out, and compiles nothing.
    "noEmit": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "allowImportingTsExtensions": true,
    "module": "nodenext",
    "target": "es2024",
    "lib": ["es2024"],
    "types": ["node"],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noUncheckedIndexedAccess": true,
    "noImplicitOverride": true,
    "noImplicitReturns": true,
    "noFallthroughCasesInSwitch": true,
    "noUnusedLocals": true,
    "noUnusedParameters": true,
    "skipLibCheck": true
  },
  "include": ["**/*.ts"]
}
`;

function operatorModule({ name, kind }: NewProject): string {
  const { controller, file } = namesOfKind(kind.kind);
  return `// The operator: one controller for each kind. \`xstate-operator create api\` adds more.
import { defineOperator } from "xstate-operator";
import { ${controller} } from "./src/${file}/controller.ts";
${importMark}

export default defineOperator({
  name: "${name}",
  controllers: [
    ${controller},
    ${controllerMark}
  ],
});
`;
}

/**
 * The operator's module with the controller of one more kind. Undefined when it has no marks: then its author adds the lines
 * of {@link linesForOperator}.
 */
export function withController(operator: string, kind: string): string | undefined {
  const lines = operator.split("\n");
  const marks = [importMark, controllerMark].map((mark) => lines.findIndex((line) => line.trim() === mark));
  if (marks.includes(-1)) return undefined;
  const added = linesForOperator(kind);
  for (const [index, mark] of [...marks.entries()].toReversed()) {
    const space = /^\s*/.exec(lines[mark] ?? "")?.[0] ?? "";
    lines.splice(mark, 0, `${space}${added[index] ?? ""}`);
  }
  return lines.join("\n");
}

/** The import and the entry of the list that a kind needs in the operator's module. */
export function linesForOperator(kind: string): readonly [string, string] {
  const { controller, file } = namesOfKind(kind);
  return [`import { ${controller} } from "./src/${file}/controller.ts";`, `${controller},`];
}

const clusterModule = `// For tests: an embedded cluster with the operator on it, and assertions that wait.
import { setTimeout as delay } from "node:timers/promises";
import { createLogger, runOperator, type OperatorDefinition } from "xstate-operator";
import { createKubeClient, loadConnection, type KubeClient } from "xstate-operator/client";
import { startCluster } from "xstate-operator/cluster";

export interface OperatorOnCluster {
  readonly client: KubeClient;
  stop(): Promise<void>;
}

/** Starts a cluster in this process, and the operator on it. */
export async function runOnCluster(operator: OperatorDefinition): Promise<OperatorOnCluster> {
  const cluster = await startCluster();
  const connection = await loadConnection({ path: cluster.kubeconfig, env: {} });
  const client = createKubeClient(connection, { userAgent: "test" });
  const abort = new AbortController();
  let ended = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    ended = runOperator(operator, {
      connection: { kubeconfig: cluster.kubeconfig },
      installCrds: true,
      log: createLogger({ level: "error" }),
      signal: abort.signal,
      onReady: resolve,
    });
    ended.catch(reject);
  });
  return {
    client,
    stop: async () => {
      abort.abort();
      await ended;
      await client.close();
      await cluster.stop();
    },
  };
}

/** Repeats an assertion until it passes, for at most 30 seconds. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}
`;

const gitignore = `node_modules/
dist/
*.log
`;

const ci = `name: ci
on:
  push: { branches: [main] }
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix: { node: [22, 24] }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: "\${{ matrix.node }}", cache: npm }
      - run: npm ci
      - run: npm run check
      - run: npm test
      - run: npm run build
`;

function readme({ name, kind: { kind, group } }: NewProject): string {
  const { file } = namesOfKind(kind);
  return `# ${name}

A Kubernetes operator, written with xstate-operator.

\`\`\`sh
npm install
npm test           # on a cluster in the tests' own process: nothing but Node is needed
npm run check      # types, and every state, edge and name of the lifecycles
npm start          # the operator on a cluster in its own process; prints a line for KUBECONFIG
\`\`\`

With that line in another terminal:

\`\`\`sh
kubectl apply -f samples/${file}.yaml
kubectl get ${kind.toLowerCase()} first -o wide
npx xstate-operator watch ${kind.toLowerCase()}/first
\`\`\`

| file | what is in it |
| --- | --- |
| \`operator.ts\` | the operator: one controller for each kind |
| \`src/${file}/${file}.ts\` | the kind ${kind}: its spec and status |
| \`src/${file}/${file}-lifecycle.ts\` | its lifecycle, as a statechart |
| \`src/${file}/controller.ts\` | how it is observed, what its tasks do, which objects it owns |
| \`src/${file}/resources/\` | these objects, one file each |
| \`test/\` | tests; \`test/cluster.ts\` starts the cluster |
| \`samples/\` | custom resources to try |

\`\`\`sh
npx xstate-operator create api --kind Backup --group ${group} --version v1        # one more kind
npx xstate-operator generate resource --kind ${kind} --type Service               # one more object
npx xstate-operator generate resource --kind ${kind} manifest.yaml                # or those of a manifest
\`\`\`

On a cluster of your own, from an image (the \`Dockerfile\` builds the operator into one file):

\`\`\`sh
docker build --tag registry.example.com/${name}:0.1.0 . && docker push registry.example.com/${name}:0.1.0
npx xstate-operator install operator.ts --leader-elect --image registry.example.com/${name}:0.1.0
\`\`\`

\`npx xstate-operator generate manifests operator.ts --leader-elect\` prints what \`install\` applies: the definition of the kind, the role, the Deployment. \`npm run build\` says
how large the file is and how long it takes to start; \`docker build dist\` makes the same image of what it has built, without a registry of packages.
`;
}
