// Tokens that Secrets hold, as every cluster makes them for whoever cannot ask for new ones; and how others check any token by themselves.
import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const issuer = "https://kubernetes.default.svc";
const space = "/api/v1/namespaces/held";
const named = "kubernetes.io/service-account.name";

describeOnEachApiServer(
  "tokens that Secrets hold",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const create = async (name: string, account: string): Promise<void> => {
      const metadata = { name, annotations: { [named]: account } };
      const type = "kubernetes.io/service-account-token";
      expect((await send("POST", `${space}/secrets`, { metadata, type })).status).toBe(201);
    };
    const dataOf = (body: Body): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries((body["data"] ?? {}) as Record<string, string>).map(([key, value]) => [
          key,
          Buffer.from(value, "base64").toString("utf8"),
        ]),
      );
    const held = (name: string): Promise<string> =>
      eventually(async () => {
        const { token = "" } = dataOf((await send("GET", `${space}/secrets/${name}`)).body);
        expect(token).not.toBe("");
        return token;
      });
    /** Answers are remembered for each token and its audiences. */
    let attempt = 0;
    const review = async (token: string): Promise<Body> => {
      attempt += 1;
      const spec = { token, audiences: [issuer, `attempt-${attempt}`] };
      const { body } = await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec });
      return body["status"] as Body;
    };

    const whyRefused = async (token: string): Promise<unknown> => (await review(token))["error"];
    const refused = (why: string): string => `[invalid bearer token, ${why}]`;

    beforeAll(async () => {
      client = createRawClient(server());
      await send("POST", "/api/v1/namespaces", { metadata: { name: "held" } });
      for (const name of ["robot", "passing"]) {
        await send("POST", `${space}/serviceaccounts`, { metadata: { name } });
      }
    });
    afterAll(() => client.close());

    it("are put into a Secret that names its account, and are that account", async () => {
      await create("robot", "robot");
      const token = await held("robot");
      const { body } = await send("GET", `${space}/secrets/robot`);
      const { body: account } = await send("GET", `${space}/serviceaccounts/robot`);
      const uid = metadataOf(account)["uid"];
      expect(dataOf(body)).toEqual({
        token,
        namespace: "held",
        "ca.crt": expect.stringContaining("BEGIN CERTIFICATE") as string,
      });
      expect(metadataOf(body)["annotations"]).toEqual({
        [named]: "robot",
        "kubernetes.io/service-account.uid": uid,
      });
      const fields = metadataOf(body)["managedFields"] as readonly Body[];
      expect(fields.map(({ fieldsV1 }) => fieldsV1)).toEqual([
        { "f:metadata": { "f:annotations": { ".": {}, [`f:${named}`]: {} } }, "f:type": {} },
        {
          "f:data": { ".": {}, "f:ca.crt": {}, "f:namespace": {}, "f:token": {} },
          "f:metadata": { "f:annotations": { "f:kubernetes.io/service-account.uid": {} } },
        },
      ]);
      expect(await review(token)).toEqual({
        authenticated: true,
        user: {
          username: "system:serviceaccount:held:robot",
          uid,
          groups: ["system:serviceaccounts", "system:serviceaccounts:held", "system:authenticated"],
        },
        audiences: [issuer],
      });
    });

    it("are of use as long as the Secret holds them", async () => {
      await create("changing", "robot");
      const token = await held("changing");
      const path = `${space}/secrets/changing`;
      const merge = { contentType: "application/merge-patch+json" };
      const mark = "kubernetes.io/legacy-token-invalid-since";
      await send("PATCH", path, { metadata: { labels: { [mark]: "2026-01-01" } } }, merge);
      await eventually(async () =>
        expect(await whyRefused(token)).toBe(
          refused(
            `the token in secret held/changing for service account held/robot has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${mark}' label from the secret to temporarily allow use of this token`,
          ),
        ),
      );
      await send("PATCH", path, { metadata: { labels: null }, data: { token: "" } }, merge);
      await eventually(async () =>
        expect(await whyRefused(token)).toBe(refused("Token does not match server's copy")),
      );
      await send("DELETE", path);
      await eventually(async () =>
        expect(await whyRefused(token)).toBe(refused("Token has been invalidated")),
      );
    });

    it("go with their account, and are not made for one that there is not", async () => {
      await create("passing", "passing");
      const token = await held("passing");
      await create("nobody", "nobody");
      await send("DELETE", `${space}/serviceaccounts/passing`);
      for (const name of ["passing", "nobody"]) {
        await eventually(async () =>
          expect((await send("GET", `${space}/secrets/${name}`)).status).toBe(404),
        );
      }
      await eventually(async () =>
        expect(await whyRefused(token)).toBe(refused("Token has been invalidated")),
      );
    });

    it("can be checked by others with what the issuer says of itself", async () => {
      const { body: configuration, headers } = await send("GET", "/.well-known/openid-configuration");
      const at = new URL(String(configuration["jwks_uri"])).pathname;
      const keys = await send("GET", at);
      expect([headers["content-type"], keys.headers["content-type"], keys.headers["cache-control"]]).toEqual([
        "application/json",
        "application/jwk-set+json",
        "public, max-age=3600",
      ]);
      const [key = {}] = keys.body["keys"] as readonly Body[];
      expect(configuration).toEqual({
        issuer,
        jwks_uri: expect.stringMatching(/^https:\/\/.*\/openid\/v1\/jwks$/) as string,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: [key["alg"]],
      });
      const { body } = await send("POST", `${space}/serviceaccounts/robot/token`, { spec: {} });
      const [header = "", claims = "", signature = ""] = String((body["status"] as Body)["token"]).split(".");
      const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
      expect(read(header)).toEqual({ alg: key["alg"], kid: key["kid"] });
      expect(read(claims)).toMatchObject({ iss: issuer });
      const publicKey = { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" } as const;
      const text = Buffer.from(`${header}.${claims}`);
      expect(verify("sha256", text, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
      expect((await send("GET", "/openid/v1/other")).status).toBe(404);
    });
  },
  { embedded: { rbac: true }, real: { controllers: "serviceaccount-token-controller" } },
);
