// The certificates of the embedded API server: an authority made for this start only, and the server's own, for loopback.
// They are two because strict clients (rustls) refuse a server that presents the certificate of an authority.

/** PEM texts. */
export interface ServerCertificate {
  readonly key: string;
  readonly certificate: string;
  /** The authority that signed it, which is what clients trust. Its key is not kept. */
  readonly authority: string;
}

/** Makes a certificate for 127.0.0.1 and localhost, valid for ten years from `now`, in milliseconds. */
export async function createServerCertificate(now: number): Promise<ServerCertificate> {
  // Dear to load, and not needed where a certificate was kept.
  const { generate } = await import("selfsigned");
  const day = 86_400_000;
  const common = {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(now - day),
    notAfterDate: new Date(now + 3_650 * day),
  } as const;
  const authority = await generate([{ name: "commonName", value: "xstate-operator embedded cluster CA" }], {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: "commonName", value: "xstate-operator embedded cluster" }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 7, ip: "127.0.0.1" },
          { type: 2, value: "localhost" },
        ],
      },
    ],
  });
  return { key: server.private, certificate: server.cert, authority: authority.cert };
}
