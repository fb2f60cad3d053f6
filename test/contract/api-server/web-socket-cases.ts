// What every API server answers to watches that ask for the WebSocket protocol, as fabric8 and browsers do.
import { readFileSync } from "node:fs";
import { get } from "node:https";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { parse } from "yaml";
import type { ApiServerUnderTest } from "../../support/api-servers.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const bearer = (token: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;

interface Dialled {
  /** The status of the answer when it is none of the protocol. */
  readonly status?: number;
  readonly protocol?: string;
  /** What was received: each a whole event. */
  readonly messages: readonly { readonly type: string; readonly object: Body }[];
  /** With which code the server closed it. */
  readonly closed?: number;
}

interface DialOptions {
  readonly protocols?: readonly string[];
  readonly token?: string | undefined;
  readonly origin?: string;
  /** Closes from this side after so many messages. */
  readonly until?: number;
  readonly onOpen?: () => Promise<unknown>;
}

/** Declares the cases. */
export function declareWebSocketCases(server: () => ApiServerUnderTest, client: () => RawClient): void {
  const adminToken = (): string => {
    const config = parse(readFileSync(server().kubeconfig, "utf8")) as {
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    return config.users[0]?.user.token ?? "";
  };
  const dial = (path: string, options: DialOptions = {}): Promise<Dialled> => {
    const { protocols = [], until = Infinity, onOpen, origin = "http://localhost" } = options;
    const token = "token" in options ? options.token : adminToken();
    const messages: { type: string; object: Body }[] = [];
    const socket = new WebSocket(`${server().url.replace("https", "wss")}${path}`, [...protocols], {
      rejectUnauthorized: false,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(origin === "" ? {} : { origin }),
      },
    });
    return new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("unexpected-response", (request, response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, messages });
        request.destroy();
      });
      socket.on("open", () => void onOpen?.().catch(reject));
      socket.on("message", (data: Buffer) => {
        messages.push(JSON.parse(data.toString()) as { type: string; object: Body });
        if (messages.length === until) socket.close();
      });
      socket.on("close", (closed) => resolve({ protocol: socket.protocol, messages, closed }));
    });
  };
  const create = (name: string): Promise<unknown> =>
    client().send("POST", maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

  it("sends each event as one message, those that exist first", async () => {
    await create("ws-one");
    const selected = `${maps}?watch=true&fieldSelector=metadata.name%3Dws-one`;
    const { messages } = await dial(selected, {
      until: 2,
      onOpen: () => client().send("DELETE", `${maps}/ws-one`),
    });
    expect(messages.map(({ type, object }) => [type, metadataOf(object)["name"]])).toEqual([
      ["ADDED", "ws-one"],
      ["DELETED", "ws-one"],
    ]);
  });

  it("closes normally when the time of the watch is over", async () => {
    const closed = await dial(`${maps}?watch=true&timeoutSeconds=1&resourceVersion=0&labelSelector=none`);
    expect(closed).toMatchObject({ closed: 1000, messages: [] });
  });

  it("ends a streaming list with its bookmark", async () => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const { messages } = await dial(`${maps}?${query}&labelSelector=none`, { until: 1 });
    expect(messages[0]?.type).toBe("BOOKMARK");
  });

  it.each([
    ["none", [], ""],
    ["one that is for channels", ["v4.channel.k8s.io"], "v4.channel.k8s.io"],
    ["one that nobody knows", ["nonsense"], "nonsense"],
  ])("speaks the subprotocol that is offered: %s", async (_name, protocols, protocol) => {
    const path = `${maps}?watch=true&timeoutSeconds=1&labelSelector=none`;
    expect(await dial(path, { protocols })).toMatchObject({ protocol, closed: 1000 });
  });

  it("takes the token from a subprotocol", async () => {
    const path = `${maps}?watch=true&timeoutSeconds=1&labelSelector=none`;
    const protocols = [bearer(adminToken()), "base64.binary.k8s.io"];
    expect(await dial(path, { protocols, token: undefined })).toMatchObject({
      protocol: "base64.binary.k8s.io",
      closed: 1000,
    });
  });

  it.each<[string, DialOptions, number]>([
    ["without a token", { token: undefined }, 403],
    ["with a wrong token", { token: undefined, protocols: [bearer("wrong"), "a.b"] }, 401],
    ["with a token and nothing to speak", { token: undefined, protocols: [bearer("any")] }, 401],
    ["with a token that is not base64url", { token: undefined, protocols: [`${bearer("")}%`, "a.b"] }, 401],
    ["without an Origin", { origin: "" }, 403],
    ["with the Origin null", { origin: "null" }, 403],
    ["with two subprotocols", { protocols: ["base64.channel.k8s.io", "binary.k8s.io"] }, 400],
  ])("refuses a watch %s", async (_name, options, status) => {
    expect((await dial(`${maps}?watch=true`, options)).status).toBe(status);
  });

  it.each([
    ["a selector that cannot be read", `${maps}?watch=true&labelSelector=!!`, 400],
    ["a revision that is no number", `${maps}?watch=true&resourceVersion=abc`, 500],
    ["an unknown type", "/api/v1/namespaces/default/foos?watch=true", 404],
    ["a list", maps, 200],
    ["an object", `${maps}/absent?watch=true`, 404],
  ])("answers %s as without WebSocket", async (_name, path, status) => {
    expect((await dial(path)).status).toBe(status);
    expect((await client().send("GET", path)).status).toBe(status);
  });

  it("answers a request for another protocol as without it", async () => {
    const headers = { authorization: `Bearer ${adminToken()}`, connection: "Upgrade", upgrade: "h2c" };
    const url = `${server().url}${maps}?watch=true&timeoutSeconds=1&labelSelector=none`;
    const status = await new Promise((resolve, reject) => {
      const sent = get(url, { headers, rejectUnauthorized: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      });
      sent.on("error", reject);
    });
    expect(status).toBe(200);
  });

  it("refuses to stream YAML", async () => {
    const answer = await client().send("GET", `${maps}?watch=true`, undefined, {
      accept: "application/yaml",
    });
    expect(answer.status).toBe(406);
  });
}
