// Connections whose other end is verified as Go does it, which looks among the authorities for who has signed a certificate. OpenSSL takes
// a certificate for one that has signed itself where it has the name of its authority and says nothing of keys: webhooks on Knative's
// library make such ones.
import { X509Certificate } from "node:crypto";
import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import { checkServerIdentity, connect, type ConnectionOptions, type TLSSocket } from "node:tls";

/** Milliseconds in which the two ends have to agree, as in Go's transports for Kubernetes. */
const longestHandshake = 10_000;
const looksSelfSigned = "DEPTH_ZERO_SELF_SIGNED_CERT";
const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

type Connected = (error: Error | null, socket: Duplex) => void;

/** An agent of HTTPS with an authority of its own, or with those that the process trusts. Nothing is sent before the other end is verified. */
export class VerifyingAgent extends Agent {
  readonly #authorities: readonly X509Certificate[];

  /** Options as of any agent; `ca` is text in PEM. */
  constructor(options: AgentOptions & { readonly ca?: string }) {
    super(options);
    this.#authorities = readable(options.ca ?? "");
  }

  /** Connects; the other end is verified before the connection is given to whoever has asked for it. */
  override createConnection(options: RequestOptions, connected?: Connected): Duplex | null | undefined {
    if (options.rejectUnauthorized === false || connected === undefined) {
      return super.createConnection(options, connected);
    }
    const socket = connect({
      ...(options as ConnectionOptions),
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    const { signal } = options;
    const settled = (error: Error | null): void => {
      late.removeEventListener("abort", tooLate);
      socket.off("error", settled);
      socket.off("secureConnect", verified);
      signal?.removeEventListener("abort", aborted);
      if (error !== null) {
        socket.on("error", () => undefined);
        socket.destroy();
      }
      connected(error, socket);
    };
    const aborted = (): void => settled(signal?.reason as Error);
    const verified = (): void => settled(this.#faultOf(socket, options));
    const late = AbortSignal.timeout(longestHandshake);
    const tooLate = (): void => settled(new Error("net/http: TLS handshake timeout"));
    late.addEventListener("abort", tooLate);
    socket.on("error", settled);
    socket.on("secureConnect", verified);
    signal?.addEventListener("abort", aborted);
    return undefined;
  }

  /** Why the other end is not the one that was meant. */
  #faultOf(socket: TLSSocket, { servername, host }: RequestOptions): Error | null {
    const certificate = socket.getPeerX509Certificate();
    const code = socket.authorized ? undefined : String(socket.authorizationError);
    if (
      certificate === undefined ||
      (code !== undefined && !(code === looksSelfSigned && this.#isSigned(certificate)))
    ) {
      return Object.assign(new Error(code), { code });
    }
    const name = servername === undefined || servername === "" ? (host ?? "localhost") : servername;
    return checkServerIdentity(name, certificate.toLegacyObject()) ?? null;
  }

  #isSigned(certificate: X509Certificate): boolean {
    return this.#authorities.some(
      (authority) =>
        authority.ca &&
        isInTime(authority) &&
        isInTime(certificate) &&
        certificate.checkIssued(authority) &&
        certificate.verify(authority.publicKey),
    );
  }
}

function isInTime({ validFromDate, validToDate }: X509Certificate): boolean {
  const now = new Date();
  return validFromDate <= now && now <= validToDate;
}

/** The certificates of a text in PEM that can be read. */
function readable(text: string): readonly X509Certificate[] {
  return (text.match(certificates) ?? []).flatMap((each) => {
    try {
      return [new X509Certificate(each)];
    } catch {
      return [];
    }
  });
}
