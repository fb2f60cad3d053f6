// Process pods at the API server as their account: the files, the variables, what the account may do, and where there is no token.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import type { Cluster } from "../../../../src/cluster/cluster.ts";
import { startCluster } from "../../../../src/cluster/start-cluster.ts";
import { Pod } from "../../../../src/kinds/builtin/core.ts";
import { clientOf } from "../../../support/api-servers.ts";
import { assets } from "../../../support/control-plane.ts";
import { eventually } from "../../../support/eventually.ts";

const namespace = "shop";
const accountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const source = (path: string) => JSON.stringify(resolve(import.meta.dirname, "../../../../src", path));

/** An operator as it would be in a pod: it finds the server by itself, and says what it may do there. */
const program = `
import { readFileSync } from "node:fs";
import { createKubeClient } from ${source("client/http-client.ts")};
import { loadConnection } from ${source("client/kube-config.ts")};
const connection = await loadConnection({ env: process.env });
const client = createKubeClient(connection, { userAgent: "in-pod" });
const ask = async (method, path, body) => {
  try {
    return (await client.request({ method, path, body })).kind;
  } catch (error) {
    return error.status;
  }
};
const space = "/api/v1/namespaces/" + connection.namespace;
const who = await client.request({ method: "POST", path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: {} });
console.log(JSON.stringify({
  namespace: connection.namespace,
  server: connection.server === "https://" + process.env.KUBERNETES_SERVICE_HOST + ":" + process.env.KUBERNETES_SERVICE_PORT_HTTPS,
  user: who.status.userInfo.username,
  pod: who.status.userInfo.extra["authentication.kubernetes.io/pod-name"],
  maps: await ask("GET", space + "/configmaps"),
  secrets: await ask("GET", space + "/secrets"),
  file: readFileSync(process.argv[2], "utf8").split(".").length,
}));
await client.close();
`;

describe("process pods at the API server", () => {
  let folder: string;
  let cluster: Cluster;
  let client: KubeClient;
  const post = (path: string, body: object) => client.request({ method: "POST", path, body });
  const run = (name: string, script: string, spec: object = {}, container: object = {}, space = namespace) =>
    client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: space },
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "main", image: "none", command: ["sh", "-c", script], ...container }],
        ...spec,
      },
    });
  const saidBy = async (name: string, space = namespace): Promise<string> => {
    await eventually(async () => {
      expect((await client.get(Pod, { namespace: space, name })).status?.phase).toMatch(/Succeeded|Failed/);
    });
    const path = `/api/v1/namespaces/${space}/pods/${name}/log`;
    return String(await client.request({ method: "GET", path })).trim();
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "account-access-"));
    writeFileSync(join(folder, "operator.mjs"), program);
    cluster = await startCluster({ directory: join(folder, "cluster"), pods: "process", rbac: true });
    client = await clientOf(cluster.kubeconfig);
    const space = `/api/v1/namespaces/${namespace}`;
    const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
    await post("/api/v1/namespaces", { metadata: { name: namespace } });
    await post(`${space}/serviceaccounts`, { metadata: { name: "reader" } });
    await post(`${roles}/roles`, {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    });
    await post(`${roles}/rolebindings`, {
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace }],
    });
    await eventually(() => client.request({ method: "GET", path: `${space}/serviceaccounts/default` }));
  });
  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("act as their account, within its roles", async () => {
    const command = [process.execPath, join(folder, "operator.mjs"), `${accountPath}/token`];
    await run("operator", "", { serviceAccountName: "reader" }, { command });
    expect(JSON.parse(await saidBy("operator"))).toEqual({
      namespace,
      server: true,
      user: `system:serviceaccount:${namespace}:reader`,
      pod: ["operator"],
      maps: "ConfigMapList",
      secrets: 403,
      file: 3,
    });
  });

  it("know the server, and have no kubeconfig, where no token is mounted", async () => {
    const script = 'echo "$KUBERNETES_SERVICE_HOST ${KUBECONFIG-none}"; ls -a $HOME';
    await run("quiet", script, { automountServiceAccountToken: false });
    expect(await saidBy("quiet")).toBe("127.0.0.1 none\n.\n..\ntmp");
  });

  it("follow a kubeconfig of their own", async () => {
    await run("own", "echo $KUBECONFIG", {}, { env: [{ name: "KUBECONFIG", value: "/my/own" }] });
    expect(await saidBy("own")).toBe("/my/own");
  });

  it("get tokens for others in projected volumes", async () => {
    const sources = [
      { serviceAccountToken: { path: "deep/vault", audience: "vault", expirationSeconds: 600 } },
    ];
    const volumeMounts = [{ name: "tokens", mountPath: "/tokens" }];
    const volumes = [{ name: "tokens", projected: { sources } }];
    await run("vault", "cat /tokens/deep/vault", { volumes }, { volumeMounts });
    const [, claims = ""] = (await saidBy("vault")).split(".");
    expect(JSON.parse(Buffer.from(claims, "base64url").toString("utf8"))).toMatchObject({
      aud: ["vault"],
      sub: `system:serviceaccount:${namespace}:default`,
      "kubernetes.io": { namespace, pod: { name: "vault" }, serviceaccount: { name: "default" } },
    });
  });

  it("have files that nobody but their user reads", async () => {
    await run("private", 'echo "$KUBECONFIG"; sleep 60', { terminationGracePeriodSeconds: 0 });
    const path = await eventually(async () => {
      const log = `/api/v1/namespaces/${namespace}/pods/private/log`;
      const said = String(await client.request({ method: "GET", path: log })).trim();
      expect(said).not.toBe("");
      return said;
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const tokenFile = /tokenFile: (.*)/.exec(readFileSync(path, "utf8"))?.[1] ?? "";
    expect(statSync(join(tokenFile, "..")).mode & 0o777).toBe(0o700);
    await client.delete(Pod, { namespace, name: "private" });
    await eventually(() => expect(() => statSync(path)).toThrow());
  });

  it.skipIf(assets === undefined)(
    "are known to kubectl without being told (skipped: KUBEBUILDER_ASSETS is not set)",
    async () => {
      const command = [join(assets ?? "", "kubectl"), "auth", "whoami"];
      await run("kubectl", "", { serviceAccountName: "reader" }, { command });
      expect(await saidBy("kubectl")).toMatch(/Username +system:serviceaccount:shop:reader/);
    },
  );

  it("have the authority of the server in a namespace in which it is not published yet", async () => {
    const user = "system:kube-controller-manager";
    cluster.faults.refuse({ verb: "create", plural: "configmaps", user }, { status: 503 });
    await post("/api/v1/namespaces", { metadata: { name: "early" } });
    await eventually(() =>
      client.request({ method: "GET", path: "/api/v1/namespaces/early/serviceaccounts/default" }),
    );
    await run("early", `cat ${accountPath}/ca.crt ${accountPath}/namespace`, {}, {}, "early");
    expect(await saidBy("early", "early")).toMatch(
      /^-----BEGIN CERTIFICATE-----[^]*-----END CERTIFICATE-----\s*early$/,
    );
  });
});
