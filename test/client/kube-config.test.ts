import { describe, expect, it } from "vitest";
import { loadConnection, type LoadConnectionOptions } from "../../src/client/kube-config.ts";

const encode = (text: string): string => Buffer.from(text).toString("base64");

const config = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- {name: dev, cluster: {server: "https://dev.example.com:6443/", certificate-authority-data: ${encode("DEV CA")}}}
- {name: prod, cluster: {server: "https://10.0.0.1", certificate-authority: ca.pem, tls-server-name: prod.internal, proxy-url: "http://proxy:3128"}}
- {name: lax, cluster: {server: "https://lax.example.com", insecure-skip-tls-verify: true}}
users:
- {name: token, user: {token: 0123}}
- {name: file, user: {tokenFile: tokens/t, as: boss, as-uid: "7", as-groups: [ops, devs], as-user-extra: {reason: [why, not]}}}
- {name: cert, user: {client-certificate-data: ${encode("CERT")}, client-key: /keys/key.pem}}
- {name: basic, user: {username: me, password: secret}}
contexts:
- {name: dev, context: {cluster: dev, user: token}}
- {name: prod, context: {cluster: prod, user: file, namespace: shop}}
- {name: cert, context: {cluster: lax, user: cert}}
- {name: basic, context: {cluster: dev, user: basic}}
- {name: anonymous, context: {cluster: dev}}
- {name: lost, context: {cluster: nowhere, user: token}}
- {name: nobody, context: {cluster: dev, user: ghost}}
`;

const missing = (path: string) =>
  Object.assign(new Error(`ENOENT: no such file ${path}`), { code: "ENOENT" });

function load(
  options: Partial<LoadConnectionOptions> = {},
  files: Record<string, string> = { "/home/me/.kube/config": config },
) {
  const read: string[] = [];
  const connection = loadConnection({
    env: { HOME: "/home/me" },
    readFile: (path) => {
      read.push(path);
      const text = files[path];
      return text === undefined ? Promise.reject(missing(path)) : Promise.resolve(text);
    },
    ...options,
  });
  return { connection, read, files };
}

describe("a kubeconfig that is JSON", () => {
  const text = (comma = "") =>
    `{"current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "https://c", "insecure-skip-tls-verify": true, "proxy-url": null}}],
    "users": [{"name": "u", "user": {"token": 12345678901234567890${comma}}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}`;

  it.each([
    ["is read as it is written", text()],
    ["may be YAML all the same", text(",")],
  ])("%s", async (_what, config) => {
    const connection = await load({}, { "/home/me/.kube/config": config }).connection;
    const { headers, tls } = await connection.authenticate(0);
    expect(connection.server).toBe("https://c");
    expect(headers).toEqual({ authorization: "Bearer 12345678901234567890" });
    expect(tls).toMatchObject({ rejectUnauthorized: false });
  });

  it("that is broken is refused in the words of YAML", async () => {
    const { connection } = load({}, { "/home/me/.kube/config": `{"clusters": [` });
    await expect(connection).rejects.toMatchObject({ code: "KUBECONFIG_INVALID" });
  });
});

describe("where a kubeconfig comes from", () => {
  const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const mounted = {
    [`${folder}/token`]: "pod-token\n",
    [`${folder}/ca.crt`]: "POD CA",
    [`${folder}/namespace`]: "ns\n",
  };

  it("is the path given, before KUBECONFIG, before the home folder, before the pod", async () => {
    const named = (server: string) =>
      `{clusters: [{name: c, cluster: {server: "${server}"}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}`;
    const files: Record<string, string> = {
      "/given": named("https://given"),
      "/env": named("https://env"),
      "/home/me/.kube/config": named("https://home"),
      ...mounted,
    };
    const env = { HOME: "/home/me", KUBECONFIG: "/env", ...pod };
    expect((await load({ path: "/given", env }, files).connection).server).toBe("https://given");
    expect((await load({ env }, files).connection).server).toBe("https://env");
    expect((await load({ env: { ...env, KUBECONFIG: "" } }, files).connection).server).toBe("https://home");
    delete files["/home/me/.kube/config"];
    expect((await load({ env: { ...env, KUBECONFIG: "" } }, files).connection).server).toBe(
      "https://10.96.0.1:443",
    );
    expect((await load({ env, inCluster: true }, files).connection).server).toBe("https://10.96.0.1:443");
  });

  it("are several files of KUBECONFIG merged, the first one counting, missing ones left out", async () => {
    const files = {
      "/one": "{current-context: x, users: [{name: u, user: {token: first}}]}",
      "/three":
        '{current-context: y, clusters: [{name: c, cluster: {server: "https://c"}}], users: [{name: u, user: {token: second}}], contexts: [{name: x, context: {cluster: c, user: u}}]}',
    };
    const connection = await load({ env: { KUBECONFIG: "/one:/two:/three" } }, files).connection;
    expect(connection.server).toBe("https://c");
    expect((await connection.authenticate(0)).headers).toEqual({ authorization: "Bearer first" });
  });

  it("that is nowhere is an error which names what was tried", async () => {
    await expect(load({}, {}).connection).rejects.toMatchObject({
      code: "KUBECONFIG_MISSING",
      message: "there is no kubeconfig at /home/me/.kube/config",
      remedy: expect.stringContaining("cluster up"),
    });
    await expect(load({ env: { KUBECONFIG: "/a:/b", ...pod } }, mounted).connection).rejects.toMatchObject({
      message: "there is no kubeconfig at /a, /b",
    });
    await expect(load({ inCluster: false, env: pod }, mounted).connection).rejects.toMatchObject({
      code: "KUBECONFIG_MISSING",
    });
    await expect(load({ inCluster: true, env: {} }).connection).rejects.toMatchObject({
      code: "IN_CLUSTER_MISSING",
    });
    await expect(load({ env: pod }, {}).connection).rejects.toMatchObject({
      code: "IN_CLUSTER_MISSING",
      message: expect.stringMatching(/^this pod has no service account token: .*\/token/),
      remedy: expect.stringContaining("automountServiceAccountToken"),
    });
  });

  it("is read again for the pod's rotated token: after a minute, and at once when it was refused", async () => {
    const files: Record<string, string> = { ...mounted };
    const connection = await load(
      { inCluster: true, env: { ...pod, KUBERNETES_SERVICE_HOST: "fd00::1" } },
      files,
    ).connection;
    expect(connection).toMatchObject({ server: "https://[fd00::1]:443", namespace: "ns" });
    const first = await connection.authenticate(0);
    expect(first).toEqual({ headers: { authorization: "Bearer pod-token" }, tls: { ca: "POD CA" } });
    files[`${folder}/token`] = "rotated";
    expect(await connection.authenticate(59_000)).toBe(first);
    const second = await connection.authenticate(60_000);
    expect(second.headers).toEqual({ authorization: "Bearer rotated" });
    expect(second.tls).toBe(first.tls);
    files[`${folder}/token`] = "again";
    const [third, shared] = await Promise.all([
      connection.authenticate(60_001, second),
      connection.authenticate(60_001, second),
    ]);
    expect(third.headers).toEqual({ authorization: "Bearer again" });
    expect(shared).toBe(third);
    // Others that were refused with the old ones get the new ones without another read.
    expect(await connection.authenticate(60_002, second)).toBe(third);
    // A new certificate authority makes another TLS object; a file that is gone for a moment changes nothing.
    files[`${folder}/ca.crt`] = "NEW CA";
    const fourth = await connection.authenticate(130_000);
    expect(fourth.tls).toEqual({ ca: "NEW CA" });
    delete files[`${folder}/token`];
    expect(await connection.authenticate(200_000)).toBe(fourth);
    await expect(connection.authenticate(200_001, fourth)).rejects.toMatchObject({
      code: "KUBECONFIG_FILE_UNREADABLE",
    });
  });
});

describe("what a kubeconfig says", () => {
  const files = {
    "/home/me/.kube/config": config,
    "/home/me/.kube/ca.pem": "PROD CA",
    "/home/me/.kube/tokens/t": "from-file\n",
    "/keys/key.pem": "KEY",
  };
  it.each([
    ["dev", { authorization: "Bearer 0123" }, { ca: "DEV CA" }],
    [
      "prod",
      {
        authorization: "Bearer from-file",
        "impersonate-user": "boss",
        "impersonate-uid": "7",
        "impersonate-group": ["ops", "devs"],
        "impersonate-extra-reason": ["why", "not"],
      },
      { ca: "PROD CA", servername: "prod.internal" },
    ],
    ["cert", {}, { cert: "CERT", key: "KEY", rejectUnauthorized: false }],
    ["basic", { authorization: `Basic ${encode("me:secret")}` }, { ca: "DEV CA" }],
    ["anonymous", {}, { ca: "DEV CA" }],
  ])("of context %s are these headers and TLS options", async (context, headers, tls) => {
    const connection = await load({ context }, files).connection;
    expect(await connection.authenticate(0)).toEqual({ headers, tls });
  });

  it("are server, namespace and where they come from", async () => {
    expect(await load({}, files).connection).toMatchObject({
      server: "https://dev.example.com:6443",
      namespace: "default",
      source: 'context "dev" of /home/me/.kube/config',
      trust: 'certificate-authority-data of cluster "dev" in /home/me/.kube/config',
      proxy: undefined,
    });
    expect(await load({ context: "prod" }, files).connection).toMatchObject({
      namespace: "shop",
      proxy: { url: "http://proxy:3128", source: 'proxy-url of cluster "prod" in /home/me/.kube/config' },
    });
  });

  it("reads nothing again when nothing stands in files", async () => {
    const { connection, read } = load({}, files);
    const loaded = await connection;
    const first = await loaded.authenticate(0);
    expect(await loaded.authenticate(10_000_000, first)).toBe(first);
    expect(read).toEqual(["/home/me/.kube/config"]);
  });

  const clusterAt = (server: string) =>
    `{clusters: [{name: c, cluster: {server: "${server}"}}], contexts: [{name: c, context: {cluster: c}}], current-context: c}`;
  const proxyOf = async (server: string, env: Record<string, string>) =>
    (await load({ path: "/c", env }, { "/c": clusterAt(server) }).connection).proxy;

  it.each([
    ["https://api.example.com", { HTTPS_PROXY: "http://p:1" }, "HTTPS_PROXY"],
    ["https://api.example.com", { https_proxy: "p:1" }, "https_proxy"],
    ["https://api.example.com", { HTTP_PROXY: "http://p:1" }, undefined],
    ["http://api.example.com", { HTTP_PROXY: "http://p:1" }, "HTTP_PROXY"],
    ["https://127.0.0.1:6443", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://127.9.9.9:6443", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["https://LOCALHOST:6443", { HTTPS_PROXY: "http://p:1" }, undefined],
  ])("reaches %s with %o by %s", async (server, env, source) => {
    const proxy = await proxyOf(server, env);
    expect(proxy).toEqual(source === undefined ? undefined : { url: "http://p:1", source });
  });

  // As golang.org/x/net/http/httpproxy decides, with which kubectl is built.
  it.each([
    ["https://api.example.com", "x,.example.com", true],
    ["https://api.example.com", "x, example.com ", true],
    ["https://api.example.com", "API.Example.COM", true],
    ["https://API.EXAMPLE.COM", "*.example.com", true],
    ["https://example.com", ".example.com", false],
    ["https://example.com", "*.example.com", false],
    ["https://example.com", "example.com", true],
    ["https://api.example.com", "ample.com", false],
    ["https://api.example.com", "*", true],
    ["https://api.example.com", "", false],
    ["https://api.example.com:6443", "api.example.com:443", false],
    ["https://api.example.com:6443", "api.example.com:6443", true],
    ["https://api.example.com", "api.example.com:443", true],
    ["http://api.example.com", "api.example.com:80", true],
    ["https://10.1.2.3:6443", "10.0.0.0/8", true],
    ["https://11.1.2.3:6443", "10.0.0.0/8", false],
    ["https://10.1.2.3:6443", "10.1.2.3", true],
    ["https://10.1.2.30:6443", "10.1.2.3", false],
    ["https://10.1.2.3:6443", "10.1.2.3:6443", true],
    ["https://10.1.2.3:6443", "10.1.2.3:443", false],
    ["https://10.1.2.3:6443", "10.0.0.0/99,10.0.0.0/,/8", false],
    ["https://[fd00::12]:6443", "fd00::/8", true],
    ["https://[fe00::12]:6443", "fd00::/8", false],
    ["https://[fd00::12]:6443", "fd00::12", true],
    ["https://[fd00::12]:6443", "fd00:0:0::12", true],
    ["https://[FD00::12]:6443", "[fd00::12]", true],
    ["https://[fd00::12]:6443", "[fd00::12]:6443", true],
    ["https://[fd00::12]:6443", "[fd00::12]:443", false],
    ["https://10.1.2.3", "fd00::/8,example.com:x,:443,.", false],
  ])("reaches %s with NO_PROXY %j directly: %s", async (server, NO_PROXY, direct) => {
    expect((await proxyOf(server, { HTTPS_PROXY: "p:1", HTTP_PROXY: "p:1", NO_PROXY })) === undefined).toBe(
      direct,
    );
  });

  it.each(["ftp://p:1", "http://", "https://user:hunter2@p:x"])(
    "refuses the proxy %j",
    async (HTTPS_PROXY) => {
      const refused = proxyOf("https://api.example.com", { HTTPS_PROXY });
      await expect(refused).rejects.toMatchObject({
        code: "PROXY_INVALID",
        message: expect.stringContaining("HTTPS_PROXY does not name a proxy"),
        remedy: expect.stringContaining("http://host:port"),
      });
      await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining("hunter2") });
    },
  );

  it("are what kubectl has written, with nothing in its place, and with flags as people write them", async () => {
    const { connection } = load(
      { path: "/c" },
      {
        "/c": `
apiVersion: v1
kind: Config
preferences: {}
current-context: c
clusters:
- name: c
  cluster: {server: "https://c", insecure-skip-tls-verify: True, certificate-authority-data: null}
contexts:
- name: c
  context: {cluster: c, user: u, namespace: null}
users:
- name: u
  user: {token: ~, username: "null", password: 0012}
`,
      },
    );
    const loaded = await connection;
    expect(loaded.namespace).toBe("default");
    expect(await loaded.authenticate(0)).toEqual({
      headers: { authorization: `Basic ${Buffer.from("null:0012").toString("base64")}` },
      tls: { rejectUnauthorized: false },
    });
  });

  it("of nothing at all has no context, and says so", async () => {
    const text =
      "{apiVersion: v1, kind: Config, clusters: null, contexts: null, users: ~, current-context: null}";
    await expect(load({ path: "/c" }, { "/c": text }).connection).rejects.toMatchObject({
      code: "KUBECONFIG_CONTEXT_UNKNOWN",
      message: "/c has no current context",
    });
  });

  it("are a login of the server's URL, which no message shows", async () => {
    const loaded = await load({ path: "/c" }, { "/c": clusterAt("https://me:p%40ss@c:6443/base/") })
      .connection;
    expect(loaded.server).toBe("https://c:6443/base");
    const { headers } = await loaded.authenticate(0);
    expect(headers).toEqual({ authorization: `Basic ${Buffer.from("me:p@ss").toString("base64")}` });
  });
});

describe("faults in a kubeconfig", () => {
  const at = (text: string) => load({ path: "/c" }, { "/c": text }).connection;
  const used = "\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x";

  it("does not matter in entries that are not used, as kubectl leaves them unfinished", async () => {
    const unused = [
      "clusters: [{name: c, cluster: {server: https://c}}, {name: none, cluster: null}, {name: odd, cluster: {server: x}}]",
      "users: [{name: u, user: {token: t}}, {name: none, user: null}, {name: odd, user: {exec: {args: []}}}]",
      "contexts: [{name: x, context: {cluster: c, user: u}}, {name: none, context: null}]",
      "current-context: x",
    ];
    expect((await at(unused.join("\n"))).server).toBe("https://c");
  });

  it.each([
    ["no YAML", "a: [", "KUBECONFIG_INVALID", "/c is not a valid kubeconfig"],
    ["no mapping", "hello", "KUBECONFIG_INVALID", "it is not a YAML mapping"],
    ["no list", "clusters: 5", "KUBECONFIG_INVALID", '"clusters" is not a list'],
    [
      "no flag",
      `clusters: [{name: c, cluster: {server: https://c, insecure-skip-tls-verify: ture}}]${used}`,
      "KUBECONFIG_INVALID",
      'insecure-skip-tls-verify of cluster "c" must be true or false, not "ture"',
    ],
    ["no name", "users: [{user: {}}]", "KUBECONFIG_INVALID", "users[0] has no name"],
    [
      "no server",
      `clusters: [{name: c, cluster: {}}]${used}`,
      "KUBECONFIG_INVALID",
      'cluster "c" needs a server',
    ],
    [
      "a server that is no URL",
      `clusters: [{name: c, cluster: {server: localhost:8080}}]${used}`,
      "KUBECONFIG_INVALID",
      "http:// or https://",
    ],
    [
      "an exec plugin without command",
      `clusters: [{name: c, cluster: {server: https://c}}]\nusers: [{name: u, user: {exec: {args: []}}}]${used}`,
      "KUBECONFIG_INVALID",
      "without a command",
    ],
    [
      "a context without cluster",
      "contexts: [{name: x, context: {}}]\ncurrent-context: x",
      "KUBECONFIG_INVALID",
      "names no cluster",
    ],
    ["no current context", "contexts: []", "KUBECONFIG_CONTEXT_UNKNOWN", "/c has no current context"],
  ])("%s: an error that says where and what", async (_, text, code, message) => {
    await expect(at(text)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      remedy: expect.any(String),
    });
  });

  it("name the entry that does not exist, and those that do", async () => {
    await expect(load({ context: "stage" }).connection).rejects.toMatchObject({
      code: "KUBECONFIG_CONTEXT_UNKNOWN",
      message: '/home/me/.kube/config has no context "stage"',
      remedy: expect.stringContaining("dev, prod, cert"),
    });
    await expect(load({ context: "lost" }).connection).rejects.toMatchObject({
      code: "KUBECONFIG_CLUSTER_UNKNOWN",
      message: 'context "lost" of /home/me/.kube/config names the cluster "nowhere", which does not exist',
    });
    await expect(load({ context: "nobody" }).connection).rejects.toMatchObject({
      code: "KUBECONFIG_USER_UNKNOWN",
    });
  });

  it("in a file that it names tell which", async () => {
    const connection = await load({ context: "prod" }).connection;
    await expect(connection.authenticate(0)).rejects.toMatchObject({
      code: "KUBECONFIG_FILE_UNREADABLE",
      message: expect.stringContaining("/home/me/.kube/tokens/t"),
    });
  });
});

describe("credential plugins", () => {
  const withPlugin = (script: string) => `
current-context: c
clusters: [{name: c, cluster: {server: "https://c", certificate-authority-data: ${encode("CA")}}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ${process.execPath}
      args: ["-e", ${JSON.stringify(script)}]
      provideClusterInfo: true
      env: [{name: WHO, value: me}]
`;

  it("are run with the cluster's facts, remembered, and run again when their token was refused", async () => {
    const script = `
      const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [process.env.WHO, info.spec.cluster.server, process.pid].join(" ");
      console.log(JSON.stringify({ kind: "ExecCredential", status: { token } }));`;
    const connection = await load({ path: "/c" }, { "/c": withPlugin(script) }).connection;
    const first = await connection.authenticate(0);
    expect(first.headers["authorization"]).toMatch(/^Bearer me https:\/\/c \d+$/);
    expect(first.tls).toEqual({ ca: "CA" });
    expect((await connection.authenticate(100_000)).headers).toEqual(first.headers);
    const again = await connection.authenticate(100_001);
    expect((await connection.authenticate(100_002, again)).headers).not.toEqual(first.headers);
  });

  it("that fail say which plugin of which user, and what it said", async () => {
    const script = 'console.error("please log in"); process.exit(1)';
    const connection = await load({ path: "/c" }, { "/c": withPlugin(script) }).connection;
    await expect(connection.authenticate(0)).rejects.toMatchObject({
      code: "CREDENTIALS_FAILED",
      message: expect.stringMatching(
        /exec plugin ".*" of user "u" in \/c gave no credentials: please log in$/,
      ),
    });
  });
});
