// The admission webhooks of an operator as the API server calls them: what users of the kind see, and what the operator is not kept from.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isNotFound } from "../../src/client/api-error.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { loadConnection } from "../../src/client/kube-config.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../src/kinds/builtin/admissionregistration.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";
import { Volume, volume } from "../webhook/volume-kind.ts";
import operator, { reviews } from "../webhook/volume-operator.ts";

describeOnEachApiServer("the webhooks of an operator", (server) => {
  const warnings: string[] = [];
  let running: RunningOperator;
  let client: KubeClient;

  beforeAll(async () => {
    const connection = await loadConnection({ path: server().kubeconfig, env: {} });
    client = createKubeClient(connection, {
      log: { ...silentLogger, warn: ({ warning }) => void warnings.push(String(warning)) },
    });
    running = await startOperator(operator, server().kubeconfig, {
      installCrds: true,
      webhookBindAddress: "127.0.0.1:0",
      webhookUrl: true,
    });
    // The API server reads new configurations within a second or so.
    await eventually(async () => {
      await expect(create("probe", { replicas: 13 }, true)).rejects.toMatchObject({ status: 422 });
    });
  });
  afterAll(async () => {
    await client.close();
  });

  const create = (name: string, spec: Partial<Volume["spec"]> = {}, dryRun = false) =>
    client.create(Volume, volume(spec, { name }), { dryRun });
  const key = (name: string) => ({ namespace: "default", name });
  const change = (name: string, spec: object) =>
    client.patch(Volume, key(name), { type: "merge", body: { spec } });

  it("fill in what is missing, after the defaults of the schema and before it is validated", async () => {
    const { spec } = await create("filled");
    expect(spec).toEqual({ size: 4, window: "02:00-04:00", replicas: 2 });
    expect((await create("given", { replicas: 5 })).spec.replicas).toBe(5);
    await expect(create("lucky", { replicas: 13 })).rejects.toMatchObject({ status: 422 });
  });

  it("refuse with the fields as causes, as the API server itself does", async () => {
    await create("shrinking");
    const refused = change("shrinking", { size: 3, replicas: 13 });
    await expect(refused).rejects.toMatchObject({
      status: 422,
      reason: "Invalid",
      message: expect.stringContaining(
        'admission webhook "validate.volumes.storage.example.com" denied the request: Volume.storage.example.com "shrinking" is invalid: [spec.size: must not shrink, spec.replicas: is unlucky]',
      ),
      details: {
        causes: [
          { reason: "FieldValueForbidden", message: "must not shrink", field: "spec.size" },
          { reason: "FieldValueInvalid", message: "is unlucky", field: "spec.replicas" },
        ],
      },
    });
    expect((await client.get(Volume, key("shrinking"))).spec.size).toBe(4);
  });

  it("check what the kind checks and no CRD can say", async () => {
    await expect(create("wrong", { window: "at night" })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("spec.window: must be from one time to another"),
    });
    await create("halved", { size: 9 });
    await expect(change("halved", { size: 4 })).rejects.toMatchObject({
      message: expect.stringContaining("a volume is never halved"),
    });
  });

  it("know of a dry run, and who asks; nothing is stored", async () => {
    reviews.length = 0;
    await create("rehearsed", {}, true);
    expect(reviews).toEqual([{ operation: "CREATE", dryRun: true, username: expect.stringMatching(/./) }]);
    await expect(client.get(Volume, key("rehearsed"))).rejects.toSatisfy(isNotFound);
  });

  it("warn", async () => {
    await create("large", { size: 1_000 });
    expect(warnings).toEqual([expect.stringContaining("volumes of this size take hours to copy")]);
  });

  it("answer a failure of a function with its message", async () => {
    await expect(create("failing", { labels: { fail: "yes" } })).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining("the quota service does not answer"),
    });
  });

  it("judge deletions, and never see the status that the operator writes", async () => {
    await create("kept", { labels: { keep: "yes" } });
    await eventually(async () => {
      expect((await client.get(Volume, key("kept"))).status?.observedGeneration).toBe(1);
    });
    await expect(client.delete(Volume, key("kept"))).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining("the volume is kept"),
    });
    await change("kept", { labels: null });
    await client.delete(Volume, key("kept"));
    await expect(client.get(Volume, key("kept"))).rejects.toSatisfy(isNotFound);
  });

  describe("that are reached by a URL", () => {
    it("are configured while the operator runs, and not when it has stopped", async () => {
      const { webhooks = [] } = await server().client.get(ValidatingWebhookConfiguration, {
        name: "volumes",
      });
      expect(webhooks[0]?.clientConfig.url).toMatch(
        /^https:\/\/127\.0\.0\.1:\d+\/validate\/volumes\.storage\.example\.com$/,
      );
      await running.stop();
      for (const type of [ValidatingWebhookConfiguration, MutatingWebhookConfiguration])
        await expect(server().client.get(type, { name: "volumes" })).rejects.toSatisfy(isNotFound);
    });
  });
});
