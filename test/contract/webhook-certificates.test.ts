// Which certificates of webhooks are trusted, on both API servers: also one that has the name of its authority.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createNamesakeCertificate } from "../support/namesake-certificate.ts";
import { admissionAnswer, startWebhookServer, type WebhookServer } from "../support/webhook-server.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const dry = "/api/v1/namespaces/trusting/configmaps?dryRun=All";
const verify = "tls: failed to verify certificate: x509:";

describeOnEachApiServer("the certificate of a webhook", (server) => {
  let client: RawClient;
  const hooks: WebhookServer[] = [];
  const send: RawClient["send"] = (...request) => client.send(...request);
  const start = async (...names: readonly string[]): Promise<WebhookServer> => {
    const hook = await startWebhookServer(
      (asked) => admissionAnswer(asked, { warnings: ["asked"] }),
      await createNamesakeCertificate(...names),
    );
    hooks.push(hook);
    return hook;
  };

  beforeAll(async () => {
    client = createRawClient(server());
    await send("POST", "/api/v1/namespaces", { metadata: { name: "trusting" } });
  });
  afterAll(async () => {
    await client.close();
    await Promise.all(hooks.map((hook) => hook.stop()));
  });

  /** What becomes of a new object once a webhook is called. */
  async function answered(
    name: string,
    clientConfig: object,
    expected: (status: number, said: string) => void,
  ): Promise<void> {
    await send("POST", configurations, {
      metadata: { name },
      webhooks: [
        {
          name: `${name}.example.com`,
          clientConfig,
          rules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
          ],
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "trusting" } },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    await eventually(async () => {
      const { status, body, headers } = await send("POST", dry, { metadata: { name: "map" } });
      expected(status, status === 201 ? String(headers["warning"]) : String(body["message"]));
    });
    await send("DELETE", `${configurations}/${name}`);
    await eventually(async () => {
      const { status, headers } = await send("POST", dry, { metadata: { name: "map" } });
      expect([status, headers["warning"]]).toEqual([201, undefined]);
    });
  }

  it("may have the name of its authority", async () => {
    const { url, caBundle } = await start();
    await answered("namesake", { url, caBundle }, (status, said) => {
      expect([status, said]).toEqual([201, '299 - "asked"']);
    });
  });

  it("may be of any of several authorities of one name", async () => {
    const [first, second] = [await start(), await start()];
    const both = [first, second].map(({ caBundle }) => Buffer.from(caBundle, "base64").toString());
    const caBundle = Buffer.from(both.join("\n")).toString("base64");
    await answered("several", { url: second.url, caBundle }, (status, said) => {
      expect([status, said]).toEqual([201, '299 - "asked"']);
    });
  });

  it("is not trusted for a name that it shares with another authority", async () => {
    const [first, second] = [await start(), await start()];
    await answered("shared", { url: first.url, caBundle: second.caBundle }, (status, said) => {
      expect(status).toBe(500);
      expect(said).toContain(`${verify} certificate signed by unknown authority`);
    });
  });

  it("must be for whoever is called, whatever its own name", async () => {
    const { url, caBundle } = await start("elsewhere.example.com");
    await answered("elsewhere", { url, caBundle }, (status, said) => {
      expect(status).toBe(500);
      expect(said).toMatch(
        /x509: cannot validate certificate for 127\.0\.0\.1 because it doesn't contain any IP SANs$/,
      );
    });
  });
});
