import { X509Certificate } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { silentLogger } from "../../src/ports/logger.ts";
import { silentMetrics } from "../../src/ports/metrics.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import { Namespace, Secret } from "../../src/kinds/builtin/core.ts";
import { secretValue } from "../../src/kinds/builtin/secret-value.ts";
import { CertificateKeeper } from "../../src/webhook/certificate-keeper.ts";
import { memoryStore, secretStore, type CertificateStore } from "../../src/webhook/certificate-store.ts";
import { certificateTimes, expiryOf, renewed, type Certificates } from "../../src/webhook/certificates.ts";
import { createWebhookMetrics } from "../../src/webhook/webhook-metrics.ts";
import { startWebhookServer } from "../../src/webhook/webhook-server.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { callWebhook } from "./webhook-call.ts";

const names = ["127.0.0.1", "shop-webhook.shop.svc"];
const { lifetime, renewal, overlap } = certificateTimes;
const start = Date.UTC(2026, 0, 1);
const at = (now: number) => ({ now: () => now });
const trusts = ({ authorities }: Certificates, { cert }: Certificates["serving"]): boolean => {
  const bundle = authorities.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return bundle.some((pem) => new X509Certificate(cert).verify(new X509Certificate(pem).publicKey));
};

describe("certificates of webhooks", () => {
  it("are made for every name, of an authority whose key is nowhere", async () => {
    const made = await renewed(undefined, names, at(start));
    const certificate = new X509Certificate(made.serving.cert);
    expect(certificate.subjectAltName).toBe("IP Address:127.0.0.1, DNS:shop-webhook.shop.svc");
    expect([certificate.ca, new X509Certificate(made.authorities).ca]).toEqual([false, true]);
    expect(trusts(made, made.serving)).toBe(true);
    expect(Object.keys(made)).toEqual(["serving", "authorities"]);
  });

  it("stay the same until a third of their life is left", async () => {
    const made = await renewed(undefined, names, at(start));
    expect(await renewed(made, names, at(start + lifetime - renewal - 1))).toBe(made);
  });

  it("are renewed in two steps: trusted first, and served when everybody had time to learn it", async () => {
    const first = await renewed(undefined, names, at(start));
    const due = start + lifetime - renewal;
    const prepared = await renewed(first, names, at(due));
    expect(prepared.serving).toEqual(first.serving);
    expect([trusts(prepared, first.serving), trusts(prepared, prepared.next ?? first.serving)]).toEqual([
      true,
      true,
    ]);
    expect(await renewed(prepared, names, at(due + overlap - 1))).toBe(prepared);
    const served = await renewed(prepared, names, at(due + overlap));
    expect(served).toEqual({ serving: prepared.next, authorities: prepared.authorities });
    // The former authority is trusted until it is no longer valid, for replicas that still serve what it signed.
    expect(trusts(served, first.serving)).toBe(true);
    const second = await renewed(served, names, at(due + lifetime - renewal));
    expect(trusts(second, first.serving)).toBe(false);
  });

  it("that were prepared are served at once when the present ones are over", async () => {
    const first = await renewed(undefined, names, at(start));
    const prepared = await renewed(first, names, at(start + lifetime - 1_000));
    const served = await renewed(prepared, names, at(start + lifetime));
    expect(served.serving).toEqual(prepared.next);
  });

  it.each<[string, (made: Certificates, other: Certificates) => Certificates]>([
    ["are over", (made) => made],
    [
      "have another one's key",
      (made, other) => ({ ...made, serving: { ...made.serving, key: other.serving.key } }),
    ],
    ["are no PEM", (made) => ({ ...made, serving: { cert: "", key: "x" } })],
    ["are not trusted by their own bundle", (made, { authorities }) => ({ ...made, authorities })],
    ["have an empty bundle", (made) => ({ ...made, authorities: "" })],
  ])("are made again when they %s", async (name, spoil) => {
    const [made, other] = [
      await renewed(undefined, names, at(start)),
      await renewed(undefined, names, at(start)),
    ];
    const now = at(name === "are over" ? start + lifetime + 1_000 : start);
    const again = await renewed(spoil(made, other), names, now);
    expect(expiryOf(again.serving)).toBe(now.now() + lifetime);
    expect(trusts(again, again.serving)).toBe(true);
    expect([made.serving, other.serving]).not.toContainEqual(again.serving);
  });

  it("are made again for another name, while the former ones are still trusted", async () => {
    const made = await renewed(undefined, names, at(start));
    const again = await renewed(made, ["other.shop.svc"], at(start));
    expect(new X509Certificate(again.serving.cert).checkHost("other.shop.svc")).toBe("other.shop.svc");
    expect(trusts(again, made.serving)).toBe(true);
  });
});

