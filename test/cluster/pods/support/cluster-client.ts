// A client of a cluster's kubeconfig, for processes without a test runner.
import { createKubeClient } from "../../../../src/client/http-client.ts";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import { loadConnection } from "../../../../src/client/kube-config.ts";

export async function clientOf(kubeconfig: string): Promise<KubeClient> {
  return createKubeClient(await loadConnection({ path: kubeconfig, env: {} }), { userAgent: "test" });
}
