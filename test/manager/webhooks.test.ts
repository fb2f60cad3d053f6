// The webhooks of one process: where their certificate comes from, and what is put right while they are served.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isNotFound } from "../../src/client/api-error.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { startCluster } from "../../src/cluster/start-cluster.ts";
import type { Cluster } from "../../src/cluster/cluster.ts";
import { admissionConfigurationsOf } from "../../src/delivery/webhooks.ts";
import { ValidatingWebhookConfiguration } from "../../src/kinds/builtin/admissionregistration.ts";
import { Secret } from "../../src/kinds/builtin/core.ts";
import { startWebhooks, type WebhookParts } from "../../src/manager/webhooks.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { silentLogger, type Logger } from "../../src/ports/logger.ts";
import { silentMetrics } from "../../src/ports/metrics.ts";
import { noSecrets } from "../../src/ports/secret-keeper.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { renewed } from "../../src/webhook/certificates.ts";
import { clientOf } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { accessIn } from "../support/generated-access.ts";
import { callWebhook } from "../webhook/webhook-call.ts";
import operator from "../webhook/volume-operator.ts";

// What is looked after every ten or sixty seconds is so many times a second; reviews keep their limits.
const clock: Clock = {
  ...systemClock,
  setTimeout: (callback, milliseconds) =>
    systemClock.setTimeout(
      callback,
      [60_000, 10_000, 5_000, 3_000, 2_000].includes(milliseconds) ? 50 : milliseconds,
    ),
};

