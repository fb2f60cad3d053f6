import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createServerCertificate } from "../../../../src/cluster/api/http/tls.ts";

describe("the server's certificate", () => {
  it("is signed by an authority and is none itself, which strict clients insist on", async () => {
    const { certificate, authority, key } = await createServerCertificate(Date.now(), ["kubernetes"]);
    const [server, signer] = [new X509Certificate(certificate), new X509Certificate(authority)];
    expect(signer.ca).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkIssued(signer)).toBe(true);
    expect(server.verify(signer.publicKey)).toBe(true);
    expect(signer.verify(signer.publicKey)).toBe(true);
    expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(server.checkIP("127.0.0.1")).toBe("127.0.0.1");
    for (const name of ["localhost", "kubernetes"]) {
      expect(server.checkHost(name)).toBe(name);
    }
    for (const pem of [certificate, authority, key]) expect(pem).toMatch(/-----\n$/);
    expect(server.serialNumber).not.toBe(signer.serialNumber);
    expect(key).not.toContain("CERTIFICATE");
  });

  it("is another one at every start", async () => {
    const [one, two] = await Promise.all([createServerCertificate(0), createServerCertificate(0)]);
    expect(new X509Certificate(one.certificate).verify(new X509Certificate(two.authority).publicKey)).toBe(
      false,
    );
  });
});
