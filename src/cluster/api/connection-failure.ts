// Why another server could not be asked, in the words of kube-apiserver, whose client is Go's.
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { messageOf } from "../../ports/operator-error.ts";

/** What OpenSSL calls a chain of certificates that leads to no authority. */
const unknownAuthority = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_SIGNATURE_)/;
const outOfTime = /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/;
const noSuchHost = /^(?:ENOTFOUND|EAI_AGAIN)$/;

interface ConnectionError {
  readonly code?: string;
  readonly cert?: { readonly raw?: Buffer };
}

/** What was to be connected to. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
  /** Whom the certificate must be for. */
  readonly serverName: string;
}

/** Why a connection came to nothing. */
export function connectionFailure(error: unknown, { host, port, serverName }: ConnectionTarget): string {
  const { code = "", cert } = error as ConnectionError;
  const dial = dialOf(host, port);
  const verify = "tls: failed to verify certificate: x509:";
  if (code === "ECONNREFUSED") return `${dial}: connect: connection refused`;
  if (noSuchHost.test(code)) return `dial tcp: lookup ${host}: no such host`;
  if (code === "ECONNRESET" || code === "EPIPE") return "EOF";
  if (code === "EPROTO" || code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return "http: server gave HTTP response to HTTPS client";
  }
  if (unknownAuthority.test(code)) return `${verify} certificate signed by unknown authority`;
  if (outOfTime.test(code)) {
    return `${verify} certificate has expired or is not yet valid`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `${verify} ${misnamed(cert?.raw, serverName)}`;
  }
  return messageOf(error);
}

/** What was tried, as the message of its failure begins. */
export function dialOf(host: string, port: number): string {
  return `dial tcp ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function misnamed(certificate: Buffer | undefined, serverName: string): string {
  const names = certificate === undefined ? "" : (new X509Certificate(certificate).subjectAltName ?? "");
  const isAddress = isIP(serverName) !== 0;
  const wanted = isAddress ? "IP Address:" : "DNS:";
  const valid = names
    .split(", ")
    .filter((each) => each.startsWith(wanted))
    .map((each) => each.slice(wanted.length));
  if (valid.length > 0) return `certificate is valid for ${valid.join(", ")}, not ${serverName}`;
  return isAddress
    ? `cannot validate certificate for ${serverName} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${serverName}`;
}
