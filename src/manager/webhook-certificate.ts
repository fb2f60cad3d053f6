// Where the certificate of the webhooks comes from: made and renewed by the replicas together, or files that somebody else rotates.
import { createSecureContext } from "node:tls";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import type { KeyPair } from "../webhook/certificates.ts";
import { readCertificate } from "./serving-certificate.ts";

/** What is served, and what callers are to trust. */
export interface WebhookCertificate {
  readonly serving: KeyPair;
  /** In PEM; absent where that is not this process's to say. */
  readonly authorities?: string;
}

/** Asked again and again; answers what is to be served now. */
export type CertificateSource = (signal: AbortSignal) => Promise<WebhookCertificate>;

/** The files of a mounted Secret: tls.crt, tls.key and, where there is one, ca.crt. Errors: `CERTIFICATE_UNREADABLE`. */
export function certificateFolder(folder: string): CertificateSource {
  return async () => {
    const serving = await readCertificate({ cert: join(folder, "tls.crt"), key: join(folder, "tls.key") });
    try {
      createSecureContext(serving);
    } catch (error) {
      throw new OperatorError(
        "CERTIFICATE_UNREADABLE",
        `${folder} has no certificate that can be served: ${messageOf(error)}`,
        { cause: error, fields: { folder }, remedy: "Put a certificate and its own key there, in PEM." },
      );
    }
    const authorities = await readFile(join(folder, "ca.crt"), "utf8").catch(() => undefined);
    return { serving, ...(authorities === undefined ? {} : { authorities }) };
  };
}
