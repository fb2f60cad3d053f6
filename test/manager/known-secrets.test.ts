// What a process knows of Secrets, by whatever has passed through its client.
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ConfigMap, Secret } from "../../src/kinds/builtin/core.ts";
import { encodeSecretValue } from "../../src/kinds/builtin/secret-value.ts";
import { KnownSecrets } from "../../src/manager/known-secrets.ts";
import { notingSecrets } from "../../src/manager/noting-client.ts";

const password = "correct horse battery staple";
const data = { password: encodeSecretValue(password) };
const metadata = { name: "login", namespace: "team", uid: "u", resourceVersion: "1", creationTimestamp: "" };
const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata, data };
const key = { namespace: "team", name: "login" };
const fieldManager = "me";

function told(text: string, ...secrets: readonly unknown[]): string {
  const keeper = new KnownSecrets();
  for (const each of secrets) keeper.note(each);
  return keeper.mask(text);
}

describe("a Secret that is known", () => {
  it.each<[string, unknown]>([
    ["as it is stored", secret],
    ["as it is written", { stringData: { password } }],
    ["in a list", { kind: "SecretList", items: [{ data: { other: "" } }, secret] }],
    ["as a JSON patch of one value", [{ op: "add", path: "/data/password", value: data.password }]],
    ["as a JSON patch of all", [{ op: "replace", path: "/stringData", value: { password } }]],
  ])("%s is in no text, in whatever form", (_, noted) => {
    const text = `${password}, ${data.password}, ${encodeURIComponent(password)}, ${password.slice(3, 20)}`;
    expect(told(text, noted)).toBe("[redacted], [redacted], [redacted], [redacted]");
  });

  it("leaves words alone, and what is said to be public", () => {
    const keeper = new KnownSecrets();
    keeper.note({ stringData: { port: "5432432", word: "staple", pin: "hunter2", name: "orders-database" } });
    expect(keeper.mask("staple 5432432 hunter2")).toBe("staple 5432432 [redacted]");
    expect(keeper.mask("orders-database", (found) => found === "orders-database")).toBe("orders-database");
  });

  it("is found in a text in which nothing was found before it was known", () => {
    const keeper = new KnownSecrets();
    keeper.note({ stringData: { other: "another secret of somebody" } });
    const texts = [password, data.password, `the password is ${password}`];
    for (const text of [...texts, ...texts])
      expect([keeper.isFree(text), keeper.mask(text)]).toEqual([true, text]);
    keeper.note(secret);
    for (const text of texts) expect([keeper.isFree(text), keeper.mask(text)]).not.toContain(text);
    for (const text of texts) expect(keeper.isFree(text)).toBe(false);
  });

  it("is not free of it because somebody may see it", () => {
    const keeper = new KnownSecrets();
    keeper.note({ stringData: { name: "orders-database" } });
    expect(keeper.mask("orders-database", (found) => found === "orders-database")).toBe("orders-database");
    expect([keeper.isFree("orders-database"), keeper.mask("orders-database")]).toEqual([false, "[redacted]"]);
  });

  it("may be anything", () => {
    const odd = [
      null,
      7,
      "x",
      [],
      {},
      { data: null },
      { data: [1] },
      { data: { a: 1 } },
      [{ path: 3 }],
      [null],
    ];
    expect(told("all well", ...odd, { stringData: { half: "\ud800 a character", mask: "redacted" } })).toBe(
      "all well",
    );
    expect(told("a [redacted] text", { stringData: { mask: "redacted" } })).toBe("a [redacted] text");
  });

  it("is known by its beginning when it is very long", () => {
    const long = Array.from({ length: 30_000 }, (_, index) => index.toString(36)).join("");
    for (const value of [long, `x${"é".repeat(2_000)}`, `xy${"漢".repeat(2_000)}`]) {
      const data = { value: encodeSecretValue(value) };
      for (const noted of [{ data }, { stringData: { value } }]) {
        expect(told(`<${value}>`, noted)).toBe("<[redacted]");
        expect(told(`<${data.value}>`, noted)).toBe("<[redacted]");
      }
    }
  });
});

async function* events(): AsyncGenerator<{ readonly type: "ADDED"; readonly object: never }> {
  yield await Promise.resolve({ type: "ADDED", object: secret as never });
}

/** Answers everything with the Secret; `refused` refuses writes. */
function server(refused = false): KubeClient {
  const write = (): Promise<never> =>
    refused ? Promise.reject(new Error("no")) : Promise.resolve(secret as never);
  return {
    server: "",
    get: () => Promise.resolve(secret as never),
    list: () => Promise.resolve({ metadata: { resourceVersion: "1" }, items: [secret as never] }),
    watch: () => events(),
    follow: async (_type, _options, receive) => {
      for await (const event of events()) await receive(event);
    },
    create: write,
    update: write,
    patch: write,
    apply: write,
    delete: write,
    request: write,
    exec: write,
    close: () => Promise.resolve(),
  };
}

type Use = (client: KubeClient) => Promise<unknown>;

describe("a client that notes Secrets", () => {
  const read: Readonly<Record<string, Use>> = {
    get: (client) => client.get(Secret, key),
    list: (client) => client.list(Secret),
    watch: async (client) => {
      const { signal } = new AbortController();
      for await (const _event of client.watch(Secret, { signal }));
    },
    delete: (client) => client.delete(Secret, key),
    "a path": (client) => client.request({ method: "GET", path: "/api/v1/namespaces/team/secrets/login" }),
  };
  const body = { data };
  const manifest = { ...secret, metadata: key };
  const written: Readonly<Record<string, Use>> = {
    create: (client) => client.create(Secret, manifest),
    update: (client) => client.update(Secret, manifest),
    apply: (client) => client.apply(Secret, manifest, { fieldManager }),
    "a merge patch": (client) => client.patch(Secret, key, { type: "merge", body }),
    "a body of a path": (client) =>
      client.request({ method: "PATCH", path: "/api/v1/namespaces/team/secrets/login?x=y", body }),
  };

  it.each(Object.entries(read))("knows what was read by %s", async (_, use) => {
    const keeper = new KnownSecrets();
    await use(notingSecrets(server(), keeper));
    expect(keeper.mask(password)).toBe("[redacted]");
  });

  it.each(Object.entries(written))("knows what was sent by %s, also when it is refused", async (_, use) => {
    const keeper = new KnownSecrets();
    await use(notingSecrets(server(true), keeper)).catch(() => undefined);
    expect(keeper.mask(password)).toBe("[redacted]");
  });

  it("passes everything else on as it is", async () => {
    const keeper = new KnownSecrets();
    const client = notingSecrets(server(), keeper);
    expect(await client.get(ConfigMap, key)).toBe(secret);
    await client.request({ method: "GET", path: "/api/v1/namespaces/secrets/configmaps" });
    expect(keeper.mask(password)).toBe(password);
  });
});
