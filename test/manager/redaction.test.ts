import { inspect } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { createLogger } from "../../src/manager/pino-logger.ts";
import { redact } from "../../src/manager/redaction.ts";
import { redactText } from "../../src/meta/secret-text.ts";
import { RunLog } from "../../src/controller/run/run-log.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { systemClock } from "../../src/ports/system-clock.ts";
import type { WorkItem } from "../../src/queue/work-queue.ts";
import { ApiError } from "../../src/client/api-error.ts";

const password = "hunter2-and-a-half";
const encoded = Buffer.from(password).toString("base64");
const plain = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login", namespace: "team" },
  type: "Opaque",
  data: { password: encoded },
  stringData: { "config.json": `{"user":"a","password":"${password}"}` },
};
const secret = {
  ...plain,
  metadata: {
    ...plain.metadata,
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(plain) },
  },
};

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  write(createLogger({ level: "debug", destination: { write: (line: string) => lines.push(line) } }));
  expect(lines).not.toEqual([]);
  return lines.join("");
}

const circular: { self?: unknown; secret: unknown } = { secret };
circular.self = circular;

describe("a text that an author logs", () => {
  it("is cut when it is as long as a whole object, wherever it stands, and says how much is left out", () => {
    const text = `begin ${"x".repeat(3_000_000)}`;
    const line = logged((log) => log.child({ cause: text }).error({ error: new Error(text) }, text));
    expect(line.length).toBeLessThan(60_000);
    const cut = `begin ${"x".repeat(16_378)}… (2983622 more characters)`;
    expect(JSON.parse(line)).toMatchObject({ cause: cut, error: { message: cut }, msg: cut });
  });
});

describe("a Secret that an author logs", () => {
  it.each<[string, Record<string, unknown>]>([
    ["as the field of a line", { cr: secret }],
    ["as the line itself", secret],
    ["as a JSON patch", { patch: [{ op: "add", path: "/data/password", value: encoded }] }],
    ["in a list", { owned: [secret, secret] }],
    ["deep inside", { a: { b: { c: { d: [{ e: secret }] } } } }],
    ["in a Map", { cache: new Map([["team/login", secret]]) }],
    ["in a Set", { seen: new Set([secret]) }],
    ["in a circle", { circular }],
    ["behind a toJSON", { wrapped: { toJSON: () => secret } }],
    ["as JSON", { text: JSON.stringify(secret) }],
    ["as JSON with line breaks", { text: JSON.stringify(secret, null, 2) }],
    ["as JSON in JSON", { text: JSON.stringify(JSON.stringify(secret)) }],
    ["as JSON that was cut off", { text: JSON.stringify(plain).slice(0, -20) }],
    ["as YAML", { text: stringify(plain) }],
    ["as YAML in a list", { text: stringify([plain, plain]) }],
    ["as JavaScript prints it", { text: inspect(plain, { depth: 9 }) }],
    ["as JavaScript prints it on one line", { text: inspect(plain, { depth: 9, breakLength: Infinity }) }],
    ["in the message of an error", { error: new Error(`cannot apply ${JSON.stringify(secret)}`) }],
    ["in the cause of an error", { error: new Error("no", { cause: new Error(JSON.stringify(secret)) }) }],
    ["in the fields of an error", { error: new OperatorError("X", "no", { fields: { secret } }) }],
    [
      "in an API server's error that quotes it",
      {
        error: new ApiError(`PATCH secrets/login: webhook denied ${JSON.stringify(plain)} (403 Forbidden)`, {
          status: 403,
          reason: "Forbidden",
          details: {},
          retryAfter: undefined,
          request: "PATCH",
        }),
      },
    ],
  ])("%s does not show its data", (_, fields) => {
    const outputs = [
      logged((log) => log.info(fields, "look")),
      logged((log) => log.child(fields).debug({}, "look")),
      logged((log) => log.child({ controller: "a" }).error({ nested: fields }, "look")),
    ];
    for (const output of outputs) {
      expect(output).not.toContain(encoded);
      expect(output).not.toContain(password);
      expect(output).toMatch(/redacted|too deep/);
    }
  });

  it("does not show its data in the text of a message", () => {
    const output = logged((log) => log.info({}, `I have ${JSON.stringify(secret)}`));
    expect(output).not.toContain(encoded);
    expect(output).toContain("I have");
  });

  it("still shows which Secret it is", () => {
    const line = JSON.parse(logged((log) => log.info({ cr: plain }, "look"))) as { cr: unknown };
    expect(line.cr).toEqual({ ...plain, data: "[redacted]", stringData: "[redacted]" });
  });
});

