// Tekton's pipelines, on Knative's library of controllers: pods whose containers wait for an annotation, one run that makes others, and a
// configuration in ConfigMaps that is watched.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";

const version = "v0.70.0";

function obtain(): Obtained {
  const built = buildGoModule("tekton", `github.com/tektoncd/pipeline@${version}`, "./cmd/controller");
  if ("failure" in built) return built;
  const { folder } = built;
  const files = globSync(join(folder, "config/{300-crds/*,config-*}.yaml")).toSorted();
  const manifest = join(folder, "installed.yaml");
  writeFileSync(
    manifest,
    files
      .map((file) =>
        readFileSync(file, "utf8").replaceAll("namespace: tekton-pipelines", `namespace: ${home}`),
      )
      .join("\n---\n"),
  );
  const images = ["entrypoint", "sidecarlogresults", "nop", "shell", "workingdirinit"];
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          `--kubeconfig=${kubeconfig}`,
          "--disable-ha",
          ...images.flatMap((each) => [`--${each}-image`, `example.com/${each}`]),
          "--shell-image-win=example.com/shell-win",
        ],
        env: { SYSTEM_NAMESPACE: home, METRICS_DOMAIN: "tekton.dev/pipeline" },
        // It listens on every address.
        isolated: true,
      },
    ],
    manifests: [manifest],
  };
}

const step = (name: string, image = "example.com/step"): string =>
  `{ name: ${name}, image: ${image}, command: [${name}], computeResources: { requests: { cpu: 10m } } }`;
const succeeded = (status: string, object: string): string =>
  `wait --for=condition=Succeeded=${status} ${object}`;

/** Tekton: what becomes of tasks and of pipelines of them. */
export const tekton: ForeignOperator = {
  name: "tekton pipelines",
  version,
  obtain,
  // It says so of pods that it sees running; some have ended by then.
  random: [[/^Pod\//, /^metadata\.annotations\.tekton\.dev\/ready$/]],
  prepare(pods) {
    pods.simulate({ image: "example.com/broken" }, { exit: { code: 1 } });
    pods.simulate({ image: "example.com/long" }, { exit: { code: 0, after: 3_600_000 } });
  },
  steps: [
    {
      name: "a task that is run",
      apply: `
apiVersion: tekton.dev/v1
kind: Task
metadata: { name: build }
spec:
  params: [{ name: what, default: all }]
  steps: [${step("compile")}, ${step("test")}]
---
apiVersion: tekton.dev/v1
kind: TaskRun
metadata: { name: build }
spec: { taskRef: { name: build }, params: [{ name: what, value: some }] }
`,
      reached: [succeeded("True", "taskrun/build")],
    },
    {
      name: "a task that fails",
      apply: `
apiVersion: tekton.dev/v1
kind: TaskRun
metadata: { name: fails }
spec: { taskSpec: { steps: [${step("compile", "example.com/broken")}] } }
`,
      reached: [succeeded("False", "taskrun/fails")],
    },
    {
      name: "a pipeline, which waits in its second task",
      apply: `
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata: { name: deliver }
spec:
  pipelineSpec:
    tasks:
      - { name: build, taskRef: { name: build } }
      - name: wait
        runAfter: [build]
        taskSpec: { steps: [${step("wait", "example.com/long")}] }
    finally: [{ name: tell, taskSpec: { steps: [${step("tell")}] } }]
`,
      reached: [
        succeeded("True", "taskrun/deliver-build"),
        "wait --for=condition=Ready pod/deliver-wait-pod",
        succeeded("Unknown", "taskrun/deliver-wait"),
        "wait --for=jsonpath={.status.conditions[0].reason}=Running pipelinerun/deliver",
      ],
    },
    {
      name: "stop it",
      kubectl: ['patch pipelinerun/deliver --type=merge --patch={"spec":{"status":"CancelledRunFinally"}}'],
      reached: [
        succeeded("False", "pipelinerun/deliver"),
        succeeded("True", "taskrun/deliver-tell"),
        "wait --for=delete pod/deliver-wait-pod",
      ],
    },
    {
      name: "delete",
      kubectl: ["delete pipelinerun/deliver taskrun/build taskrun/fails task/build"],
      reached: ["wait --for=delete taskruns --all", "wait --for=delete pods --all"],
    },
  ],
};
