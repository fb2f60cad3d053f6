// JobSet, on controller-runtime: groups of indexed Jobs with a success and a failure policy, suspension, a lifetime after the end, and
// webhooks for its resources and for their pods.
import { obtainConfigured } from "./configured-operator.ts";
import type { ForeignOperator } from "./foreign-operator.ts";

const version = "v0.11.0";

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
  obtain: () =>
    obtainConfigured({
      name: "jobset",
      module: `sigs.k8s.io/jobset@${version}`,
      main: ".",
      configuration: "config.jobset.x-k8s.io/v1alpha1",
      webhooks: "config/components/webhook",
      manifests: [
        "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
        "config/components/rbac/role.yaml",
      ],
    }),
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
