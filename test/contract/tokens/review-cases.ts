// Reviews of tokens: what they are answered with, and who is asked about them.
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { RawClient } from "../api-server/raw-request.ts";
import { claimsOf, group, labelledBy, space, uidOf, tokenSpace } from "./token-space.ts";

/** Declares the cases. */
export function declareReviewCases(client: () => RawClient): void {
  const { send, token, reviewed, status } = tokenSpace(client);

  describe("reviews", () => {
    it("are answered with what was sent, and who has sent it", async () => {
      const bearer = await token("user", { audiences: ["a"] });
      const { status: code, body } = await send("POST", `/apis/${group}/v1/tokenreviews`, {
        metadata: { name: "mine", labels: { a: "b" }, uid: "1", creationTimestamp: "2020-01-01T00:00:00Z" },
        spec: { token: bearer, audiences: ["a"] },
      });
      expect([code, body]).toEqual([
        201,
        {
          kind: "TokenReview",
          apiVersion: `${group}/v1`,
          metadata: {
            name: "mine",
            labels: { a: "b" },
            managedFields: labelledBy({ "f:audiences": {}, "f:token": {} }),
          },
          spec: { token: bearer, audiences: ["a"] },
          status: {
            authenticated: true,
            user: {
              username: "system:serviceaccount:tokens:user",
              uid: uidOf(await send("GET", `${space}/serviceaccounts/user`)),
              groups: ["system:serviceaccounts", "system:serviceaccounts:tokens", "system:authenticated"],
              extra: {
                "authentication.kubernetes.io/credential-id": [`JTI=${String(claimsOf(bearer)["jti"])}`],
              },
            },
            audiences: ["a"],
          },
        },
      ]);
    });

    it("need a token", async () => {
      const { status: code, body } = await reviewed({});
      expect([code, body["message"]]).toEqual([400, "token is required for TokenReview in authentication"]);
    });

    it("know what is no token of theirs", async () => {
      const [header = "", claims = "", signature = ""] = (await token("user")).split(".");
      const turned = Buffer.from(signature, "base64url").reverse().toString("base64url");
      const stranger = Buffer.from(JSON.stringify({ iss: "https://example.com" })).toString("base64url");
      expect(
        await Promise.all(
          ["nonsense", "a.b.c", `${header}.${stranger}.${signature}`, `${header}.${claims}.${turned}`].map(
            (each) => status({ token: each }),
          ),
        ),
      ).toEqual([
        { user: {}, error: "invalid bearer token" },
        { user: {}, error: "invalid bearer token" },
        { user: {}, error: "invalid bearer token" },
        { user: {}, error: "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]" },
      ]);
    });

    it("take a token as a request would bring it", async () => {
      const bearer = await token("user");
      expect(await status({ token: `${bearer} and more` })).toMatchObject({ authenticated: true });
      expect(await status({ token: ` ${bearer}`, audiences: ["a"] })).toEqual({
        authenticated: true,
        user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
        audiences: ["a"],
      });
    });

    it("of oneself name the token, and keep nothing that was sent", async () => {
      const bearer = await token("user");
      const { body } = await send(
        "POST",
        `/apis/${group}/v1/selfsubjectreviews`,
        { metadata: { name: "mine", labels: { a: "b" } } },
        { token: bearer },
      );
      expect(body).toEqual({
        kind: "SelfSubjectReview",
        apiVersion: `${group}/v1`,
        metadata: { creationTimestamp: expect.any(String) as string },
        status: {
          userInfo: {
            username: "system:serviceaccount:tokens:user",
            uid: expect.any(String) as string,
            groups: ["system:serviceaccounts", "system:serviceaccounts:tokens", "system:authenticated"],
            extra: {
              "authentication.kubernetes.io/credential-id": [`JTI=${String(claimsOf(bearer)["jti"])}`],
            },
          },
        },
      });
    });
  });

  it("are asked about by webhooks, and by no policy", async () => {
    const admission = "/apis/admissionregistration.k8s.io/v1";
    const rule = {
      apiGroups: [group],
      apiVersions: ["*"],
      operations: ["*"],
      resources: ["tokenreviews", "selfsubjectreviews"],
    };
    await send("POST", `${admission}/validatingadmissionpolicies`, {
      metadata: { name: "nobody" },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "false" }] },
    });
    await send("POST", `${admission}/validatingadmissionpolicybindings`, {
      metadata: { name: "nobody" },
      spec: { policyName: "nobody", validationActions: ["Deny"] },
    });
    await send("POST", `${admission}/validatingwebhookconfigurations`, {
      metadata: { name: "nobody" },
      webhooks: [
        {
          name: "nobody.example.com",
          rules: [{ ...rule, resources: ["tokenreviews"] }],
          clientConfig: { url: "https://127.0.0.1:1/" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    await eventually(async () => {
      const { status: code, body } = await reviewed({ token: "any" });
      expect([code, body["message"]]).toEqual([
        500,
        expect.stringContaining('failed calling webhook "nobody.example.com"') as string,
      ]);
    });
    const self = await send("POST", `/apis/${group}/v1/selfsubjectreviews`, {});
    expect(self.status).toBe(201);
    for (const each of [
      "validatingwebhookconfigurations",
      "validatingadmissionpolicybindings",
      "validatingadmissionpolicies",
    ]) {
      await send("DELETE", `${admission}/${each}/nobody`);
    }
  });
}
