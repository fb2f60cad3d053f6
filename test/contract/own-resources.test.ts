// Resources that are not Kubernetes', in the registry: the record of examples/dns at a provider that loses answers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dnsRecordController } from "../../examples/dns/src/dns-record/controller.ts";
import { DnsRecord } from "../../examples/dns/src/dns-record/dns-record.ts";
import { createProvider } from "../../examples/dns/src/dns-record/provider.ts";
import { defineOperator } from "../../src/index.ts";
import { isNotFound } from "../../src/client/api-error.ts";
import { KubernetesEvent } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { startDnsProvider, type DnsProvider } from "../support/dns-provider.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const token = "t0ken-of-the-dns-account";

describeOnEachApiServer("a resource that is not Kubernetes'", (server) => {
  const directory = mkdtempSync(join(tmpdir(), "dns-"));
  const tokenFile = join(directory, "token");
  const lines: string[] = [];
  let provider: DnsProvider;
  let operator: RunningOperator | undefined;

  const start = async (): Promise<void> => {
    const records = createProvider({ url: provider.url, tokenFile, timeout: "1s", env: {} });
    const controllers = [dnsRecordController(records, { settle: 600, lookAgain: 200 })];
    operator = await startOperator(
      defineOperator({ name: "dns-operator", controllers }),
      server().kubeconfig,
      {
        installCrds: true,
      },
    );
  };
  const stop = async (): Promise<void> => {
    await operator?.stop();
    lines.push(JSON.stringify(operator?.lines ?? []));
    operator = undefined;
  };
  const key = (name: string) => ({ namespace: "default", name });
  const create = (name: string): Promise<DnsRecord> =>
    server().client.create(DnsRecord, {
      apiVersion: "dns.example.com/v1",
      kind: "DnsRecord",
      metadata: key(name),
      spec: { name: `${name}.example.com`, values: ["192.0.2.1"] },
    });
  const recordsOf = (name: string) =>
    provider.records.filter((each) => each.name.startsWith(`${name}.example.com`));
  const settled = (name: string): Promise<DnsRecord> =>
    eventually(async () => {
      const object = await server().client.get(DnsRecord, key(name));
      expect(findCondition(object.status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "True",
        observedGeneration: object.metadata.generation,
      });
      expect(object.status).toMatchObject({ id: recordsOf(name)[0]?.id });
      expect(object.status?.creatingSince).toBeUndefined();
      return object;
    });
  const gone = async (name: string): Promise<void> => {
    await server().client.delete(DnsRecord, key(name));
    await eventually(() => expect(server().client.get(DnsRecord, key(name))).rejects.toSatisfy(isNotFound));
  };

  beforeAll(async () => {
    writeFileSync(tokenFile, `${token}\n`);
    provider = await startDnsProvider(token);
    await start();
  });
  afterAll(async () => {
    await stop();
    await provider.stop();
    rmSync(directory, { recursive: true });
  });

  it("is created, changed with the custom resource, and left alone while nothing differs", async () => {
    await create("shop");
    await settled("shop");
    expect(recordsOf("shop")).toMatchObject([{ values: ["192.0.2.1"], ttl: 300 }]);
    await server().client.patch(DnsRecord, key("shop"), { type: "merge", body: { spec: { ttl: 60 } } });
    await eventually(() => expect(recordsOf("shop")).toMatchObject([{ ttl: 60 }]));
    const { items } = await server().client.list(KubernetesEvent, { namespace: "default" });
    const notes = items.filter(({ regarding }) => regarding?.name === "shop").map(({ note }) => note);
    expect(notes).toEqual(expect.arrayContaining(["Created Record/shop", "Updated Record/shop"]));
  });

  it("is repaired when somebody changes it where it is", async () => {
    const [record] = recordsOf("shop");
    provider.edit(record?.id ?? "", { values: ["203.0.113.66"] });
    await eventually(() => expect(recordsOf("shop")).toMatchObject([{ values: ["192.0.2.1"] }]));
  });

  it.each([
    ["lost", "answer-lost", "lose the answer"],
    ["late", "answer-late", 300],
  ] as const)("is created once though the answer is %s", async (_what, name, fate) => {
    const before = provider.creations;
    provider.onNextCreation(fate);
    await create(name);
    await settled(name);
    expect(recordsOf(name)).toHaveLength(1);
    expect(provider.creations).toBe(before + 1);
  });

  it("is created once though the operator is gone before it has stored the answer", async () => {
    const before = provider.creations;
    const held = new Promise<void>((resolve) => provider.onNextCreation({ held: resolve }));
    await create("killed");
    await held;
    await stop();
    await start();
    await settled("killed");
    expect(provider.creations).toBe(before + 1);
  });

  it("is tried again at once when it was refused, and says why", async () => {
    provider.refuse(422);
    await create("refused");
    await eventually(async () => {
      const { status } = await server().client.get(DnsRecord, key("refused"));
      expect(findCondition(status?.conditions, "ReconciliationSuccess")?.message).toContain("not now");
    });
    provider.refuse(undefined);
    await settled("refused");
  });

  it("is deleted before its custom resource goes, also one that appears only then", async () => {
    await gone("shop");
    expect(recordsOf("shop")).toEqual([]);
    provider.onNextCreation(300);
    await create("appearing");
    await eventually(async () => {
      const { status } = await server().client.get(DnsRecord, key("appearing"));
      expect(status?.creatingSince).toBeDefined();
    });
    await gone("appearing");
    expect(recordsOf("appearing")).toEqual([]);
  });

  it("has no secret in logs, statuses and Events", async () => {
    await stop();
    const { items } = await server().client.list(DnsRecord, { namespace: "default" });
    const events = await server().client.list(KubernetesEvent, { namespace: "default" });
    expect([lines.join(""), JSON.stringify(items), JSON.stringify(events.items)].join("")).not.toContain(
      token,
    );
    expect(lines.join("")).toContain("reconcile ended");
    await start();
    for (const { metadata } of items) await gone(metadata.name);
    expect(provider.records).toEqual([]);
  });
});
