// Values of Secrets that are written in another form, or two within each other, and secrets that are parts of a value.
import { assert, constantFrom, property, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSecretValue } from "../../src/kinds/builtin/secret-value.ts";
import { KnownSecrets } from "../../src/manager/known-secrets.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { SecretValues } from "../../src/reconcile/secrets/secret-values.ts";

function holding(data: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", uid: "u", resourceVersion: "1", creationTimestamp: "" },
    data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, encodeSecretValue(value)])),
  } as KubeObject;
}

/** As the run masks that has read the Secret, and as the process masks texts of all others. */
function maskers(data: Readonly<Record<string, string>>): readonly ((text: string) => string)[] {
  const own = new SecretValues();
  own.note(holding(data));
  const keeper = new KnownSecrets();
  keeper.note(holding(data));
  return [(text) => own.mask(text), (text) => keeper.mask(text)];
}

const hex = (value: string): string => Buffer.from(value).toString("hex");
const pairs = (value: string): readonly string[] => hex(value).match(/../g) ?? [];
const percent = (value: string): string =>
  pairs(value)
    .map((pair) => `%${pair}`)
    .join("");
const named: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "@": "commat",
};

/** What programs do to a text that they write into another one. */
const encodings: Readonly<Record<string, (value: string) => string>> = {
  "as it is": (value) => value,
  "in a URL": encodeURIComponent,
  "in a URL with small digits": (value) =>
    encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  "in a URL, every byte": percent,
  "in a path": encodeURI,
  "in a form": (value) => new URLSearchParams({ value }).toString(),
  "as JSON": (value) => JSON.stringify({ value }),
  "as JSON for a page": (value) =>
    JSON.stringify(value).replace(/[&<>'=+@-]/g, (found) => `\\u00${hex(found)}`),
  "as JavaScript": (value) =>
    value.replace(/[^\w ]/gu, (found) =>
      pairs(found)
        .map((pair) => `\\x${pair}`)
        .join(""),
    ),
  "in markup": (value) => value.replace(/[&<>"'@]/g, (found) => `&${named[found]};`),
  "in markup, by numbers": (value) => value.replace(/[^a-z]/gu, (found) => `&#${found.codePointAt(0)};`),
  "in markup, by digits": (value) =>
    value.replace(/[^a-z]/gu, (found) => `&#x${found.codePointAt(0)?.toString(16)};`),
  "in SQL": (value) => `'${value.replace(/'/g, "''")}'`,
  "in a shell": (value) => `'${value.replace(/'/g, `'\\''`)}'`,
  "in digits": hex,
  "in capital digits": (value) => hex(value).toUpperCase(),
  "in digits with colons": (value) => pairs(value).join(":"),
  "in capital digits with dashes": (value) => pairs(value).join("-").toUpperCase(),
  "in digits with spaces": (value) => `<Buffer ${pairs(value).join(" ")}>`,
  "in digits of a program": (value) =>
    pairs(value)
      .map((pair) => `0x${pair}`)
      .join(", "),
  "as an array of bytes": (value) => `[${[...Buffer.from(value)].join(",")}]`,
  "in base64": (value) => Buffer.from(value).toString("base64"),
  "in base64 after a name": (value) => Buffer.from(`me:${value}`).toString("base64"),
  "in base64 of URLs": (value) => Buffer.from(`user:${value}`).toString("base64url"),
  "in base64 of a mail": (value) =>
    Buffer.from(`${"-".repeat(50)}${value}`)
      .toString("base64")
      .replace(/.{76}/g, "$&\r\n"),
  "in UTF-16": (value) => Buffer.from(value, "utf16le").toString("latin1"),
  "in base64 of UTF-16": (value) => Buffer.from(value, "utf16le").toString("base64"),
  "in base64 of UTF-16 in network order": (value) =>
    Buffer.from(value, "utf16le").swap16().toString("base64"),
};
const names = Object.keys(encodings);

function encode(value: string, order: readonly string[]): string {
  return order.reduce((text, name) => encodings[name]?.(text) ?? text, value);
}

/**
 * Characters that may be left of a value: the four digits of base64 that say nothing but the zero with which it ends in UTF-16,
 * each of them in the longest form that a byte has, and that of the one before them.
 */
const mostLeft = 4 * ", 0x41".length + "0x".length;

/** Masks what stands between two texts, and says how much is left that belongs to the value. */
function leftOf(value: string, order: readonly string[], mask: (text: string) => string): number {
  const masked = mask(`<${encode(value, order)}>`);
  expect(masked).toContain("[redacted]");
  return masked.length - `<[redacted]>${encode("", order)}`.length;
}

describe("a value of a Secret", () => {
  const fixed = `p@ss "w0rd' & <more>+ and more`;
  // What is left at the end depends on how the bytes come out in groups of three.
  const whole = ["", "!", "!!"].map((end) => ({
    value: `${fixed}${end}`,
    masks: maskers({ value: `${fixed}${end}` }),
  }));

  it.each(names)("is left out %s, and that within any other", (inner) => {
    for (const outer of names) {
      for (const { value, masks } of whole) {
        for (const mask of masks) {
          const left = leftOf(value, [inner, outer], mask);
          expect(left, `${inner}, ${outer}`).toBeLessThanOrEqual(mostLeft);
        }
      }
    }
  });

  it("leaves nothing to decode, whatever it is and in whichever two forms", () => {
    const characters = `ABCdefGHIjkl0123456789/+=@$"'\\ &<%:-_;`;
    const value = string({ unit: constantFrom(...characters.split("")), minLength: 24, maxLength: 40 });
    const order = tuple(constantFrom(...names), constantFrom(...names));
    assert(
      property(value, order, (text, two) => {
        for (const mask of maskers({ value: text }))
          expect(leftOf(text, two, mask)).toBeLessThanOrEqual(mostLeft);
      }),
      {
        numRuns: 300,
        examples: [
          ["A".repeat(26), ["in base64 of UTF-16", "in markup, by digits"]],
          [`AAAAAAAAAAAA""A'AAAAAAAA`, ["in SQL", "in a URL, every byte"]],
        ],
      },
    );
  });

  it("is left out in letters of other alphabets", () => {
    for (const word of ["pässwörd-ñandú", "пароль-сложный", "合言葉は秘密です!", "🔑🔑🔑🔑-keys"]) {
      for (const [name, encoding] of Object.entries(encodings)) {
        for (const mask of maskers({ word })) {
          expect(mask(`<<${encoding(word)}>>`), name).toContain("[redacted]");
        }
      }
    }
  });

  it("is no secret among bytes when it is a short word, nor a piece of one", () => {
    const text = "deadbeef cafe: the deployment-controller is waiting for aGVsbG8gd29ybGQ and 0xfeedface";
    for (const mask of maskers({ a: "cafe1", b: "staple", c: "the controller of all deployments" })) {
      expect(mask(text)).toBe(text);
    }
  });
});

describe("a secret within a value of a Secret", () => {
  it.each<[string, string, string, readonly string[]]>([
    ["URL", "DATABASE_URL", "postgres://u:p%40ss-w0rd@db.team.svc:5432/orders", ["p@ss-w0rd", "p%40ss-w0rd"]],
    ["URL whose password is not encoded", "url", "amqp://u:p@ss-w0rd@rabbit:5672", ["p@ss-w0rd"]],
    ["URL without user", "url", "redis://:p4ssw0rd@cache:6379/0", ["p4ssw0rd"]],
    ["URL with a token", "url", "https://ghp_0123456789@github.com/team/repo", ["ghp_0123456789"]],
    ["query", "url", "jdbc:postgresql://db/orders?user=me&password=p%2Bss-w0rd&ssl=true", ["p+ss-w0rd"]],
    ["connection string", "dsn", "host=db user=me password='p ss-w0rd' sslmode=require", ["p ss-w0rd"]],
    ["string of ADO", "ConnectionString", "Server=db,1433;Uid=me;Pwd=p4ssw0rd!;Encrypt=true", ["p4ssw0rd!"]],
    ["DSN of MySQL", "dsn", "me:p@ss-w0rd@tcp(db:3306)/orders?parseTime=true", ["p@ss-w0rd"]],
    [
      ".env",
      ".env",
      'PORT=5432\nexport DB_PASS=p4ssw0rd\nAPI_KEY="k3y with #"\n',
      ["p4ssw0rd", "k3y with #"],
    ],
    ["properties", "app.properties", "db.host=db\ndb.password = p4ss w0rd\n", ["p4ss w0rd"]],
    ["INI", "config.ini", "[db]\nhost: db\npassword: p4ssw0rd\n", ["p4ssw0rd"]],
    ["JSON", "config.json", '{"port":5432,"db":{"password":"p4ss\\"w0rd"}}', ['p4ss"w0rd', 'p4ss\\"w0rd']],
    ["YAML", "config.yaml", "db:\n  port: 5432\n  adminPassword: 'p4ssw0rd'\n", ["p4ssw0rd"]],
    ["XML", "settings.xml", "<server><id>x</id><password>p4ss&amp;w0rd</password></server>", ["p4ss&w0rd"]],
    [".netrc", ".netrc", "machine db login me password p4ssw0rd\n", ["p4ssw0rd"]],
    [".pgpass", ".pgpass", "db:5432:orders:me:p4ssw0rd\n", ["p4ssw0rd"]],
    [
      "Docker's configuration",
      ".dockerconfigjson",
      JSON.stringify({ auths: { r: { auth: encodeSecretValue("me:p4ssw0rd") } } }),
      ["p4ssw0rd", encodeSecretValue("me:p4ssw0rd")],
    ],
  ])("is left out alone: %s", (_, name, value, secrets) => {
    for (const mask of maskers({ [name]: value })) {
      for (const secret of secrets) {
        expect(mask(`refused ${secret} of me`)).toBe("refused [redacted] of me");
        expect(mask(`sent ${encodeURIComponent(encodeSecretValue(`me:${secret}`))}`)).not.toContain(
          encodeSecretValue(secret).slice(4, 10),
        );
      }
    }
  });

  it("is left out by the run that has read it although it is very short", () => {
    const [own] = maskers({ url: "postgres://u:p%40ss@host/db" });
    expect(own?.("p@ss or p%40ss or p%2540ss")).toBe("[redacted] or [redacted] or [redacted]");
  });

  it("is no host, port, user, path, reference or common word", () => {
    const values = {
      url: "postgres://orders:orders@orders-db.team.svc:5432/orders",
      env: "PGHOST=orders-db.team.svc\nPGPORT=5432\nPASSWORD=true\nSECRET=none\nTOKEN=${TOKEN}\n",
      json: '{"passwordFile":"/run/secrets/orders","existingSecret":"orders-key","secretName":"orders-tls"}',
      text: "the password protected archive is optional",
    };
    const text =
      "cannot reach orders-db.team.svc:5432 as orders: true or none, ${TOKEN}, see Secrets orders-key, orders-tls";
    for (const mask of maskers(values)) expect(mask(text)).toBe(text);
  });
});
