// A certificate that has the name of its authority, and says nothing of keys, as Knative's library makes them for webhooks.
import { generate } from "selfsigned";
import type { SignedCertificate } from "../../src/cluster/api/http/tls.ts";

const name = [{ name: "commonName", value: "namesake" }];
const day = 86_400_000;

/** Makes one for names, or for 127.0.0.1. */
export async function createNamesakeCertificate(...names: readonly string[]): Promise<SignedCertificate> {
  const common = {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - day),
    notAfterDate: new Date(Date.now() + day),
  } as const;
  const authority = await generate(name, {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, digitalSignature: true, critical: true },
    ],
  });
  const signed = await generate(name, {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames:
          names.length === 0 ? [{ type: 7, ip: "127.0.0.1" }] : names.map((value) => ({ type: 2, value })),
      },
    ],
  });
  return { key: signed.private, certificate: signed.cert, authority: authority.cert };
}
