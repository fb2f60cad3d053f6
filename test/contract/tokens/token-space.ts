// A namespace with accounts whose tokens are asked for and reviewed, and what such answers hold.
import { expect } from "vitest";
import { metadataOf, type Body, type RawAnswer, type RawClient } from "../api-server/raw-request.ts";

export const spaces = "/api/v1/namespaces";
export const space = `${spaces}/tokens`;
export const issuer = "https://kubernetes.default.svc";
export const group = "authentication.k8s.io";

/** What is done with accounts and their tokens. */
export interface TokenSpace {
  readonly send: RawClient["send"];
  /** Makes an account. */
  account(name: string): Promise<RawAnswer>;
  /** Asks for a token of an account. */
  request(name: string, body: Body): Promise<RawAnswer>;
  /** A token of an account. */
  token(name: string, spec?: Body): Promise<string>;
  /** Asks whose a token is. */
  reviewed(spec: Body): Promise<RawAnswer>;
  /** What that is answered with. */
  status(spec: Body): Promise<Body>;
}

/** The accounts of a server. */
export function tokenSpace(client: () => RawClient): TokenSpace {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const request = (name: string, body: Body): Promise<RawAnswer> =>
    send("POST", `${space}/serviceaccounts/${name}/token`, body);
  const reviewed = (spec: Body): Promise<RawAnswer> =>
    send("POST", `/apis/${group}/v1/tokenreviews`, { spec });
  return {
    send,
    account: (name) => send("POST", `${space}/serviceaccounts`, { metadata: { name } }),
    request,
    async token(name, spec = {}) {
      const { status, body, text } = await request(name, { spec });
      expect(status, text).toBe(201);
      return String((body["status"] as Body)["token"]);
    },
    reviewed,
    status: async (spec) => (await reviewed(spec)).body["status"] as Body,
  };
}

/** What a token says. */
export function claimsOf(bearer: string): Body {
  return JSON.parse(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString("utf8")) as Body;
}

export function uidOf({ body }: RawAnswer): string {
  return String(metadataOf(body)["uid"]);
}

/** The managedFields of who has sent the label `a` and these fields of the spec. */
export function labelledBy(spec: Body, more: Body = {}): readonly Body[] {
  return [
    {
      manager: "contract",
      operation: "Update",
      apiVersion: `${group}/v1`,
      time: expect.any(String) as string,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:metadata": { "f:labels": { ".": {}, "f:a": {} } }, "f:spec": spec },
      ...more,
    },
  ];
}
