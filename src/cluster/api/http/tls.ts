// The certificates of the embedded API server: an authority and the server's own, for loopback, and those by which other API servers know
// it. They are two each because strict clients (rustls) refuse a server that presents the certificate of an authority.
import type { SelfsignedOptions } from "selfsigned";

/** PEM texts. */
export interface SignedCertificate {
  readonly key: string;
  readonly certificate: string;
  /** The authority that signed it, which is what is trusted. Its key is not kept. */
  readonly authority: string;
}

/** Makes a certificate for 127.0.0.1, localhost and other names, valid for ten years from `now`, in milliseconds. */
export function createServerCertificate(
  now: number,
  names: readonly string[] = [],
): Promise<SignedCertificate> {
  return createSigned(now, "xstate-operator embedded cluster CA", "xstate-operator embedded cluster", [
    { name: "extKeyUsage", serverAuth: true },
    {
      name: "subjectAltName",
      altNames: [
        { type: 7, ip: "127.0.0.1" },
        ...["localhost", ...names].map((value) => ({ type: 2, value }) as const),
      ],
    },
  ]);
}

/** The name by which other API servers know this one. */
export const frontProxyName = "front-proxy-client";

/** Makes the certificate with which this server passes requests on, as valid as the other one. */
export function createFrontProxyCertificate(now: number): Promise<SignedCertificate> {
  const usage = { name: "extKeyUsage", clientAuth: true } as const;
  return createSigned(now, "xstate-operator front proxy CA", frontProxyName, [usage]);
}

/** What a certificate may be used for, in the words of the package that makes it. */
type CertificateExtensions = NonNullable<SelfsignedOptions["extensions"]>;

async function createSigned(
  now: number,
  authorityName: string,
  name: string,
  extensions: CertificateExtensions,
): Promise<SignedCertificate> {
  // Dear to load, and not needed where a certificate was kept.
  const { generate } = await import("selfsigned");
  const day = 86_400_000;
  const common = {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - day),
    notAfterDate: new Date(now + 3_650 * day),
  } as const;
  const authority = await generate([{ name: "commonName", value: authorityName }], {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const signed = await generate([{ name: "commonName", value: name }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      ...extensions,
    ],
  });
  return {
    key: wholeLines(signed.private),
    certificate: wholeLines(signed.cert),
    authority: wholeLines(authority.cert),
  };
}

/** With its last line ended: authorities are put into one file behind each other. */
function wholeLines(pem: string): string {
  return `${pem.trimEnd()}\n`;
}
