// JobSet, on controller-runtime: groups of indexed Jobs with a success and a failure policy, suspension, a lifetime after the end, and
// webhooks for its resources and for their pods.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { buildGoModule } from "../go-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledHere, makeCertificate } from "./webhooks-here.ts";

const version = "v0.11.0";
/** Where the webhooks listen in a network of its own. */
const port = 9_443;

function obtain(): Obtained {
  const built = buildGoModule("jobset", `sigs.k8s.io/jobset@${version}`, ".");
  if ("failure" in built) return built;
  const { folder } = built;
  const certificates = join(folder, "certificates");
  const made = makeCertificate(certificates);
  if ("failure" in made) return made;
  const configuration = join(folder, "configuration.yaml");
  writeFileSync(
    configuration,
    stringify({
      apiVersion: "config.jobset.x-k8s.io/v1alpha1",
      kind: "Configuration",
      webhook: { port, certDir: certificates },
      // The certificate would be mounted from a Secret that it writes.
      internalCertManagement: { enable: false },
      leaderElection: { leaderElect: false },
      metrics: { bindAddress: "0" },
    }),
  );
  const components = join(folder, "config/components");
  const webhook = join(components, "webhook");
  const webhooks = join(folder, "webhooks.yaml");
  const patches = ["mutating", "validating"].map((each) => join(webhook, `patches/${each}-patch.yaml`));
  writeFileSync(webhooks, calledHere(join(webhook, "manifests.yaml"), patches, port, made.authority));
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [`--kubeconfig=${kubeconfig}`, `--config=${configuration}`],
        isolated: true,
        called: port,
      },
    ],
    manifests: [
      join(components, "crd/bases/jobset.x-k8s.io_jobsets.yaml"),
      join(components, "rbac/role.yaml"),
      webhooks,
    ],
    role: "manager-role",
  };
}

interface Group {
  readonly name: string;
  readonly image?: string;
  readonly replicas?: number;
  readonly pods?: number;
}

const set = (name: string, groups: readonly Group[], more = ""): string => `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: { name: ${name} }
spec:
${more}
  replicatedJobs:
${groups
  .map(
    ({ name: group, image = "long", replicas = 1, pods = 2 }) => `
    - name: ${group}
      replicas: ${replicas}
      template:
        spec:
          parallelism: ${pods}
          completions: ${pods}
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              terminationGracePeriodSeconds: 0
              containers: [{ name: c, image: "example.com/job:${image}" }]`,
  )
  .join("")}
`;
const training = [{ name: "driver" }, { name: "workers", replicas: 2 }];
const isTrue = (condition: string, name: string): string =>
  `wait --for=condition=${condition} jobset/${name}`;

/** JobSet: what becomes of groups of Jobs, decided from their states. */
export const jobSet: ForeignOperator = {
  name: "jobset",
  version,
  obtain,
  prepare(pods) {
    pods.simulate({ image: "example.com/job:long" }, { exit: { code: 0, after: 3_600_000 } });
    pods.simulate({ image: "example.com/job:broken" }, { exit: { code: 3 } });
  },
  steps: [
    {
      name: "what its webhook refuses",
      refused: set("training", [{ name: "twice" }, { name: "twice" }]),
      reached: [],
    },
    {
      name: "create, suspended",
      apply: set("training", training, "  suspend: true"),
      reached: [isTrue("Suspended", "training"), "wait --for=create job/training-workers-1"],
    },
    {
      name: "resume",
      kubectl: ['patch jobset/training --type=merge --patch={"spec":{"suspend":false}}'],
      reached: [
        "wait --for=condition=Suspended=False jobset/training",
        "wait --for=create pods --selector=jobset.sigs.k8s.io/jobset-name=training,batch.kubernetes.io/job-completion-index=1,jobset.sigs.k8s.io/job-index=1",
        "wait --for=condition=Ready pods --all",
        'wait --for=jsonpath={.status.replicatedJobsStatus[?(@.name=="workers")].ready}=2 jobset/training',
        'wait --for=jsonpath={.status.replicatedJobsStatus[?(@.name=="driver")].ready}=1 jobset/training',
      ],
    },
    {
      name: "drift",
      kubectl: ["delete service/training"],
      reached: ["wait --for=jsonpath={.status.active}=2 job/training-workers-1"],
    },
    {
      name: "suspend again",
      kubectl: ['patch jobset/training --type=merge --patch={"spec":{"suspend":true}}'],
      reached: [isTrue("Suspended", "training"), "wait --for=delete pods --all"],
    },
    {
      name: "one that succeeds with its driver",
      apply: set(
        "short",
        [{ name: "driver", image: "short" }, { name: "workers" }],
        "  successPolicy: { operator: All, targetReplicatedJobs: [driver] }",
      ),
      reached: [isTrue("Completed", "short")],
    },
    {
      name: "one that is tried twice",
      apply: set(
        "broken",
        [{ name: "driver", image: "broken", pods: 1 }],
        "  failurePolicy: { maxRestarts: 1 }",
      ),
      reached: [isTrue("Failed", "broken"), "wait --for=jsonpath={.status.restarts}=1 jobset/broken"],
    },
    {
      name: "one that does not outlast its end",
      apply: set("passing", [{ name: "driver", image: "short" }], "  ttlSecondsAfterFinished: 1"),
      reached: ["wait --for=delete jobset/passing", "wait --for=delete job/passing-driver-0"],
    },
    {
      name: "delete",
      kubectl: ["delete jobset/training jobset/short jobset/broken"],
      reached: ["wait --for=delete jobs --all", "wait --for=delete pods --all"],
    },
  ],
};
