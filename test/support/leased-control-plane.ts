// A real control plane for one test file, lent by shared-control-planes.ts.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { inject } from "vitest";
import {
  auditedSince,
  auditedSoFar,
  kubeconfigFor,
  kubeconfigOf,
  type AuditedRequest,
  type ControlPlaneAccess,
} from "./control-plane-access.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";
import type { LeaseRequest } from "./shared-control-planes.ts";

/** A control plane that nobody else uses meanwhile. */
export interface LeasedControlPlane {
  readonly url: string;
  /** Kubeconfig file of the administrator. */
  readonly kubeconfig: string;
  /** A kubeconfig file for the user `stranger`, who has no rights until RBAC grants some. */
  readonly strangersKubeconfig: string;
  /** A kubeconfig file for a bearer token, for instance of a service account. */
  kubeconfigFor(name: string, token: string): string;
  /** The requests answered so far; those of administrators and system components are left out. */
  audit(): readonly AuditedRequest[];
  /** Stops kube-apiserver (SIGTERM, or SIGKILL) and starts it again on the same port and data. */
  restartApiServer(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Kills kube-controller-manager and starts it again. */
  restartControllers(): Promise<void>;
  /** Copies what etcd has on its disk; the API server is down meanwhile. */
  backUp(): Promise<void>;
  /** Sets etcd back to its backup, and starts the API server again on it. */
  restore(): Promise<void>;
  /** Gives it back: all that was stored in it is gone then. */
  stop(): Promise<void>;
}

/** Waits for a control plane: some 7 s for a new one. */
export async function leaseControlPlane(options: ControlPlaneOptions = {}): Promise<LeasedControlPlane> {
  const socket = connect(inject("controlPlanes"));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const ask = async (request: LeaseRequest): Promise<unknown> => {
    socket.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error("no control planes are lent any more");
    const answer = JSON.parse(value) as { readonly result?: unknown; readonly error?: string };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  };
  const access = (await ask({ kind: "lease", options })) as ControlPlaneAccess;
  const audited = auditedSoFar(access);
  return {
    url: access.url,
    kubeconfig: kubeconfigOf(access, "admin"),
    strangersKubeconfig: kubeconfigOf(access, "stranger"),
    kubeconfigFor: (name, token) => kubeconfigFor(access, name, token),
    audit: () => auditedSince(access, audited),
    async restartApiServer(signal = "SIGTERM") {
      await ask({ kind: "restartApiServer", signal });
    },
    async restartControllers() {
      await ask({ kind: "restartControllers" });
    },
    async backUp() {
      await ask({ kind: "backUp" });
    },
    async restore() {
      await ask({ kind: "restore" });
    },
    stop: () => new Promise((resolve) => socket.end(resolve)),
  };
}