describe("webhooks", () => {
  let cluster: Cluster;
  let client: KubeClient;
  beforeAll(async () => {
    cluster = await startCluster({ controllers: false });
    client = await clientOf(cluster.kubeconfig);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  async function start(options: WebhookParts["options"]) {
    const [lines, told]: [string[], string[]] = [[], []];
    const served = Promise.withResolvers<number>();
    const log: Logger = {
      ...silentLogger,
      info: ({ port }, message) => {
        if (message === "webhooks served") served.resolve(Number(port));
        else told.push(message);
      },
      warn: (_fields, message) => lines.push(message),
    };
    const { signal } = new AbortController();
    const parts = { definition: operator, client, namespace: "default", metrics: silentMetrics };
    const webhooks = await startWebhooks({ ...parts, clock, log, secrets: noSecrets, signal, options });
    onTestFinished(() => webhooks?.close());
    return { webhooks, lines, told, port: webhooks === undefined ? 0 : await served.promise };
  }

  const validate = { path: "/validate/volumes.storage.example.com", body: {} };
  const bundle = async (): Promise<string> => {
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "volumes" });
    return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? "", "base64").toString();
  };

  it("that nobody serves are reported", async () => {
    const { webhooks, lines } = await start({});
    expect(webhooks).toBeUndefined();
    expect(lines).toEqual(["the operator has webhooks, which are not served"]);
  });

  it("are trusted again when their Secret is deleted, or a configuration has lost whom to trust", async () => {
    const { webhooks, port, lines } = await start({ webhookBindAddress: "127.0.0.1:0" });
    expect(webhooks?.describe()).toMatchObject({
      warning: expect.stringContaining("apply their configurations"),
    });
    expect(lines).toEqual(["the API server does not know whom to trust for the webhooks"]);
    const [, validating] = admissionConfigurationsOf(operator, {
      ...accessIn("default"),
      image: "",
      replicas: 1,
      drainTimeout: 0,
    });
    if (validating === undefined) throw new Error("nothing is configured");
    await client.create(ValidatingWebhookConfiguration, validating);
    await eventually(async () => expect(await bundle()).toContain("BEGIN CERTIFICATE"));
    const trusted = await bundle();
    const ask = () => callWebhook(port, trusted, { ...validate, servername: "volumes-webhook.default.svc" });
    expect(await ask()).toMatchObject({ status: 400 });

    const { metadata } = await client.get(Secret, {
      namespace: "default",
      name: "volumes-webhook-certificate",
    });
    await client.delete(Secret, metadata);
    await client.patch(
      ValidatingWebhookConfiguration,
      { name: "volumes" },
      { type: "json", body: [{ op: "remove", path: "/webhooks/0/clientConfig/caBundle" }] },
    );
    await eventually(async () => {
      expect(await bundle()).toBe(trusted);
      expect((await client.get(Secret, metadata)).metadata.uid).not.toBe(metadata.uid);
    });
    expect(await ask()).toMatchObject({ status: 400 });
  });

  it("serve the files that somebody else rotates, and keep the last when they are no good", async () => {
    const folder = mkdtempSync(join(tmpdir(), "xstate-operator-certificates-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const write = async (): Promise<string> => {
      const { serving, authorities } = await renewed(undefined, ["127.0.0.1"], clock);
      writeFileSync(join(folder, "tls.crt"), serving.cert);
      writeFileSync(join(folder, "tls.key"), serving.key);
      return authorities;
    };
    const first = await write();
    const { port, lines } = await start({ webhookBindAddress: "127.0.0.1:0", webhookCertDir: folder });
    expect(await callWebhook(port, first, validate)).toMatchObject({ status: 400 });
    writeFileSync(join(folder, "tls.crt"), "half of one");
    await eventually(() => expect(lines).not.toEqual([]));
    expect(await callWebhook(port, first, validate)).toMatchObject({ status: 400 });
    const second = await write();
    await eventually(async () =>
      expect(await callWebhook(port, second, validate)).toMatchObject({ status: 400 }),
    );
    await expect(
      start({ webhookBindAddress: "127.0.0.1:0", webhookCertDir: join(folder, "none") }),
    ).rejects.toMatchObject({ code: "CERTIFICATE_UNREADABLE" });
  });

  describe("that are reached by a URL", () => {
    const options: WebhookParts["options"] = {
      webhookBindAddress: "127.0.0.1:0",
      webhookUrl: true,
      leaderElection: {},
    };
    const called = async (): Promise<string | undefined> => {
      const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "volumes" });
      return webhooks[0]?.clientConfig.url;
    };
    const at = (port: number): string => `https://127.0.0.1:${port}${validate.path}`;

    it("are left to a replica that answers, and taken over when it is about to stop, before it stops", async () => {
      const first = await start(options);
      const second = await start(options);
      expect(await called()).toBe(at(first.port));
      expect(second.told).toContain("the API server calls the webhooks of another replica");
      const trusted = await bundle();

      first.webhooks?.leave();
      await eventually(async () => expect(await called()).toBe(at(second.port)));
      // Who has read the old address is still answered.
      expect(await callWebhook(first.port, trusted, validate)).toMatchObject({ status: 400 });
      await first.webhooks?.close();
      expect(await called()).toBe(at(second.port));
      expect(await callWebhook(second.port, await bundle(), validate)).toMatchObject({ status: 400 });
      await second.webhooks?.close();
      await expect(called()).rejects.toSatisfy(isNotFound);
    });

    it("are taken over from a replica that does not answer any more", async () => {
      const first = await start(options);
      const second = await start(options);
      // It was killed: nobody takes its address away.
      const { webhooks = [], metadata } = await client.get(ValidatingWebhookConfiguration, {
        name: "volumes",
      });
      await first.webhooks?.close();
      await client.apply(
        ValidatingWebhookConfiguration,
        {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingWebhookConfiguration",
          metadata: { name: metadata.name },
          webhooks,
        },
        { fieldManager: "volumes", force: true },
      );
      await eventually(async () => expect(await called()).toBe(at(second.port)));
    });

    it("of several replicas behind one URL are trusted all", async () => {
      const shared = { ...options, webhookUrl: "https://127.0.0.1:1/base/" };
      const [first, second] = [await start(shared), await start(shared)];
      const trusted = await bundle();
      expect(trusted.split("BEGIN CERTIFICATE")).toHaveLength(3);
      for (const { port } of [first, second])
        expect(await callWebhook(port, trusted, validate)).toMatchObject({ status: 400 });
      expect(await called()).toBe(`https://127.0.0.1:1/base${validate.path}`);
    });
  });
});
