// API aggregation, as every API server does it: what an APIService says is served by another server is asked there, on behalf of the user,
// and what that server serves is named among the rest.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  extensionGroup,
  extensionPath,
  startExtensionServer,
  type ExtensionServer,
} from "../support/extension-server.ts";
import {
  adminTokenOf,
  createRawClient,
  metadataOf,
  type Body,
  type RawClient,
} from "./api-server/raw-request.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const name = `v1alpha1.${extensionGroup}`;
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const namespace = "/api/v1/namespaces/default";
const flunders = `${extensionPath}/namespaces/default/flunders`;

describeOnEachApiServer(
  "API aggregation",
  (server) => {
    let client: RawClient;
    let extension: ExtensionServer;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const token = (): string => adminTokenOf(server().kubeconfig);

    const register = (content: Body, called = name): ReturnType<RawClient["send"]> => {
      const [version = "", ...group] = called.split(".");
      const spec = {
        group: group.join("."),
        version,
        groupPriorityMinimum: 2_000,
        versionPriority: 15,
        ...content,
      };
      return send("POST", services, { metadata: { name: called }, spec });
    };
    const availability = async (called = name): Promise<readonly unknown[]> => {
      const { body } = await send("GET", `${services}/${called}`);
      const { conditions = [] } = (body["status"] ?? {}) as { conditions?: Body[] };
      return conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
    };
    const passed = ["Available", "True", "Passed", "all checks passed"];

    beforeAll(async () => {
      client = createRawClient(server());
      extension = await startExtensionServer(["extension.default.svc"]);
      await send("POST", `${namespace}/services`, {
        metadata: { name: "extension" },
        spec: { type: "ExternalName", externalName: "localhost", ports: [{ port: extension.port }] },
      });
      await register({
        service: { namespace: "default", name: "extension", port: extension.port },
        caBundle: extension.caBundle,
      });
      await eventually(async () => {
        expect(await availability()).toEqual([passed]);
        expect((await send("GET", flunders)).status).toBe(200);
      });
    });
    afterAll(async () => {
      await client.close();
      await extension.stop();
    });

    it("passes a request on with the user in headers, and without what the client says of itself", async () => {
      extension.take();
      const answer = await send(
        "POST",
        `${flunders}?b=2&a=1`,
        { spec: { reference: "ü" } },
        {
          headers: {
            "x-remote-user": "root",
            "x-remote-group": "wheel",
            "x-remote-extra-scopes": "all",
            "x-custom": "kept",
            "x-forwarded-for": "10.0.0.1",
          },
        },
      );
      expect([answer.status, answer.body]).toEqual([201, { spec: { reference: "ü" } }]);
      const [asked] = extension.take();
      expect(asked).toMatchObject({
        method: "POST",
        url: `${flunders}?a=1&b=2`,
        body: JSON.stringify({ spec: { reference: "ü" } }),
        headers: {
          "x-remote-user": ["admin"],
          "x-remote-group": ["system:masters", "system:authenticated"],
          "x-custom": ["kept"],
          "x-forwarded-for": ["10.0.0.1, 127.0.0.1"],
          "x-forwarded-host": [`localhost:${extension.port}`],
          "x-forwarded-proto": ["https"],
          "content-type": ["application/json"],
          "user-agent": ["contract/1.0"],
        },
      });
      expect(Object.keys(asked?.headers ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(authorization|x-remote-extra-scopes)$/)]),
      );
    });

    it("says who an impersonated user is", async () => {
      extension.take();
      const headers = {
        "impersonate-user": "jane",
        "impersonate-group": "developers",
        "impersonate-uid": "7",
        "impersonate-extra-example.com%2fteam": "blue",
      };
      const asAdmin = await send("GET", `${flunders}/one`, undefined, {
        headers: { ...headers, "impersonate-group": "system:masters" },
      });
      expect(asAdmin.status).toBe(200);
      const [asked] = extension.take();
      const said = Object.entries(asked?.headers ?? {}).filter(([key]) =>
        /^(?:x-remote|impersonate)-/.test(key),
      );
      expect(Object.fromEntries(said)).toEqual({
        "x-remote-user": ["jane"],
        "x-remote-uid": ["7"],
        "x-remote-group": ["system:masters", "system:authenticated"],
        "x-remote-extra-example.com%2fteam": ["blue"],
      });
      const refused = await send("GET", `${flunders}/one`, undefined, { headers });
      expect([refused.status, refused.body["message"]]).toEqual([
        403,
        `flunders.${extensionGroup} "one" is forbidden: User "jane" cannot get resource "flunders" in API group "${extensionGroup}" in the namespace "default"`,
      ]);
      expect(extension.take()).toEqual([]);
    });

    it("shows a certificate that the published authority has signed", async () => {
      extension.take();
      await send("GET", flunders);
      const [asked] = extension.take();
      const { body } = await send(
        "GET",
        "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
      );
      const data = body["data"] as Record<string, string>;
      const authority = new X509Certificate(data["requestheader-client-ca-file"] ?? "");
      expect(asked?.client).toEqual({ name: "CN=front-proxy-client", issuer: authority.subject });
      expect(JSON.parse(data["requestheader-allowed-names"] ?? "")).toEqual(["front-proxy-client"]);
      expect(JSON.parse(data["requestheader-username-headers"] ?? "")).toEqual(["X-Remote-User"]);
      expect(data["client-ca-file"]).toContain("BEGIN CERTIFICATE");
    });

    it("passes on a watch as it comes, and ends it with the client", async () => {
      const { lines } = await client.watch(`${flunders}?watch=true`, 1);
      expect(lines).toMatchObject([{ type: "ADDED", object: { metadata: { name: "one" } } }]);
    });

    it("joins the connections where the protocol is changed", async () => {
      const socket = new WebSocket(`${server().url.replace("https", "wss")}${flunders}/one/talk`, {
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${token()}` },
      });
      const said: string[] = [];
      await new Promise<void>((resolve, reject) => {
        socket.on("error", reject);
        socket.on("open", () => socket.send("good morning"));
        socket.on("message", (data: Buffer) => {
          if (said.push(data.toString()) === 2) resolve();
        });
      });
      socket.close();
      expect(said).toEqual(["hello admin", "you said good morning"]);
    });

    it("shows no token that came as a subprotocol", async () => {
      extension.take();
      const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(token()).toString("base64url")}`;
      const socket = new WebSocket(
        `${server().url.replace("https", "wss")}${flunders}/one/talk`,
        [bearer, "v5.talk"],
        {
          rejectUnauthorized: false,
        },
      );
      await new Promise((resolve, reject) => {
        socket.on("error", reject);
        socket.on("open", resolve);
      });
      socket.close();
      expect(extension.take().map(({ headers }) => headers["sec-websocket-protocol"])).toEqual([["v5.talk"]]);
    });

    it("answers with the words of the other server, whatever they are", async () => {
      extension.answer = (_, response) => {
        response.writeHead(418, { "Content-Type": "text/plain", "X-Of-It": "yes" }).end("a teapot");
        return "answered";
      };
      const answer = await send("GET", flunders);
      extension.answer = () => "as usual";
      expect([answer.status, answer.text, answer.headers["x-of-it"]]).toEqual([418, "a teapot", "yes"]);
    });

    it("says why a server could not be asked", async () => {
      extension.answer = (_, response) => {
        response.socket?.destroy();
        return "answered";
      };
      const answer = await send("GET", flunders);
      extension.answer = () => "as usual";
      expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([
        503,
        "text/plain; charset=utf-8",
        "error trying to reach service: EOF\n",
      ]);
    });

    it("names the group among the others, by its priority", async () => {
      const { body } = await send("GET", "/apis");
      const groups = (body["groups"] as Body[]).map((each) => each["name"]);
      expect(groups.slice(-1)).toEqual([extensionGroup]);
      const version = { groupVersion: `${extensionGroup}/v1alpha1`, version: "v1alpha1" };
      expect((await send("GET", `/apis/${extensionGroup}`)).body).toMatchObject({
        kind: "APIGroup",
        name: extensionGroup,
        versions: [version],
        preferredVersion: version,
      });
      expect((await send("GET", extensionPath)).body).toMatchObject({ kind: "APIResourceList" });
    });

    const documentOf = async (group = extensionGroup): Promise<unknown> => {
      const { body } = await send("GET", "/apis", undefined, { accept: aggregated });
      const items = body["items"] as readonly { metadata: { name: string }; versions: unknown }[];
      return items.find(({ metadata }) => metadata.name === group)?.versions;
    };
    const resource = {
      resource: "flunders",
      scope: "Namespaced",
      singularResource: "flunder",
      verbs: ["create", "delete", "get", "list", "watch"],
      shortNames: ["fl"],
    };

    /** What aggregated discovery says of the group while its server can be asked. */
    const current = (responseKind: object): readonly object[] => {
      const subresources = [{ subresource: "status", responseKind, verbs: ["get"] }];
      const resources = [{ ...resource, responseKind, subresources }];
      return [{ version: "v1alpha1", resources, freshness: "Current" }];
    };

    it("has its resources in aggregated discovery", async () => {
      const responseKind = { group: extensionGroup, version: "v1alpha1", kind: "Flunder" };
      await eventually(async () => expect(await documentOf()).toEqual(current(responseKind)));
    });

    it("has the OpenAPI documents of the other server", async () => {
      const path = `apis/${extensionGroup}/v1alpha1`;
      await eventually(async () => {
        const { paths } = (await send("GET", "/openapi/v3")).body as { paths: Record<string, unknown> };
        expect(paths[path]).toEqual({ serverRelativeURL: `/openapi/v3/${path}?hash=1` });
        expect(paths).toHaveProperty(["apis/apps/v1"]);
        const whole = (await send("GET", "/openapi/v2")).body as { paths: Body; definitions: Body };
        expect(Object.keys(whole.paths).filter((each) => each.includes(extensionGroup))).toEqual([
          `${extensionPath}/flunders`,
        ]);
        expect(Object.keys(whole.definitions).filter((each) => each.startsWith("com.example."))).toEqual([
          "com.example.Flunder",
          "com.example.FlunderSpec",
          "com.example.Unused",
        ]);
      });
      const { body } = await send("GET", `/openapi/v3/${path}?hash=1`);
      expect(body).toMatchObject({
        components: { schemas: { "com.example.Flunder": { description: "A flunder" } } },
      });
    });

    it("refuses a server whose certificate was signed by another authority", async () => {
      const called = `v1beta1.${extensionGroup}`;
      const service = { namespace: "default", name: "extension", port: extension.port };
      const caBundle = Buffer.from(readAuthority(server().kubeconfig)).toString("base64");
      await register({ service, caBundle }, called);
      const url = `https://localhost:${extension.port}/apis/${extensionGroup}/v1beta1`;
      const why = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
      await eventually(async () => {
        const [[type, status, reason, message] = []] = (await availability(called)) as string[][];
        expect([type, status, reason]).toEqual(["Available", "False", "FailedDiscoveryCheck"]);
        expect(message).toContain(`failing or missing response from ${url}: Get "${url}": ${why}`);
        expect((await send("GET", `/apis/${extensionGroup}/v1beta1`)).text).toBe("service unavailable\n");
      });
      expect((await send("DELETE", `${services}/${called}`)).status).toBe(200);
      await eventually(async () => {
        expect((await send("GET", `/apis/${extensionGroup}/v1beta1/flunders`)).status).toBe(404);
      });
    });

    it("says in the condition what is wrong, and then answers that the service is unavailable", async () => {
      const of = (port: number): string => `service/missing in "default"${port === 0 ? "" : ` ${port}`}`;
      const called = "v1.gone.example.com";
      await register(
        { service: { namespace: "default", name: "missing", port: 8443 }, insecureSkipTLSVerify: true },
        called,
      );
      const says = (reason: string, message: string): Promise<void> =>
        eventually(async () => {
          expect(await availability(called)).toEqual([["Available", "False", reason, message]]);
        });
      await says("ServiceNotFound", `${of(0)} is not present`);
      for (const path of ["/apis/gone.example.com/v1", "/apis/gone.example.com/v1/things"]) {
        const answer = await send("GET", path);
        expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([
          503,
          "text/plain; charset=utf-8",
          "service unavailable\n",
        ]);
      }
      expect((await send("GET", "/apis/gone.example.com")).body).toMatchObject({ name: "gone.example.com" });
      await eventually(async () => {
        expect(await documentOf("gone.example.com")).toEqual([{ version: "v1", freshness: "Stale" }]);
      });
      const ports = [{ name: "https", port: 443 }];
      await send("POST", `${namespace}/services`, { metadata: { name: "missing" }, spec: { ports } });
      await says("ServicePortError", `${of(0)} is not listening on port 8443`);
      await send("PUT", `${services}/${called}`, {
        metadata: metadataOf((await send("GET", `${services}/${called}`)).body),
        spec: {
          group: "gone.example.com",
          version: "v1",
          groupPriorityMinimum: 2_000,
          versionPriority: 15,
          service: { namespace: "default", name: "missing" },
          insecureSkipTLSVerify: true,
        },
      });
      await says("EndpointsNotFound", `cannot find endpointslices for ${of(0)}`);
      const slice = (addresses: readonly string[]): Body => ({
        metadata: { name: "missing-1", labels: { "kubernetes.io/service-name": "missing" } },
        addressType: "IPv4",
        ports: [{ name: "https", port: 8443, protocol: "TCP" }],
        endpoints: addresses.map((address) => ({ addresses: [address] })),
      });
      await send("POST", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice([]));
      await says("MissingEndpoints", `endpointslices for ${of(0)} have no addresses with port name "https"`);
      await send("DELETE", `${services}/${called}`);
      await eventually(async () => {
        expect(await documentOf("gone.example.com")).toBe(undefined);
        expect((await send("GET", "/apis/gone.example.com/v1")).status).toBe(404);
      });
    });

    it("keeps a discovery check that failed in the condition", async () => {
      const called = "v1.broken.example.com";
      extension.answer = ({ url }, response) => {
        if (!url.includes("broken.example.com")) return "as usual";
        response.writeHead(500).end();
        return "answered";
      };
      await register(
        {
          service: { namespace: "default", name: "extension", port: extension.port },
          caBundle: extension.caBundle,
        },
        called,
      );
      const url = `https://localhost:${extension.port}/apis/broken.example.com/v1`;
      await eventually(async () => {
        expect(await availability(called)).toEqual([
          [
            "Available",
            "False",
            "FailedDiscoveryCheck",
            `failing or missing response from ${url}: bad status from ${url}: 500`,
          ],
        ]);
      });
      extension.answer = () => "as usual";
      await send("DELETE", `${services}/${called}`);
    });

    it("makes APIServices for what CRDs define, and keeps them as they are to be", async () => {
      const group = "made.example.com";
      const called = `v1.${group}`;
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      await send("POST", definitions, {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "things", kind: "Thing" },
          versions: [
            { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
          ],
        },
      });
      const isThere = (): Promise<Body> =>
        eventually(async () => {
          const { body } = await send("GET", `${services}/${called}`);
          expect(body).toMatchObject({
            metadata: { labels: { "kube-aggregator.kubernetes.io/automanaged": "true" } },
            spec: { group, version: "v1", groupPriorityMinimum: 1_000, versionPriority: 100 },
            status: {
              conditions: [
                {
                  type: "Available",
                  status: "True",
                  reason: "Local",
                  message: "Local APIServices are always available",
                },
              ],
            },
          });
          return body;
        });
      const made = await isThere();
      await send("PUT", `${services}/${called}`, {
        ...made,
        spec: { ...(made["spec"] as Body), versionPriority: 1 },
      });
      await isThere();
      await send("DELETE", `${services}/${called}`);
      expect(metadataOf(await isThere())["uid"]).not.toBe(metadataOf(made)["uid"]);
      await send("DELETE", `${definitions}/things.${group}`);
      await eventually(async () => {
        expect((await send("GET", `${services}/${called}`)).status).toBe(404);
        expect((await send("GET", `/apis/${group}`)).status).toBe(404);
      });
    });

    it("reads what an old server lists as it does a new one's document", async () => {
      extension.isOld = true;
      // Whatever changes in an APIService has its server asked again.
      await send(
        "PATCH",
        `${services}/${name}`,
        { metadata: { labels: { asked: "again" } } },
        {
          contentType: "application/merge-patch+json",
        },
      );
      const responseKind = { group: "", version: "", kind: "Flunder" };
      await eventually(async () => expect(await documentOf()).toEqual(current(responseKind)));
      extension.isOld = false;
    });

    it("takes a server that is gone out of what is current", async () => {
      await extension.stop();
      await send(
        "PATCH",
        `${services}/${name}`,
        { metadata: { labels: { asked: "once more" } } },
        {
          contentType: "application/merge-patch+json",
        },
      );
      await eventually(async () => {
        expect(await documentOf()).toEqual([{ version: "v1alpha1", freshness: "Stale" }]);
        expect((await availability())[0]).toEqual([
          "Available",
          "False",
          "FailedDiscoveryCheck",
          expect.stringMatching(
            /^failing or missing response from https:\/\/localhost:\d+\/apis\/\S+: Get "https:\S+": dial tcp \S+: connect: connection refused$/,
          ),
        ]);
        expect((await send("GET", flunders)).text).toBe("service unavailable\n");
      });
    });
  },
  { embedded: { controllers: false, rbac: true }, real: { controllers: "none" } },
);

/** The authority of the API server itself. */
function readAuthority(kubeconfig: string): string {
  const config = parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: { cluster: { "certificate-authority-data": string } }[];
  };
  return Buffer.from(config.clusters[0]?.cluster["certificate-authority-data"] ?? "", "base64").toString();
}