describe("keeper of certificates", () => {
  const keeperOf = (store: CertificateStore, now = systemClock.now()) =>
    new CertificateKeeper({ store, names, clock: { ...systemClock, now: () => now }, log: silentLogger });
  const { signal } = new AbortController();

  it("keeps again what it had when it is lost, as callers trust it", async () => {
    const store = memoryStore();
    const keeper = keeperOf(store);
    const first = await keeper.current(signal);
    let isLost = true;
    const losing: CertificateStore = {
      read: (each) => (isLost ? Promise.resolve({ certificates: undefined }) : store.read(each)),
      write: async (certificates) => {
        isLost = false;
        return store.write(certificates, undefined, signal);
      },
    };
    const other = new CertificateKeeper({ store: losing, names, clock: systemClock, log: silentLogger });
    isLost = false;
    expect(await other.current(signal)).toEqual(first);
    isLost = true;
    expect(await other.current(signal)).toEqual(first);
    expect(isLost).toBe(false);
  });

  it("gives up with a reason when others write again and again", async () => {
    const contested: CertificateStore = {
      read: () => Promise.resolve({ certificates: undefined }),
      write: () => Promise.resolve(false),
    };
    await expect(keeperOf(contested).current(signal)).rejects.toMatchObject({
      code: "CERTIFICATE_CONTESTED",
    });
  });
});

describeOnEachApiServer(
  "the Secret of certificates",
  (server) => {
    const { signal } = new AbortController();

    it("is made by one of several replicas, renewed by one, and no request fails meanwhile", async () => {
      const { client } = server();
      await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
      // Begun so long ago that the certificate is due now: callers check it against the time of this machine.
      let now = systemClock.now() - (lifetime - renewal);
      const clock = { ...systemClock, now: () => now };
      const keepers = ["a", "b", "c"].map(
        () =>
          new CertificateKeeper({
            store: secretStore({ client, operator: "shop", namespace: "shop" }),
            names,
            clock,
            log: silentLogger,
          }),
      );
      const all = () => Promise.all(keepers.map((keeper) => keeper.current(signal)));
      const [first, ...others] = await all();
      if (first === undefined) throw new Error("no certificate");
      expect(others).toEqual([first, first]);
      const stored = await client.get(Secret, { namespace: "shop", name: "shop-webhook-certificate" });
      expect(stored.type).toBe("kubernetes.io/tls");
      expect(Object.keys(stored.data ?? {}).sort()).toEqual(["ca.crt", "tls.crt", "tls.key"]);
      expect(secretValue(stored, "tls.crt")).toBe(first.serving.cert);

      const servers = await Promise.all(
        keepers.map(() =>
          startWebhookServer({
            address: { host: "127.0.0.1", port: 0 },
            routes: [{ path: "/review", review: (body) => Promise.resolve({ body, result: "allowed" }) }],
            certificate: first.serving,
            clock: systemClock,
            log: silentLogger,
            metrics: createWebhookMetrics(silentMetrics, []),
            mask: (text) => text,
          }),
        ),
      );
      onTestFinished(async () => {
        await Promise.all(servers.map((each) => each.close(0)));
      });
      // What the API server trusts, which it may learn late.
      let trusted = first.authorities;
      const outcomes: (number | undefined)[] = [];
      const over = new AbortController();
      const calling = servers.map(async ({ port }) => {
        while (!over.signal.aborted) {
          const { status } = await callWebhook(port, trusted, { path: "/review", body: {} });
          outcomes.push(status);
        }
      });
      now = systemClock.now();
      const [prepared] = await all();
      if (prepared?.next === undefined) throw new Error("nothing was prepared");
      expect(prepared.serving).toEqual(first.serving);
      trusted = prepared.authorities;
      now += overlap + 1_000;
      // One replica after the other learns it.
      for (const [index, keeper] of keepers.entries()) {
        const { serving } = await keeper.current(signal);
        expect(serving).toEqual(prepared.next);
        servers[index]?.setCertificate(serving);
        const seen = outcomes.length;
        await expect.poll(() => outcomes.length).toBeGreaterThan(seen + 2);
      }
      over.abort();
      await Promise.all(calling);
      expect(outcomes.filter((status) => status !== 200)).toEqual([]);
    });
  },
  { embedded: { controllers: false } },
);
