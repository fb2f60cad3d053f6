// For whom tokens are, and what they are bound to.
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawAnswer, RawClient } from "../api-server/raw-request.ts";
import { claimsOf, issuer, space, uidOf, tokenSpace } from "./token-space.ts";

/** Declares the cases. */
export function declareAudienceCases(client: () => RawClient, adminToken: () => string): void {
  const { send, account, token, status } = tokenSpace(client);

  describe("audiences", () => {
    it.each<[of: string[], asked: string[] | undefined, common: string[]]>([
      [[], undefined, [issuer]],
      [[], ["b", issuer], [issuer]],
      [
        ["a", "b"],
        ["b", "c", "a"],
        ["b", "a"],
      ],
      [["a", issuer], undefined, [issuer]],
      [["a", issuer], [], [issuer]],
      [["a"], ["a", "a"], ["a", "a"]],
    ])("of a token for %j that is asked about for %j are %j", async (audiences, asked, common) => {
      const bearer = await token("user", { audiences });
      expect(claimsOf(bearer)["aud"]).toEqual(audiences.length === 0 ? [issuer] : audiences);
      expect(await status({ token: bearer, audiences: asked })).toMatchObject({
        authenticated: true,
        audiences: common,
        user: { username: "system:serviceaccount:tokens:user" },
      });
    });

    it.each<[of: string[], asked: string[] | undefined, words: string]>([
      [
        ["a"],
        undefined,
        `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${issuer}"]]`,
      ],
      [
        ["a", "b"],
        ["c", 'd"'],
        '[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ["c" "d\\""]]',
      ],
      [
        [],
        ["a"],
        `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["a"]]`,
      ],
    ])("of a token for %j that is asked about for %j are none", async (audiences, asked, words) => {
      const bearer = await token("user", { audiences });
      expect(await status({ token: bearer, audiences: asked })).toEqual({ user: {}, error: words });
    });

    it("of whoever is no service account are those of the server", async () => {
      const admin = adminToken();
      expect(await status({ token: admin })).toMatchObject({ authenticated: true, audiences: [issuer] });
      expect(await status({ token: admin, audiences: ["a", issuer] })).toMatchObject({
        audiences: [issuer],
      });
      expect(await status({ token: admin, audiences: ["a"] })).toEqual({
        user: {},
        error: "invalid bearer token",
      });
    });

    it("decide whether a request is heard", async () => {
      for (const [audiences, code] of [
        [["a"], 401],
        [["a", issuer], 403],
      ] as const) {
        const answer = await send("GET", `${space}/pods`, undefined, {
          token: await token("user", { audiences }),
        });
        expect([answer.status, answer.body["code"]]).toEqual([code, code]);
      }
    });
  });

  describe("what they are bound to", () => {
    const objects: readonly (readonly [kind: string, collection: string, body: (name: string) => Body])[] = [
      [
        "Pod",
        `${space}/pods`,
        () => ({ spec: { serviceAccountName: "user", containers: [{ name: "c", image: "i" }] } }),
      ],
      ["Secret", `${space}/secrets`, () => ({})],
      ["Node", "/api/v1/nodes", () => ({})],
    ];

    it.each(objects)("is there: a %s", async (kind, collection, content) => {
      const name = `bound-${kind.toLowerCase()}`;
      const create = (): Promise<RawAnswer> =>
        send("POST", collection, { metadata: { name }, ...content(name) });
      const uid = uidOf(await create());
      const boundObjectRef = { kind, apiVersion: "v1", name, uid };
      const [first, second, third] = [
        await token("user", { boundObjectRef }),
        await token("user", { boundObjectRef }),
        await token("user", { boundObjectRef, audiences: ["a"] }),
      ];
      const word = kind.toLowerCase();
      const { user } = await status({ token: first });
      const facts = (user as Body)["extra"] as Body;
      expect(facts[`authentication.kubernetes.io/${word}-uid`]).toEqual(
        word === "secret" ? undefined : [uid],
      );
      await send("DELETE", `${collection}/${name}?gracePeriodSeconds=0`);
      // Answers are remembered for each token and audience.
      let attempt = 0;
      const error = async (bearer: string, audience: string): Promise<unknown> => {
        attempt += 1;
        return (await status({ token: bearer, audiences: [audience, `attempt-${attempt}`] }))["error"];
      };
      await eventually(async () =>
        expect(await error(second, issuer)).toBe(
          "[invalid bearer token, service account token has been invalidated]",
        ),
      );
      expect((await send("GET", `${space}/pods`, undefined, { token: second })).status).toBe(401);
      const next = uidOf(await create());
      await eventually(async () =>
        expect(await error(third, "a")).toBe(
          `[invalid bearer token, ${word} UID (${next}) does not match service account ${word} ref claim (${uid})]`,
        ),
      );
      await send("DELETE", `${collection}/${name}?gracePeriodSeconds=0`);
    });

    it("is their account", async () => {
      await account("passing");
      const bearer = await token("passing");
      const uid = uidOf(await send("GET", `${space}/serviceaccounts/passing`));
      let attempt = 0;
      const error = async (): Promise<unknown> => {
        attempt += 1;
        return (await status({ token: bearer, audiences: [issuer, `attempt-${attempt}`] }))["error"];
      };
      await send("DELETE", `${space}/serviceaccounts/passing`);
      await eventually(async () =>
        expect(await error()).toBe('[invalid bearer token, serviceaccounts "passing" not found]'),
      );
      const next = uidOf(await account("passing"));
      await eventually(async () =>
        expect(await error()).toBe(
          `[invalid bearer token, service account UID (${next}) does not match claim (${uid})]`,
        ),
      );
    });
  });
}
