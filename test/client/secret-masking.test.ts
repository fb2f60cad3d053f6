import { describe, expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { createKubeClient } from "../../src/client/http-client.ts";
import { withoutSecretData } from "../../src/client/secret-masking.ts";
import { Secret } from "../../src/kinds/builtin/core.ts";
import { connectionTo, json, startLocalServer } from "./local-server.ts";

const password = 'correct "horse" battery\nstaple';
const encoded = Buffer.from(password).toString("base64");
const path = "/api/v1/namespaces/team/secrets/login?fieldManager=me";
const body = JSON.stringify({ kind: "Secret", metadata: { name: "login" }, data: { password: encoded } });
const hide = (text: string, sent = body) => withoutSecretData(text, { path, body: sent });

describe("errors about a Secret", () => {
  it("tell what is wrong without what was sent", () => {
    expect(hide(`Secret "login" is invalid: data[pass word]: Invalid value: "pass word"`)).toBe(
      `Secret "login" is invalid: data[pass word]: Invalid value: "pass word"`,
    );
    expect(hide(`expected map, got &{string ${encoded}}`)).toBe("expected map, got &{string [redacted]}");
  });

  it.each([
    ["decoded", password],
    ["quoted", JSON.stringify(password)],
    ["cut off in the middle", `error near ...|d":"${encoded.slice(4, 20)}|...`],
  ])("hide the data when it is %s", (_, quoted) => {
    const told = hide(`the webhook said: ${quoted}!`);
    expect(told).toContain("the webhook said: ");
    expect(told).toContain("[redacted]");
    for (let at = 0; at + 6 <= password.length; at += 1)
      expect(told).not.toContain(password.slice(at, at + 6));
    for (let at = 0; at + 6 <= encoded.length; at += 1) expect(told).not.toContain(encoded.slice(at, at + 6));
  });

  it("hide what stringData, a JSON patch and a wrongly typed value hold", () => {
    expect(hide("got hunter-two-three", JSON.stringify({ stringData: { a: "hunter-two-three" } }))).toBe(
      "got [redacted]",
    );
    const patch = [{ op: "add", path: "/data/a", value: "aHVudGVyMg==" }];
    expect(hide("got aHVudGVyMg== or hunter2", JSON.stringify(patch))).toBe("got [redacted] or [redacted]");
    expect(hide("expected string, got 123456789", JSON.stringify({ data: { pin: 123456789 } }))).toBe(
      "expected string, got [redacted]",
    );
  });

  it("say nothing when the body cannot be read", () => {
    expect(hide("secret: abcdef", "not json abcdef")).toBe("[redacted]");
  });

  it("do not hide what the request names itself, nor pieces of words", () => {
    const data = { host: "login-db.team.svc", port: "5", user: "login", schema: "team" };
    const refusal =
      'secrets "login" is forbidden: User "x5" cannot patch resource "secrets" in the namespace "team"';
    expect(hide(refusal, JSON.stringify({ stringData: data }))).toBe(refusal);
    expect(hide("got 5, 55 and login-db.team.svc", JSON.stringify({ stringData: data }))).toBe(
      "got [redacted], 55 and [redacted]",
    );
  });

  it("leave errors about other types as they are", () => {
    const text = `got ${encoded}`;
    expect(withoutSecretData(text, { path: "/api/v1/namespaces/secrets/configmaps/a", body })).toBe(text);
    expect(withoutSecretData(text, { path: "/apis/x.io/v1/namespaces/a/secrets/b", body })).toBe(text);
    expect(withoutSecretData(text, { path })).toBe(text);
  });

  it("hide it in the message and in the causes of the error that the client throws", async () => {
    const server = await startLocalServer((response) =>
      json(
        response,
        {
          kind: "Status",
          message: `admission webhook "vault" denied: ${JSON.stringify({ data: { password: encoded } })}`,
          reason: "Invalid",
          code: 422,
          details: { causes: [{ field: "data[password]", message: `bad value ${password}` }] },
        },
        422,
      ),
    );
    const client = createKubeClient(connectionTo(server.url));
    onTestFinished(() => client.close());
    const manifest = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace: "team" },
      data: { password: encoded },
    };
    const error: unknown = await client.create(Secret, manifest).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    const { message, details, reason } = error as ApiError;
    expect(message).toContain('admission webhook "vault" denied');
    expect(message).not.toContain(encoded);
    expect(reason).toBe("Invalid");
    expect(details.causes).toEqual([{ field: "data[password]", message: "bad value [redacted]" }]);
  });
});
