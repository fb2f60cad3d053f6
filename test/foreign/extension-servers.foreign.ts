// Extension API servers that others wrote, unchanged, behind APIServices: each is started for the embedded cluster and for a real control
// plane, the same is asked of it through both with kubectl, and the answers have to be the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assets } from "../support/control-plane.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { describeOnRealApiServer } from "../support/real-api-server.ts";
import { home, startEmbedded, startReal, type ClusterForOperator } from "../support/side-by-side.ts";
import { accountFlags, extensionServerAccount } from "./extension-server-account.ts";
import { buildGoModule, hasGo } from "./go-program.ts";
import { KubectlTranscript } from "./kubectl-transcript.ts";
import { startProgram, type RunningProgram } from "./running-program.ts";

const version = "v0.36.1";
const group = "wardle.example.com";

/** What sample-apiserver may read: its own role lacks the newest policies. */
const account = `
${extensionServerAccount("wardle")}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: wardle-mutating-policies }
rules:
  - apiGroups: [admissionregistration.k8s.io]
    resources: [mutatingadmissionpolicies, mutatingadmissionpolicybindings]
    verbs: [get, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: wardle-mutating-policies }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: wardle-mutating-policies }
subjects: [{ kind: ServiceAccount, name: operator, namespace: ${home} }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: wardle }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: aggregated-apiserver-clusterrole }
subjects: [{ kind: ServiceAccount, name: operator, namespace: ${home} }]
`;

const apiServices = (port: number): string =>
  ["v1alpha1", "v1beta1"]
    .map(
      (each) => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${each}.${group} }
spec:
  group: ${group}
  version: ${each}
  groupPriorityMinimum: 1000
  versionPriority: 15
  insecureSkipTLSVerify: true
  service: { name: wardle, namespace: ${home}, port: ${port} }
---`,
    )
    .join("");

const service = (port: number): string => `
apiVersion: v1
kind: Service
metadata: { name: wardle, namespace: ${home} }
spec: { type: ExternalName, externalName: localhost, ports: [{ port: ${port} }] }
`;

const flunder = `
apiVersion: ${group}/v1beta1
kind: Flunder
metadata: { name: one, labels: { team: blue } }
spec: { flunderReference: two, referenceType: Flunder }
`;
const fischer = `
apiVersion: ${group}/v1alpha1
kind: Fischer
metadata: { name: bobby }
disallowedFlunders: [banned]
`;
const stranger = ["--as=jane", "--as-group=system:authenticated"];

/** What is asked, one after the other; of a command with an input, that is what it reads. */
const commands: readonly (readonly [command: string, input?: string])[] = [
  [`get apiservices v1alpha1.${group} v1beta1.${group}`],
  [`api-resources --api-group=${group} --no-headers`],
  ["api-versions"],
  [`get --raw /apis/${group}`],
  [`get --raw /apis/${group}/v1alpha1`],
  ["explain flunders.spec"],
  ["apply --filename -", flunder],
  ["apply --filename -", flunder.replace("blue", "red")],
  ["apply --server-side --force-conflicts --filename -", flunder.replace("blue", "green")],
  ["get flunders --output=custom-columns=NAME:.metadata.name,TEAM:.metadata.labels.team,OF:.spec"],
  ["get flunders --show-labels --no-headers"],
  ["label flunder/one seen=yes"],
  ["get flunders.v1alpha1.wardle.example.com one --output=jsonpath={.spec}"],
  ["get --raw /apis/wardle.example.com/v1beta1/namespaces/shop/flunders?limit=1&labelSelector=seen"],
  ["wait flunder/one --for=jsonpath={.spec.flunderReference}=two --timeout=10s"],
  ["create --filename -", fischer],
  ["create --filename - --validate=strict", flunder.replace("spec:", "specs:")],
  ["get fischers --output=name"],
  [`auth can-i list flunders.${group} ${stranger.join(" ")}`],
  [`get flunders ${stranger.join(" ")}`],
  ["create clusterrole flunder-reader --verb=get,list --resource=flunders.wardle.example.com"],
  ["create rolebinding jane --clusterrole=flunder-reader --user=jane"],
  [`auth can-i list flunders.${group} ${stranger.join(" ")}`],
  [`get flunders --output=name ${stranger.join(" ")}`],
  [`delete flunder/one ${stranger.join(" ")}`],
  ["create --filename -", flunder.replace("one", "banned")],
  ["delete flunder/one fischer/bobby"],
  ["get flunders"],
];

if (!hasGo()) console.log("skipped: extension API servers: there is no Go toolchain (go version fails)");

describeOnRealApiServer("sample-apiserver behind the embedded cluster and", () => {
  const built = hasGo()
    ? buildGoModule("sample-apiserver", `k8s.io/sample-apiserver@${version}`, ".")
    : { failure: "there is no Go toolchain" };
  if ("failure" in built) console.log(`skipped: sample-apiserver: ${built.failure}`);

  describe.skipIf("failure" in built)(version, () => {
    let clusters: readonly ClusterForOperator[] = [];
    const folder = mkdtempSync(join(tmpdir(), "extension-servers-"));
    const running: RunningProgram[] = [];

    beforeAll(async () => {
      if ("failure" in built) return;
      clusters = await Promise.all([startEmbedded(), startReal()]);
      await Promise.all(
        clusters.map(async (cluster) => {
          const [etcd, port] = [await freePort(2), await freePort()];
          const files = join(folder, cluster.name);
          const store = `http://127.0.0.1:${etcd}`;
          running.push(
            startProgram(join(assets ?? "", "etcd"), [
              `--data-dir=${files}/etcd`,
              "--unsafe-no-fsync",
              `--listen-client-urls=${store}`,
              `--advertise-client-urls=${store}`,
              `--listen-peer-urls=http://127.0.0.1:${etcd + 1}`,
            ]),
          );
          const roles = join(built.folder, "artifacts/example/rbac.yaml");
          await cluster.kubectl(["apply", "--filename", roles]);
          await cluster.kubectl(["apply", "--filename", "-"], account);
          await cluster.kubectl(["apply", "--filename", "-"], service(port));
          running.push(
            startProgram(built.files[0] ?? "", [
              ...accountFlags(cluster.kubeconfig, "kubeconfig"),
              `--etcd-servers=${store}`,
              "--bind-address=127.0.0.1",
              `--secure-port=${port}`,
              `--cert-dir=${files}/certificates`,
            ]),
          );
          await cluster.kubectl(["apply", "--filename", "-"], apiServices(port));
          for (const each of ["v1alpha1", "v1beta1"]) {
            const available = `wait --for=condition=Available --timeout=120s apiservice/${each}.${group}`;
            await cluster.kubectl(available.split(" ")).catch((error: unknown) => {
              throw new Error(running.map(({ said }) => said()).join("\n"), { cause: error });
            });
          }
          await eventually(async () => {
            expect(await cluster.kubectl(["explain", "flunders"])).toContain("KIND:");
          }, 120_000);
        }),
      );
    });
    afterAll(async () => {
      await Promise.all(running.map(({ stop }) => stop()));
      await Promise.all(clusters.map((cluster) => cluster.stop()));
      rmSync(folder, { recursive: true, force: true });
    });

    it("answers kubectl the same through both", async () => {
      const [embedded, real] = await Promise.all(
        clusters.map(async (cluster) => {
          const transcript = new KubectlTranscript(cluster);
          for (const [command, input] of commands) await transcript.say(command, input);
          return transcript.lines;
        }),
      );
      expect(embedded).toEqual(real);
      expect(embedded?.join("\n")).toContain("flunder.wardle.example.com/one created");
    });
  });
});
