import { array, assert, boolean, constantFrom, pre, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSecretValue } from "../../src/kinds/builtin/secret-value.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { KnownSecrets } from "../../src/manager/known-secrets.ts";
import { SecretValues } from "../../src/reconcile/secrets/secret-values.ts";

const password = "correct horse battery staple";

function holding(data: Readonly<Record<string, string>>, kind = "Secret"): KubeObject {
  return {
    apiVersion: "v1",
    kind,
    metadata: { name: "s", uid: "u", resourceVersion: "1", creationTimestamp: "" },
    data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, encodeSecretValue(value)])),
  } as KubeObject;
}

function read(data: Readonly<Record<string, string>>, known: readonly string[] = []): SecretValues {
  const values = new SecretValues((text) => known.includes(text));
  values.note(holding(data));
  return values;
}

describe("values of Secrets", () => {
  it.each([
    ["as it is", `refused: ${password}`, "refused: [redacted]"],
    ["encoded", `cannot parse ${encodeSecretValue(password)}`, "cannot parse [redacted]"],
    ["in a URL", `GET https://u:${encodeURIComponent(password)}@db`, "GET https://u:[redacted]@db"],
    ["cut off", `refused: ${password.slice(0, 20)}…`, "refused: [redacted]…"],
    ["twice", `${password} is not ${password}`, "[redacted] is not [redacted]"],
  ])("are left out %s", (_how, text, expected) => {
    expect(read({ password }).mask(text)).toBe(expected);
  });

  it("are left out of JSON, where they are escaped", () => {
    const value = 'a "quoted"\nline';
    expect(read({ value }).mask(`got ${JSON.stringify({ value })}`)).toBe('got {"value":"[redacted]"}');
  });

  it("leave alone what is no secret: very short values, and the words that everybody knows", () => {
    const values = read({ port: "543", name: "orders" }, ["orders"]);
    expect(values.mask("orders listens on 5432")).toBe("orders listens on 5432");
  });

  it("are those of Secrets, not of other kinds", () => {
    const values = new SecretValues();
    values.note(holding({ password }, "ConfigMap"));
    values.note(undefined);
    expect(values.mask(password)).toBe(password);
  });

  it("are also left out of an object that a text quotes, although it was never read", () => {
    expect(new SecretValues().mask('sent {"kind":"Secret","data":{"p":"cGFzcw=="}}')).not.toContain(
      "cGFzcw==",
    );
  });

  it("are in no masked text, whatever surrounds them", () => {
    const word = string({ minLength: 4, maxLength: 40 }).filter((value) => value.trim().length >= 4);
    assert(
      property(word, string(), string(), (value, before, after) => {
        // A value that is a part of the mask itself proves nothing.
        pre(!"[redacted]".includes(value));
        expect(read({ value }).mask(`${before}${value}${after}`)).not.toContain(value);
      }),
    );
  });

  it("are not named by a host or a port that stands in a Secret beside them", () => {
    const values = read({ host: "db.team.svc", DB_PORT: "5432", readHost: "10.0.0.7", password });
    const text = "cannot reach db.team.svc:5432 nor 10.0.0.7:5432";
    expect(values.mask(`${text} as ${password}`)).toBe(`${text} as [redacted]`);
    // What does not look like one is a secret, whatever its name is.
    expect(read({ port: "a pass phrase" }).mask("got a pass phrase")).toBe("got [redacted]");
  });

  it("are left out of the base64 of a longer text, wherever they stand in it and in both alphabets", () => {
    const characters = "ABCdefGHIjklMNOpqr0123456789?>~ÿ";
    const value = string({ unit: constantFrom(...characters.split("")), minLength: 8, maxLength: 60 });
    const around = string({ unit: constantFrom("x", "y", "z"), maxLength: 7 });
    assert(
      property(
        value,
        around,
        around,
        constantFrom("base64", "base64url"),
        (secret, before, after, alphabet) => {
          const header = Buffer.from(`${before}:${secret}${after}`).toString(alphabet);
          const masked = read({ secret }).mask(`sent ${header}`);
          const inside = Buffer.from(masked.slice(5).replace("[redacted]", ""), "base64").toString("latin1");
          for (let at = 0; at + 4 <= secret.length; at += 1) {
            expect(inside).not.toContain(Buffer.from(secret.slice(at, at + 4)).toString("latin1"));
          }
        },
      ),
    );
  });

  it("leave nothing of a generated password, which some forms share the beginning of", () => {
    const value = "S3cr3t-lookup-pa55/word+x";
    expect(read({ value }).mask(`pw is ${value} ok`)).toBe("pw is [redacted] ok");
  });

  it("leave no run of six characters, in whatever form and whoever has read them", () => {
    const characters = 'ABCdefGHIjklMNOpqr0123456789/+=@$"\\ ';
    const generated = string({
      unit: constantFrom(...characters.split("")),
      minLength: 8,
      maxLength: 60,
    }).filter((value) => value.trim().length >= 8);
    const ways: readonly ((value: string) => string)[] = [
      (value) => value,
      (value) => value.trim(),
      encodeSecretValue,
      encodeURIComponent,
      (value) => encodeURIComponent(value.trim()).replace(/%../g, (code) => code.toLowerCase()),
      (value) => new URLSearchParams({ value }).toString(),
      (value) => JSON.stringify({ value }),
      (value) => JSON.stringify(JSON.stringify({ value })),
      (value) => Object.assign(new URL("postgres://user@db/orders"), { password: value }).href,
      (value) => Buffer.from(value).toString("hex"),
      (value) => Buffer.from(value).toString("hex").toUpperCase(),
      (value) => `<p>${value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;")}</p>`,
      (value) => `PASSWORD '${value.replace(/'/g, "''")}'`,
      (value) => `psql -c '${value.replace(/'/g, "'\\''")}'`,
    ];
    const used = array(constantFrom(...ways), { minLength: 1, maxLength: 3 });
    const around = string({ unit: constantFrom(..."xyz :,\n".split("")) });
    assert(
      property(
        array(generated, { minLength: 1, maxLength: 3 }),
        used,
        around,
        boolean(),
        (values, forms, text, own) => {
          const keeper = new KnownSecrets();
          const secrets = new SecretValues(() => false, keeper);
          const noted = holding(Object.fromEntries(values.map((value, index) => [String(index), value])));
          if (own) secrets.note(noted);
          else keeper.note(noted);
          const told = values
            .map((value) => forms.map((form) => `${text}${form(value)}`).join(text))
            .join("; ");
          const masked = secrets.mask(told);
          for (const written of values.flatMap((value) => ways.slice(0, 4).map((way) => way(value)))) {
            for (let at = 0; at + 6 <= written.length; at += 1) {
              expect(masked).not.toContain(written.slice(at, at + 6));
            }
          }
        },
      ),
    );
  });
});