describe("what is no secret", () => {
  it("is logged as it is", () => {
    const fields = {
      object: "team/a",
      took: 12,
      ready: true,
      nothing: null,
      causes: [{ reason: "modified", detail: "data.password" }],
    };
    expect(redact(fields)).toEqual(fields);
    expect(redactText("the data directory: {x} and database: { a: 1 }")).toBe(
      "the data directory: {x} and database: { a: 1 }",
    );
  });

  it("is still told of an error: its message, code, fields and cause", () => {
    const error = new OperatorError("CODE", "no", { fields: { size: 3 }, cause: new TypeError("why") });
    expect(redact({ error })).toEqual({
      error: {
        name: "OperatorError",
        message: "no",
        code: "CODE",
        fields: { size: 3 },
        cause: { name: "TypeError", message: "why" },
      },
    });
  });

  it("never makes a line fail", () => {
    const hostile = {
      get broken(): string {
        throw new Error("no");
      },
    };
    expect(redact({ hostile, big: 1n, call: () => 1 })).toEqual({
      hostile: "[unreadable]",
      big: "1",
      call: undefined,
    });
  });
});

describe("data of any content", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("a", '"', "\\", "}", "{", "]", "'", "`", " ", "\n", ":", ",", "é", "data"),
    maxLength: 12,
  });
  const value = fc.tuple(hostile, hostile).map(([before, after]) => `${before}hunter2${after}`);
  const data = fc.dictionary(fc.constantFrom("a", "b", "c.json"), value, { minKeys: 1 });

  it("is left out of JSON, however often escaped, and nothing that follows is lost", () => {
    fc.assert(
      fc.property(data, fc.integer({ min: 0, max: 3 }), (values, escaped) => {
        let tail = ',"tail":"tail"}';
        let text = `{"kind":"Secret","stringData":${JSON.stringify(values)}${tail}`;
        for (let round = 0; round < escaped; round += 1) {
          text = JSON.stringify(text);
          tail = JSON.stringify(tail).slice(1);
        }
        const told = redactText(`<<${text}>>`);
        expect(told).not.toContain("hunter2");
        expect(told.endsWith(`${tail}>>`)).toBe(true);
      }),
    );
  });

  it("is left out of JSON that was cut off anywhere", () => {
    fc.assert(
      fc.property(data, fc.nat(), (values, at) => {
        const text = JSON.stringify({ kind: "Secret", data: values });
        expect(redactText(text.slice(0, at % text.length))).not.toContain("hunter2");
      }),
    );
  });

  it("is left out of what JavaScript prints", () => {
    fc.assert(
      fc.property(data, fc.constantFrom(80, 20, Infinity), (values, breakLength) => {
        const told = redactText(inspect({ kind: "Secret", data: values, tail: 1 }, { breakLength }));
        expect(told).not.toContain("hunter2");
        expect(told).toMatch(/tail: 1\s\}$/);
      }),
    );
  });

  it("is left out of YAML", () => {
    fc.assert(
      fc.property(data, fc.boolean(), (values, first) => {
        const object = first ? { data: values, kind: "Secret" } : { kind: "Secret", data: values };
        expect(redactText(stringify([object, { spec: object }]))).not.toContain("hunter2");
        expect(redactText(stringify(object))).toContain("kind: Secret");
      }),
    );
  });
});

describe("what is nested", () => {
  const nested = (levels: number, inner: unknown): unknown =>
    levels === 0 ? inner : { in: nested(levels - 1, inner) };

  it("is logged to the twelfth level, and no further", () => {
    expect(redact(nested(11, {}))).toEqual(nested(11, {}));
    expect(redact(nested(12, {}))).toEqual(nested(12, "[too deep]"));
  });

  it.each(Array.from({ length: 16 }, (_, levels) => levels))(
    "shows no value of a Secret that the run has read, %i levels deep",
    (levels) => {
      const lines: string[] = [];
      const log = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
      const secrets = { mask: (text: string) => text.replaceAll("an-odd-word", "•••") };
      const item = { key: "a", causes: [], moreCauses: 0, waited: 0 } as unknown as WorkItem;
      const run = new RunLog({ log, item, reconcileId: "r", clock: systemClock, since: 0, secrets });
      run.info({ given: nested(levels, { text: "an-odd-word", list: ["an-odd-word"] }) }, "look");
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain("an-odd-word");
    },
  );
});

describe("an error that a hook logs", () => {
  it("has the place in the author's code, as one that is thrown", () => {
    const lines: string[] = [];
    const log = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
    const item = { key: "a", causes: [], moreCauses: 0, waited: 0 } as unknown as WorkItem;
    const secrets = { mask: (text: string) => text };
    const run = new RunLog({ log, item, reconcileId: "r", clock: systemClock, since: 0, secrets });
    run.error({ error: new OperatorError("LATE", "too late", { remedy: "Await it." }) }, "late");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      msg: "late",
      error: { message: "too late" },
      code: "LATE",
      remedy: "Await it.",
      where: expect.stringMatching(/redaction\.test\.ts:\d+:\d+$/),
      stack: expect.stringContaining("redaction.test.ts"),
    });
  });
});

