// External Secrets: Secrets of a store elsewhere, here one that its resource says, through templates, into Secrets that it owns or that
// others do; resources that make others in each chosen namespace; and Secrets that it sends back.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildGoModule } from "../go-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";
import { manifestsIn, renderChart, writtenOut } from "./installed-manifests.ts";

const version = "v0.16.2";

function obtain(): Obtained {
  const built = buildGoModule(
    "external-secrets",
    `github.com/external-secrets/external-secrets@${version}`,
    ".",
  );
  if ("failure" in built) return built;
  const { folder } = built;
  const chart = join(folder, "chart");
  rmSync(chart, { recursive: true, force: true });
  cpSync(join(folder, "deploy/charts/external-secrets"), chart, { recursive: true });
  // It depends on another chart, for a store of others.
  const about = join(chart, "Chart.yaml");
  writeFileSync(about, readFileSync(about, "utf8").replace(/^dependencies:\n(?:[ -].*\n?)+/m, ""));
  const rendered = renderChart("external-secrets", chart, {
    "serviceAccount.name": "operator",
    "webhook.create": false,
    "certController.create": false,
  });
  if ("failure" in rendered) return rendered;
  const manifest = join(folder, "installed.yaml");
  writeFileSync(
    manifest,
    writtenOut(manifestsIn(rendered.text, /^(?:Deployment|ServiceAccount|CustomResourceDefinition)$/)),
  );
  return {
    programs: [
      {
        command: built.files[0]!,
        args: () => ["--metrics-addr=127.0.0.1:0", "--concurrent=2"],
      },
    ],
    manifests: [join(folder, "deploy/crds/bundle.yaml"), manifest],
    role: "bound",
  };
}

const store = (kind: string, name: string, password: string): string => `
apiVersion: external-secrets.io/v1
kind: ${kind}
metadata: { name: ${name} }
spec:
  provider:
    fake:
      data:
        - { key: user, value: admin, version: v1 }
        - { key: password, value: ${password} }
        - { key: both, value: '{"user": "other", "password": "${password}", "deep": {"port": 5432}}' }
---`;
const secret = (more = "", address = "{{ .user }}:{{ .password | upper }}@db"): string => `
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: { name: db, labels: { team: shop } }
spec:
  refreshInterval: 1s
  secretStoreRef: { name: fake }
  target:
    name: db
    template:
      type: Opaque
      metadata: { labels: { made: here }, annotations: { about: "the database" } }
      mergePolicy: Merge
      data: { address: "${address}" }
      templateFrom: [{ configMap: { name: texts, items: [{ key: text }] } }]
  data:
    - { secretKey: user, remoteRef: { key: user, version: v1 } }
    - { secretKey: password, remoteRef: { key: password } }
    - { secretKey: port, remoteRef: { key: both, property: deep.port } }
  dataFrom: [{ extract: { key: both }, rewrite: [{ regexp: { source: "^", target: "all_" } }] }]
${more}
---`;
const merged = `
apiVersion: v1
kind: Secret
metadata: { name: theirs, labels: { theirs: "yes" } }
stringData: { kept: theirs, password: theirs }
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: { name: theirs }
spec:
  refreshInterval: 1s
  secretStoreRef: { name: fake }
  target: { name: theirs, creationPolicy: Merge, deletionPolicy: Merge }
  data: [{ secretKey: password, remoteRef: { key: password } }]
---`;
const everywhere = (password: string): string =>
  `${store("ClusterSecretStore", "all", password)}
apiVersion: external-secrets.io/v1
kind: ClusterExternalSecret
metadata: { name: everywhere }
spec:
  namespaceSelectors: [{ matchLabels: { kubernetes.io/metadata.name: shop } }]
  externalSecretName: everywhere
  refreshTime: 1s
  externalSecretSpec:
    refreshInterval: 1s
    secretStoreRef: { name: all, kind: ClusterSecretStore }
    target: { name: everywhere, immutable: true }
    data: [{ secretKey: user, remoteRef: { key: user, version: v1 } }]
---`;
const pushed = `
apiVersion: external-secrets.io/v1alpha1
kind: PushSecret
metadata: { name: back }
spec:
  refreshInterval: 1h
  deletionPolicy: Delete
  secretStoreRefs: [{ name: fake }]
  selector: { secret: { name: theirs } }
  data: [{ match: { secretKey: kept, remoteRef: { remoteKey: kept } } }]
`;
const texts = `
apiVersion: v1
kind: ConfigMap
metadata: { name: texts }
data: { text: "motto: {{ .user }} at {{ .port }}" }
---`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const ready = (name: string): string => `wait --for=condition=Ready externalsecret/${name}`;
const holds = (name: string, key: string, value: string): string =>
  `wait --for=jsonpath={.data.${key}}=${base64(value)} secret/${name}`;

/** External Secrets: what becomes of Secrets as the store and what is asked of it change. */
export const externalSecrets: ForeignOperator = {
  name: "external-secrets",
  version,
  obtain,
  clusterWide: /\.external-secrets\.io$/,
  // The versions of resources.
  random: [[/^(?:External|Push)Secret\//, /^status\.syncedResourceVersion$/]],
  steps: [
    {
      name: "a store, and a secret out of it",
      apply: store("SecretStore", "fake", "hunter2") + texts + secret(),
      reached: [
        "wait --for=condition=Ready secretstore/fake",
        ready("db"),
        holds("db", "address", "admin:HUNTER2@db"),
      ],
    },
    {
      name: "what the definition refuses",
      refused: secret()
        .replace("mergePolicy: Merge", "mergePolicy: Mix")
        .replace("name: fake", "name: Fake_"),
      reached: [],
    },
    {
      name: "the store changes",
      apply: store("SecretStore", "fake", "hunter3"),
      reached: [ready("db"), holds("db", "address", "admin:HUNTER3@db")],
    },
    {
      name: "what is asked of it changes",
      apply: secret("", "{{ .all_user }}@dbs"),
      reached: [ready("db"), holds("db", "address", "other@dbs")],
    },
    {
      name: "drift",
      kubectl: [
        'patch secret/db --type=merge --patch={"data":{"password":"eA==","more":"eA=="}}',
        "label secret/db made-",
      ],
      reached: [
        holds("db", "password", "hunter3"),
        "wait --for=jsonpath={.metadata.labels.made}=here secret/db",
      ],
    },
    {
      name: "into a secret of others",
      apply: merged,
      reached: [ready("theirs"), holds("theirs", "password", "hunter3"), holds("theirs", "kept", "theirs")],
    },
    {
      name: "in every namespace that is chosen",
      apply: everywhere("hunter4"),
      reached: [
        "wait --for=condition=Ready clusterexternalsecret/everywhere",
        ready("everywhere"),
        "wait --for=jsonpath={.immutable}=true secret/everywhere",
      ],
    },
    {
      name: "back to the store",
      apply: pushed,
      reached: ["wait --for=condition=Ready pushsecret/back"],
    },
    {
      name: "what is not in the store",
      apply: secret().replace("key: password }", "key: nothing }"),
      reached: ["wait --for=condition=Ready=False externalsecret/db"],
    },
    {
      name: "delete",
      kubectl: [
        "delete pushsecret/back",
        "delete externalsecret/db externalsecret/theirs clusterexternalsecret/everywhere",
        "delete secretstore/fake clustersecretstore/all",
      ],
      reached: ["wait --for=delete secret/db secret/everywhere", "wait --for=delete externalsecrets --all"],
    },
  ],
};
