// Turns "no answer" into one sentence: which server, from which file, what went wrong, and what to do.
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { Connection } from "./connection.ts";
import { describeProxy } from "./proxy.ts";

/** A word for a network failure and the remedy, by error code of Node or undici. */
const failures: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ECONNREFUSED: [
    "the connection was refused: nothing listens on that address",
    "Start the cluster, or choose another context.",
  ],
  ENOTFOUND: ["the host name does not resolve", "Check the server's name and your network or VPN."],
  EAI_AGAIN: [
    "the host name could not be resolved temporarily",
    "Check DNS and your network, then try again.",
  ],
  ETIMEDOUT: [
    "the connection attempt timed out",
    "Check that the address is right and that no firewall is in between.",
  ],
  UND_ERR_CONNECT_TIMEOUT: [
    "the connection attempt timed out",
    "Check that the address is right and that no firewall is in between.",
  ],
  EHOSTUNREACH: ["there is no route to the host", "Check your network or VPN."],
  ENETUNREACH: ["the network is unreachable", "Check your network or VPN."],
  ECONNRESET: [
    "the connection was reset",
    "Try again; if it persists, check the server and any proxies in between.",
  ],
  EPIPE: [
    "the connection was closed",
    "Try again; if it persists, check the server and any proxies in between.",
  ],
  UND_ERR_SOCKET: [
    "the connection was closed before the answer was complete",
    "Try again; if it persists, check the server and any proxies in between.",
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    "the server does not speak TLS on that port",
    "Use http:// in the kubeconfig, or the port that serves HTTPS.",
  ],
};

const hangUps: Readonly<Record<string, true>> = { ECONNRESET: true, EPIPE: true, UND_ERR_SOCKET: true };

/** Verification results of Node's TLS: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const certificateFailures: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its root is not trusted",
  UNABLE_TO_GET_ISSUER_CERT: "its issuer is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its issuer is unknown",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "it is not signed by a trusted authority",
  CERT_SIGNATURE_FAILURE: "its signature does not match the trusted authority",
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another host name",
};

/** The error for a request that got no answer. */
export function toConnectionError(error: unknown, connection: Connection, request: string): OperatorError {
  const code = codeOf(error);
  const { proxy } = connection;
  const way = proxy === undefined ? "" : ` through the proxy ${describeProxy(proxy)}`;
  const where = `${connection.server} (${connection.source})${way}`;
  const fields = { server: connection.server, source: connection.source, request, network: code };
  const certificate = certificateFailures[code];
  if (certificate !== undefined) {
    return new OperatorError(
      "CONNECTION_FAILED",
      `${request}: the certificate of ${where} is not accepted: ${certificate}; it was checked against ${connection.trust}`,
      {
        cause: error,
        fields,
        remedy:
          code === "ERR_TLS_CERT_ALTNAME_INVALID"
            ? "Use the name in the certificate, or set tls-server-name on the cluster."
            : "Use the kubeconfig that belongs to this cluster, or correct its certificate-authority.",
      },
    );
  }
  const [what, remedy] = throughProxy(error, code, connection) ??
    plainToTls(code, connection) ??
    failures[code] ?? [messageOf(error), "Check that the server is up and the address right."];
  return new OperatorError("CONNECTION_FAILED", `${request}: cannot reach ${where}: ${what}`, {
    cause: error,
    fields,
    remedy,
  });
}

/** With a proxy in between, it is the proxy that does not answer or refuses. */
function throughProxy(
  error: unknown,
  code: string,
  { proxy }: Connection,
): readonly [what: string, remedy: string] | undefined {
  if (proxy === undefined) return undefined;
  const remedy = `Check ${proxy.source}; a server that is reached directly belongs into NO_PROXY.`;
  const [, status] = /Proxy response \((\d+)\)/.exec(deepestMessage(error)) ?? [];
  if (status === "407")
    return ["the proxy asks for credentials (407)", `Put user and password into the proxy's URL. ${remedy}`];
  if (status !== undefined) return [`the proxy refused the connection (${status})`, remedy];
  if (code.startsWith("UND_ERR_SOCKS5_AUTH")) {
    return [
      "the proxy does not take the credentials",
      `Put user and password into the proxy's URL. ${remedy}`,
    ];
  }
  if (code.startsWith("UND_ERR_SOCKS5"))
    return [`the proxy refused the connection (${messageOf(error)})`, remedy];
  const [what] = failures[code] ?? [];
  return what === undefined ? undefined : [what, remedy];
}

function deepestMessage(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? `${error.message} ${deepestMessage(error.cause)}`
    : messageOf(error);
}

/** A server that speaks TLS hangs up on plain HTTP, or answers with an alert that is no HTTP. */
function plainToTls(
  code: string,
  { server }: Connection,
): readonly [what: string, remedy: string] | undefined {
  const hungUp = hangUps[code] === true || code.startsWith("HPE_");
  if (!server.startsWith("http:") || !hungUp) return undefined;
  return [
    "the server closed the plain HTTP connection",
    "Use https:// in the kubeconfig if that port serves TLS; otherwise check the server and any proxies in between.",
  ];
}

/** The code of an error or of what caused it; several addresses tried fail as one AggregateError. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code !== "" && (failures[code] !== undefined || certificateFailures[code] !== undefined)) return code;
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  return (inner === undefined ? "" : codeOf(inner)) || code;
}
