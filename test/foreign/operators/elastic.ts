// Elastic's operator (ECK): stateful sets with claims, certificates and passwords in Secrets, many kinds in many groups, and a webhook for
// each of them with certificates of its own making. Nobody answers in the pods: what it would ask Elasticsearch it does not learn.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import { home } from "../../support/side-by-side.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { calledThrough, manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";

const version = "v3.5.0";
/** Where its webhooks listen in a network of its own. */
const port = 9_443;
const secret = "elastic-operator-webhook-cert";

function obtain(): Obtained {
  const built = buildGoModule("eck", `github.com/elastic/cloud-on-k8s/v3@${version}`, "./cmd");
  if ("failure" in built) return built;
  const { folder } = built;
  const rendered = renderChart("eck", join(folder, "deploy/eck-operator"), {
    installCRDs: false,
    "serviceAccount.name": "operator",
    "webhook.failurePolicy": "Fail",
  });
  if ("failure" in rendered) return rendered;
  const manifest = join(folder, "installed.yaml");
  const objects = manifestsIn(rendered.text, /^(?:StatefulSet|Service|ServiceAccount)$/);
  writeFileSync(manifest, writtenOut(calledThrough("elastic-operator-webhook", port, objects)));
  const placeOf = (kubeconfig: string): string => join(dirname(kubeconfig), "certificates");
  return {
    programs: [
      {
        command: built.files[0]!,
        args: (kubeconfig) => [
          "manager",
          `--operator-namespace=${home}`,
          "--enable-webhook",
          `--webhook-name=elastic-operator.${home}.k8s.elastic.co`,
          `--webhook-port=${port}`,
          `--webhook-secret=${secret}`,
          `--webhook-cert-dir=${placeOf(kubeconfig)}`,
          "--disable-telemetry",
        ],
        // It listens on every address.
        isolated: true,
        called: port,
        mounted: { secret, folder: placeOf },
      },
    ],
    manifests: [join(folder, "config/crds/v1/all-crds.yaml"), manifest],
    role: "bound",
  };
}

const release = "9.4.3";
const elasticsearch = (given = release): string => `
apiVersion: elasticsearch.k8s.elastic.co/v1
kind: Elasticsearch
metadata: { name: search }
spec:
  version: ${given}
  nodeSets:
    - { name: default, count: 2, config: { node.store.allow_mmap: false } }
`;
const kibana = (count: number): string => `
apiVersion: kibana.k8s.elastic.co/v1
kind: Kibana
metadata: { name: view }
spec:
  version: ${release}
  count: ${count}
  config: { logging.root.level: info }
---`;
const logstash = (count: number, level: string): string => `
apiVersion: logstash.k8s.elastic.co/v1alpha1
kind: Logstash
metadata: { name: logs }
spec:
  version: ${release}
  count: ${count}
  config: { log.level: ${level}, queue.type: memory }
  pipelines: [{ pipeline.id: main, config.string: "input { heartbeat {} } output { stdout {} }" }]
---`;
const beat = `
apiVersion: beat.k8s.elastic.co/v1beta1
kind: Beat
metadata: { name: files }
spec:
  type: filebeat
  version: ${release}
  config: { output.console: { enabled: true } }
  daemonSet: { podTemplate: { spec: { terminationGracePeriodSeconds: 0 } } }
---`;
const registry = `
apiVersion: packageregistry.k8s.elastic.co/v1alpha1
kind: PackageRegistry
metadata: { name: packages }
spec: { version: ${release}, count: 1 }
`;
const green = (object: string, available: number): readonly string[] => [
  `wait --for=jsonpath={.status.health}=green ${object}`,
  `wait --for=jsonpath={.status.availableNodes}=${available} ${object}`,
];

/** Elastic's operator: what becomes of its kinds as far as nobody has to answer. */
export const elastic: ForeignOperator = {
  name: "elastic (ECK)",
  version,
  obtain,
  random: [
    // Certificates, passwords, and hashes of them.
    [/^Secret\//, /^data\./],
    [/./, /-hash$/],
  ],
  steps: [
    { name: "what its webhook refuses", refused: elasticsearch("1.2"), reached: [] },
    {
      name: "Kibana",
      apply: kibana(1),
      reached: [...green("kibana/view", 1), "rollout status deployment/view-kb"],
    },
    {
      name: "Logstash, Beats and packages",
      apply: logstash(2, "info") + beat + registry,
      reached: [
        ...green("logstash/logs", 2),
        "rollout status statefulset/logs-ls",
        ...green("beat/files", 1),
        "rollout status daemonset/files-beat-filebeat",
        ...green("packageregistry/packages", 1),
      ],
    },
    {
      name: "Elasticsearch",
      apply: elasticsearch(),
      reached: [
        "wait --for=create statefulset/search-es-default",
        "wait --for=jsonpath={.status.readyReplicas}=2 statefulset/search-es-default",
        "wait --for=jsonpath={.status.phase}=ApplyingChanges elasticsearch/search",
      ],
    },
    {
      name: "more and fewer of them",
      apply: kibana(2) + logstash(1, "info"),
      reached: [...green("kibana/view", 2), ...green("logstash/logs", 1)],
    },
    {
      name: "another configuration",
      apply: logstash(1, "debug"),
      reached: ["rollout status statefulset/logs-ls", ...green("logstash/logs", 1)],
    },
    {
      name: "drift",
      kubectl: ["delete service/view-kb-http deployment/view-kb", "delete secret/logs-ls-config"],
      reached: [
        "wait --for=create service/view-kb-http deployment/view-kb",
        "wait --for=create deployment/view-kb",
        "wait --for=create secret/logs-ls-config",
        ...green("kibana/view", 2),
        "rollout status statefulset/logs-ls",
        ...green("logstash/logs", 1),
      ],
    },
    {
      name: "delete",
      kubectl: [
        "delete kibana/view logstash/logs beat/files",
        "delete packageregistry/packages elasticsearch/search",
      ],
      reached: ["wait --for=delete statefulsets --all", "wait --for=delete pods --all"],
    },
  ],
};
