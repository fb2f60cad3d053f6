// The certificate of the embedded API server: self-signed, its own authority, valid for loopback only.
import { generate } from "selfsigned";

/** PEM texts. */
export interface ServerCertificate {
  readonly key: string;
  /** Also what clients trust. */
  readonly certificate: string;
}

/** Makes a certificate for 127.0.0.1 and localhost, valid for ten years from `now`, in milliseconds. */
export async function createServerCertificate(now: number): Promise<ServerCertificate> {
  const day = 86_400_000;
  const { private: key, cert: certificate } = await generate(
    [{ name: "commonName", value: "xstate-operator embedded cluster" }],
    {
      keyType: "ec",
      algorithm: "sha256",
      notBeforeDate: new Date(now - day),
      notAfterDate: new Date(now + 3_650 * day),
      extensions: [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", digitalSignature: true, keyCertSign: true, critical: true },
        { name: "extKeyUsage", serverAuth: true },
        {
          name: "subjectAltName",
          altNames: [
            { type: 7, ip: "127.0.0.1" },
            { type: 2, value: "localhost" },
          ],
        },
      ],
    },
  );
  return { key, certificate };
}
