// Probes over the network: an HTTP request or a TCP connection to a pod's address.
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Container, Probe } from "../../../kinds/builtin/parts.ts";
import { portNumberOf } from "../pod-state.ts";

/** Whether the answer's status is 2xx or 3xx, as the kubelet counts it. Errors reject. */
export function checkHttp(
  action: NonNullable<Probe["httpGet"]>,
  container: Container,
  podIP: string,
  signal: AbortSignal,
): Promise<boolean> {
  const port = portNumberOf([container], action.port);
  if (port === undefined) return Promise.resolve(false);
  const send = action.scheme === "HTTPS" ? httpsRequest : httpRequest;
  const headers = Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: action.host ?? podIP,
        port,
        path: action.path ?? "/",
        headers: { "user-agent": "kube-probe/xstate-operator", ...headers },
        agent: false,
        // As in Kubernetes: a probe does not verify certificates.
        rejectUnauthorized: false,
        signal,
      },
      (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        resolve(status >= 200 && status < 400);
      },
    );
    request.once("error", reject);
    request.end();
  });
}

/** Whether a connection can be opened. */
export function checkTcp(
  action: NonNullable<Probe["tcpSocket"]>,
  container: Container,
  podIP: string,
  signal: AbortSignal,
): Promise<boolean> {
  const port = portNumberOf([container], action.port);
  if (port === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host: action.host ?? podIP, port, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
