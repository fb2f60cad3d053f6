// The certificate that /metrics is served with: files that somebody rotates, or one of our own that nobody can check.
import { readFile } from "node:fs/promises";
import { messageOf, OperatorError } from "../ports/operator-error.ts";

/** A certificate and its key, in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Where the two are. */
export interface CertificateFiles {
  /** Path of the certificate in PEM. */
  readonly cert: string;
  /** Path of its private key in PEM. */
  readonly key: string;
}

/** Reads the files. Errors: `CERTIFICATE_UNREADABLE`. */
export async function readCertificate(files: CertificateFiles): Promise<ServingCertificate> {
  const read = async (file: string): Promise<string> => {
    try {
      return await readFile(file, "utf8");
    } catch (error) {
      throw new OperatorError("CERTIFICATE_UNREADABLE", `${file} cannot be read: ${messageOf(error)}`, {
        cause: error,
        fields: { file },
        remedy:
          "Mount the Secret with the certificate (tls.crt and tls.key), or leave both out for one that signs itself.",
      });
    }
  };
  return { cert: await read(files.cert), key: await read(files.key) };
}

/** Makes a certificate that signs itself, valid for a year from `now`, in milliseconds: readers must not check it. */
export async function makeCertificate(now: number): Promise<ServingCertificate> {
  const { generate } = await import("selfsigned");
  const day = 86_400_000;
  const made = await generate([{ name: "commonName", value: "xstate-operator metrics" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - day),
    notAfterDate: new Date(now + 365 * day),
  });
  return { cert: made.cert, key: made.private };
}
