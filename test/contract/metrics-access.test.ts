// Who may read /metrics over TLS, as the API server says.
import { beforeAll, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import { createMetricsAccess } from "../../src/manager/metrics-access.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";

describeOnEachApiServer(
  "the access to metrics",
  (server) => {
    let client: KubeClient;
    const clock = createVirtualClock();
    let access: ReturnType<typeof createMetricsAccess>;
    beforeAll(() => {
      client = server().client;
      access = createMetricsAccess({ client: () => client, clock });
    });
    const ask = (token: string) => access(`Bearer ${token}`, "/metrics");

    it("is for nobody without a token, nor with one that the API server does not know", async () => {
      expect(await access(undefined, "/metrics")).toBe("unauthenticated");
      expect(await access("Basic dXNlcjpwYXNz", "/metrics")).toBe("unauthenticated");
      expect(await ask("nonsense")).toBe("unauthenticated");
    });

    it("is not decided before there is a connection", async () => {
      const early = createMetricsAccess({ client: () => undefined, clock });
      expect(await early("Bearer x", "/metrics")).toBe("unknown");
    });

    it("is for a user who may do everything, and is remembered for a while", async () => {
      const connection = await loadConnection({ path: server().kubeconfig, env: {} });
      const { headers } = await connection.authenticate(0);
      const { authorization } = headers;
      if (typeof authorization !== "string") throw new Error("the kubeconfig has no token");
      expect(await access(authorization, "/metrics")).toBe("allowed");
      let asked = 0;
      const counting = createMetricsAccess({
        clock,
        client: () => {
          asked += 1;
          return client;
        },
      });
      for (let times = 0; times < 5; times += 1)
        expect(await counting(authorization, "/metrics")).toBe("allowed");
      expect(asked).toBe(1);
      await clock.advance(10_000);
      await counting(authorization, "/metrics");
      expect(asked).toBe(2);
    });

    it("is for a service account whose role says so, and for no other", async () => {
      const accounts = "/api/v1/namespaces/default/serviceaccounts";
      const rbac = "/apis/rbac.authorization.k8s.io/v1";
      const post = (path: string, body: object) => client.request({ method: "POST", path, body });
      const tokenOf = async (name: string): Promise<string> => {
        await post(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } });
        const answer = await post(`${accounts}/${name}/token`, {
          apiVersion: "authentication.k8s.io/v1",
          kind: "TokenRequest",
          spec: {},
        });
        return (answer as { readonly status: { readonly token: string } }).status.token;
      };
      const [scraper, other] = [await tokenOf("scraper"), await tokenOf("other")];
      const metadata = { name: "metrics-reader" };
      await post(`${rbac}/clusterroles`, {
        metadata,
        rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
      });
      await post(`${rbac}/clusterrolebindings`, {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "metrics-reader" },
        subjects: [{ kind: "ServiceAccount", name: "scraper", namespace: "default" }],
      });
      expect(await ask(scraper)).toBe("allowed");
      expect(await ask(other)).toBe("forbidden");
    });
  },
  { embedded: { controllers: false, rbac: true }, real: { controllers: "none" } },
);
