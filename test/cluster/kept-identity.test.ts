import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { newIdentity } from "../../src/cluster/kept-identity.ts";

it("is known by each name of the Service kubernetes", async () => {
  const { certificate } = await newIdentity(Date.now());
  const server = new X509Certificate(certificate.certificate);
  const inDefault = "kubernetes.default";
  for (const name of ["kubernetes", inDefault, `${inDefault}.svc`, `${inDefault}.svc.cluster.local`]) {
    expect(server.checkHost(name)).toBe(name);
  }
});