describe("a field whose name says that it is a secret", () => {
  it.each([
    "password",
    "adminPassword",
    "DB_PASSWORD",
    "api-key",
    "apiKey",
    "clientSecret",
    "privateKey",
    "dsn",
    "jwt_secret",
    "accessToken",
    "Authorization",
    "set-cookie",
  ])("is left out: %s", (name) => {
    expect(redact({ [name]: "hunter2" })).toEqual({ [name]: "[redacted]" });
    expect(redactText(`refused {"user":"a","${name}":"hunter2","port":1}`)).toBe(
      `refused {"user":"a","${name}":"[redacted]","port":1}`,
    );
    expect(redactText(`host=db ${name}=hunter2 port=1`)).toBe(`host=db ${name}=[redacted] port=1`);
  });

  it("is left out whatever form it has, as headers may have several values", () => {
    expect(redact({ authorization: ["Bearer hunter2"], "Proxy-Authorization": "hunter2" })).toEqual({
      authorization: "[redacted]",
      "Proxy-Authorization": "[redacted]",
    });
  });

  it.each([
    { passwordSecretRef: { name: "login" } },
    { secret: "login" },
    { secretName: "login" },
    { tokenExpirationSeconds: 600 },
    { automountServiceAccountToken: false },
    { publicKey: "ssh-ed25519 AAAA" },
    { keyboard: "us" },
  ])("is reported when it only names or describes one: %o", (fields) => {
    expect(redact(fields)).toEqual(fields);
    expect(redactText(JSON.stringify(fields))).toBe(JSON.stringify(fields));
  });
});

describe("what a text sends along with a request", () => {
  it.each([
    ["GET https://admin:hunter2@kube:6443/api", "GET https://admin:[redacted]@kube:6443/api"],
    ["GET https://ghp_0123456789@github.com/x", "GET https://[redacted]@github.com/x"],
    ["Authorization: Bearer eyJhbGciOiJ9.eyJpc3Mi.sig-0", "Authorization: Bearer [redacted]"],
    ["authorization was Basic dXNlcjpodW50ZXIy", "authorization was Basic [redacted]"],
  ])("is left out: %s", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    "see https://example.com/a@b and mail me@example.com",
    "Bearer authentication is required",
    "the Basic plan includes five clusters",
    "a = b, replicas=3 and image=web:1",
  ])("leaves other text alone: %s", (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe("a long text that somebody wrote to keep the process busy", () => {
  const parts = [
    "data:[",
    '"data":{',
    "data: x ",
    '\\"',
    "https://a:",
    "Basic ",
    '"password":"',
    "password=",
    "a.",
    "- data:\n  ",
    "Bearer a",
    "'",
    "data: [Object ",
  ];

  /** Microseconds of this thread's own, which do not pass while other programs have the processor. */
  function least(work: () => void): number {
    let best = Infinity;
    for (let round = 0; round < 9; round += 1) {
      const before = process.threadCpuUsage();
      work();
      const { user, system } = process.threadCpuUsage(before);
      best = Math.min(best, user + system);
    }
    return best;
  }

  it.each(parts)("is looked through in a time that grows as it does: %j", (part) => {
    const short = part.repeat(8_000 / part.length);
    const long = part.repeat(64_000 / part.length);
    redactText(short);
    // Eight times as long. Quadratic work would take 64 times as long.
    expect(least(() => redactText(long))).toBeLessThan(40 * least(() => redactText(short)) + 5_000);
  });

  it.each(parts)(
    "costs a line of a log no more when it is a thousand times as long as what is kept of it: %j",
    (part) => {
      const kept = part.repeat(20_000 / part.length);
      const long = part.repeat(20_000_000 / part.length);
      redact({ kept });
      expect(least(() => redact({ long }))).toBeLessThan(8 * least(() => redact({ kept })) + 5_000);
    },
  );

  it("is cut before a secret that stands at the end of what is kept, or after the whole of it", () => {
    const value = "correct-horse-battery-staple";
    const keeper = (text: string): string => text.replaceAll(value, "[redacted]");
    for (let before = 16_384 - 2 * value.length; before < 16_384 + 10; before += 1) {
      const logged = redact({ text: `${"x".repeat(before)}${value}${"y".repeat(50_000)}` }, keeper);
      const { text } = logged as { readonly text: string };
      expect(text).not.toContain(value.slice(0, 6));
      expect(text).toMatch(/more characters\)$/);
    }
  });
});
