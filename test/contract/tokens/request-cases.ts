// Requests for tokens.
import { describe, expect, it } from "vitest";
import type { Body, RawAnswer, RawClient } from "../api-server/raw-request.ts";
import { claimsOf, labelledBy, space, uidOf, tokenSpace } from "./token-space.ts";

/** Declares the cases. */
export function declareRequestCases(client: () => RawClient): void {
  const { send, request } = tokenSpace(client);

  describe("requests for them", () => {
    const fault = ({ status: code, body }: RawAnswer): unknown => [code, body["message"]];

    it("are answered with what was sent, and the token", async () => {
      const { body } = await request("user", {
        metadata: { labels: { a: "b" } },
        spec: { audiences: ["a"], expirationSeconds: 900 },
      });
      const { metadata, spec, status: answer } = body as Record<string, Body>;
      expect(metadata).toEqual({
        name: "user",
        namespace: "tokens",
        uid: expect.any(String) as string,
        creationTimestamp: expect.any(String) as string,
        labels: { a: "b" },
        managedFields: labelledBy({ "f:audiences": {}, "f:expirationSeconds": {} }, { subresource: "token" }),
      });
      expect(spec).toEqual({ audiences: ["a"], expirationSeconds: 900, boundObjectRef: null });
      const { exp, iat } = claimsOf(String(answer?.["token"]));
      expect(Number(exp) - Number(iat)).toBe(900);
    });

    it.each<[what: string, body: Body, code: number, message: string]>([
      [
        "for another account",
        { metadata: { name: "other" } },
        422,
        'TokenRequest.authentication.k8s.io "user" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
      ],
      [
        "for another namespace",
        { metadata: { namespace: "other" } },
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
      ],
      [
        "for a former account",
        { metadata: { uid: "1-2-3" } },
        409,
        'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "user": the UID in the token request (1-2-3) does not match the UID of the service account (UID)',
      ],
      [
        "for ever",
        { spec: { expirationSeconds: 4_294_967_297 } },
        422,
        'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
      ],
    ])("are refused %s", async (_, body, code, message) => {
      const uid = uidOf(await send("GET", `${space}/serviceaccounts/user`));
      expect(fault(await request("user", { spec: {}, ...body }))).toEqual([
        code,
        message.replace("UID)", `${uid})`),
      ]);
    });

    it("of kubelets are for longer than they ask for, with a warning", async () => {
      await send("POST", `${space}/pods`, {
        metadata: { name: "kept" },
        spec: { serviceAccountName: "user", containers: [{ name: "c", image: "i" }] },
      });
      const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "kept" };
      const seconds = async (spec: Body): Promise<unknown> => {
        const { body } = await request("user", { spec });
        const { token: bearer, expirationTimestamp } = body["status"] as Body;
        const { iat, exp, "kubernetes.io": own } = claimsOf(String(bearer));
        const warnAfter = (own as Body)["warnafter"];
        const told = Date.parse(String(expirationTimestamp)) / 1_000;
        return [
          Number(exp) - Number(iat),
          warnAfter === undefined ? undefined : Number(warnAfter) - Number(iat),
          Math.abs(told - Number(iat) - Number(spec["expirationSeconds"])) <= 1,
        ];
      };
      const year = 31_536_000;
      expect(await seconds({ expirationSeconds: 3_607, boundObjectRef })).toEqual([year, 3_607, true]);
      expect(await seconds({ expirationSeconds: 3_608, boundObjectRef })).toEqual([3_608, undefined, true]);
      expect(await seconds({ expirationSeconds: 3_607 })).toEqual([3_607, undefined, true]);
      expect(await seconds({ expirationSeconds: 3_607, boundObjectRef, audiences: ["a"] })).toEqual([
        3_607,
        undefined,
        true,
      ]);
    });
  });
}
