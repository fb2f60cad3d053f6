// Role-based access control, as every API server enforces it: what roles allow, and the words in which the rest is refused.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { declareImpersonationCases } from "./api-server/impersonation-cases.ts";
import { createRawClient, type Body, type RawAnswer, type RawClient } from "./api-server/raw-request.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const spaces = "/api/v1/namespaces";
const space = `${spaces}/guarded`;
const maps = `${space}/configmaps`;
const apply = "application/apply-patch+yaml";
const roleRef = (kind: string, name: string): Body => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

describeOnEachApiServer(
  "role-based access control",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);

    /** A request of a user, whom the administrator impersonates. */
    const as = (
      user: string,
      method: string,
      path: string,
      body?: unknown,
      contentType?: string,
    ): Promise<RawAnswer> =>
      send(method, path, body, {
        headers: { "Impersonate-User": user, ...(user === "grouped" ? { "Impersonate-Group": "devs" } : {}) },
        ...(contentType === undefined ? {} : { contentType }),
      });
    const grant = async (user: Body, role: string, rules: readonly Body[]): Promise<void> => {
      await send("POST", `${rbac}/namespaces/guarded/roles`, { metadata: { name: role }, rules });
      await bind(role, user, roleRef("Role", role));
    };
    const bind = async (name: string, subject: Body, ref: Body): Promise<void> => {
      const binding = { metadata: { name }, roleRef: ref, subjects: [subject] };
      expect((await send("POST", `${rbac}/namespaces/guarded/rolebindings`, binding)).status).toBe(201);
    };
    const user = (name: string): Body => ({ kind: "User", name });
    /** What is asked for is allowed as soon as the server has noticed. */
    const allowed = (ask: () => Promise<RawAnswer>): Promise<void> =>
      eventually(async () => {
        const { status, body } = await ask();
        expect(body["reason"] ?? "").not.toBe("Forbidden");
        expect(status).not.toBe(403);
      });
    const account = async (name: string): Promise<string> => {
      await send("POST", `${space}/serviceaccounts`, { metadata: { name } });
      const { body } = await send("POST", `${space}/serviceaccounts/${name}/token`, { spec: {} });
      return String((body["status"] as Body)["token"]);
    };

    beforeAll(async () => {
      client = createRawClient(server());
      await send("POST", spaces, { metadata: { name: "guarded" } });
      await send("POST", maps, { metadata: { name: "one" } });
    });
    afterAll(() => client.close());

    describe("acting as somebody else", () => declareImpersonationCases(() => client));

    it.each<[string, string, string]>([
      [
        "GET",
        maps,
        'configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" in the namespace "guarded"',
      ],
      [
        "GET",
        `${maps}?watch=true`,
        'configmaps is forbidden: User "nobody" cannot watch resource "configmaps" in API group "" in the namespace "guarded"',
      ],
      [
        "DELETE",
        maps,
        'configmaps is forbidden: User "nobody" cannot deletecollection resource "configmaps" in API group "" in the namespace "guarded"',
      ],
      [
        "GET",
        `${space}/pods/one/log`,
        'pods "one" is forbidden: User "nobody" cannot get resource "pods/log" in API group "" in the namespace "guarded"',
      ],
      [
        "GET",
        "/apis/apps/v1/deployments",
        'deployments.apps is forbidden: User "nobody" cannot list resource "deployments" in API group "apps" at the cluster scope',
      ],
      [
        "GET",
        "/api/v1/nodes/n",
        'nodes "n" is forbidden: User "nobody" cannot get resource "nodes" in API group "" at the cluster scope',
      ],
      [
        "GET",
        space,
        'namespaces "guarded" is forbidden: User "nobody" cannot get resource "namespaces" in API group "" in the namespace "guarded"',
      ],
      [
        "GET",
        `${space}/services/one:80/proxy/a/b`,
        'services "one:80" is forbidden: User "nobody" cannot get resource "services/proxy" in API group "" in the namespace "guarded"',
      ],
      ["GET", "/metrics", 'forbidden: User "nobody" cannot get path "/metrics"'],
    ])("refuses %s %s", async (method, path, message) => {
      const { status, body } = await as("nobody", method, path);
      expect({ status, message: body["message"], reason: body["reason"] }).toEqual({
        status: 403,
        message,
        reason: "Forbidden",
      });
    });

    it("lets everyone discover what there is, and ask who he is and what he may do", async () => {
      for (const path of ["/version", "/api", "/apis/apps/v1", "/openapi/v3"]) {
        expect((await as("nobody", "GET", path)).status).toBe(200);
      }
      const who = await as("nobody", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
      expect(who.body["status"]).toEqual({
        userInfo: { username: "nobody", groups: ["system:authenticated"] },
      });
      const ask = { spec: { resourceAttributes: { verb: "get", resource: "pods", namespace: "guarded" } } };
      const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      expect((await as("nobody", "POST", reviews, ask)).body["status"]).toEqual({ allowed: false });
      expect((await send("POST", reviews, ask)).body["status"]).toEqual({ allowed: true });
    });

    it("allows what a role allows: verbs, names, subresources", async () => {
      await grant(user("reader"), "reader", [
        { apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["get", "patch"] },
        { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["*"] },
      ]);
      await allowed(() => as("reader", "GET", `${maps}/one`));
      expect((await as("reader", "GET", `${maps}/two`)).status).toBe(403);
      expect((await as("reader", "GET", maps)).status).toBe(403);
      expect((await as("reader", "GET", `${spaces}/default/configmaps/one`)).status).toBe(403);
      const deployment = "/apis/apps/v1/namespaces/guarded/deployments/d";
      expect((await as("reader", "GET", `${deployment}/scale`)).status).toBe(404);
      expect((await as("reader", "GET", deployment)).status).toBe(403);
      const ask = {
        spec: {
          user: "reader",
          resourceAttributes: { verb: "get", resource: "configmaps", name: "one", namespace: "guarded" },
        },
      };
      expect(
        (await send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", ask)).body["status"],
      ).toEqual({
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "reader/guarded" of Role "reader" to User "reader"',
      });
    });

    it("allows the list of one object by its name to who may list that one", async () => {
      await grant(user("finder"), "one-map", [
        { apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["list", "watch"] },
      ]);
      const of = (name: string): string => `${maps}?fieldSelector=metadata.name%3D${name}`;
      await allowed(() => as("finder", "GET", of("one")));
      expect((await as("finder", "GET", of("one"))).body).toMatchObject({
        items: [{ metadata: { name: "one" } }],
      });
      for (const [path, what] of [
        [of("two"), 'configmaps "two" is'],
        [`${maps}?fieldSelector=metadata.name%21%3Done`, "configmaps is"],
        [maps, "configmaps is"],
      ] as const) {
        const { status, body } = await as("finder", "GET", path);
        expect([status, body["message"]]).toEqual([
          403,
          `${what} forbidden: User "finder" cannot list resource "configmaps" in API group "" in the namespace "guarded"`,
        ]);
      }
    });

    it("asks for the right to watch by a path of a watch, whatever the method is", async () => {
      await grant(user("looker"), "looker", [
        { apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["watch"] },
      ]);
      const watched = "/api/v1/watch/namespaces/guarded/configmaps";
      await allowed(() =>
        as("looker", "GET", `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Done`),
      );
      expect((await as("looker", "POST", `${watched}/one`, {})).status).toBe(405);
      for (const [path, what] of [
        [`${watched}/two`, 'configmaps "two" is'],
        // Its selector is not looked at.
        [`${watched}?fieldSelector=metadata.name%3Done`, "configmaps is"],
      ] as const) {
        expect((await as("looker", "GET", path)).body["message"]).toBe(
          `${what} forbidden: User "looker" cannot watch resource "configmaps" in API group "" in the namespace "guarded"`,
        );
      }
    });

    it("asks for the right to create where a write makes the object", async () => {
      await grant(user("patcher"), "patcher", [
        { apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] },
      ]);
      const manifest = (name: string): string =>
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}}`;
      await allowed(() => as("patcher", "PATCH", `${maps}/one?fieldManager=p`, manifest("one"), apply));
      expect(
        (await as("patcher", "PATCH", `${maps}/new?fieldManager=p`, manifest("new"), apply)).body["message"],
      ).toBe(
        'configmaps "new" is forbidden: User "patcher" cannot create resource "configmaps" in API group "" in the namespace "guarded"',
      );
    });

    it("allows groups what is bound to them, and what the roles of every cluster gather", async () => {
      await bind("devs", { kind: "Group", name: "devs" }, roleRef("ClusterRole", "view"));
      await allowed(() => as("grouped", "GET", `${space}/pods`));
      expect((await as("grouped", "GET", `${space}/secrets`)).status).toBe(403);
      expect((await as("grouped", "POST", maps, { metadata: { name: "x" } })).status).toBe(403);
      // A role that is selected by its labels becomes part of it.
      await send("POST", `${rbac}/clusterroles`, {
        metadata: { name: "gathered", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
        rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }],
      });
      await allowed(() => as("grouped", "GET", `${space}/secrets`));
      await send("DELETE", `${rbac}/clusterroles/gathered`);
    });

    it("names a role that is bound and not there", async () => {
      await bind("nowhere", user("lost"), roleRef("Role", "nowhere"));
      await eventually(async () =>
        expect((await as("lost", "GET", maps)).body["message"]).toBe(
          'configmaps is forbidden: User "lost" cannot list resource "configmaps" in API group "" in the namespace "guarded": RBAC: role.rbac.authorization.k8s.io "nowhere" not found',
        ),
      );
    });

    describe("rights that are handed out", () => {
      const roles = `${rbac}/namespaces/guarded/roles`;
      const bindings = `${rbac}/namespaces/guarded/rolebindings`;
      const attempt = "is attempting to grant RBAC permissions not currently held:";
      const write = (name: string, rules: readonly Body[]): Promise<RawAnswer> =>
        as("giver", "POST", roles, { metadata: { name }, rules });

      beforeAll(async () => {
        await grant(user("giver"), "giver", [
          {
            apiGroups: ["rbac.authorization.k8s.io"],
            resources: ["roles", "rolebindings"],
            verbs: ["get", "list", "create", "update", "patch"],
          },
          { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get", "list"] },
          { apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["a"], verbs: ["*"] },
        ]);
        await allowed(() => as("giver", "GET", roles));
      });

      it.each<[string, readonly Body[], string]>([
        [
          "other resources and verbs",
          [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "list", "delete"] }],
          '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "delete"]}',
        ],
        [
          "other names",
          [{ apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["a", "b"], verbs: ["get"] }],
          '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["get"]}',
        ],
        [
          "all names",
          [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }],
          '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}',
        ],
        [
          "everything",
          [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
          '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
        ],
      ])("are not more than their giver has: %s", async (_, rules, missing) => {
        const { status, body } = await write("wide", rules);
        expect([status, body["message"]]).toEqual([
          403,
          `roles.rbac.authorization.k8s.io "wide" is forbidden: user "giver" (groups=["system:authenticated"]) ${attempt}\n${missing}`,
        ]);
      });

      it("may be fewer, and are looked at with every change but those of garbage collection", async () => {
        const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
        expect((await write("narrow", rules)).status).toBe(201);
        const path = `${roles}/narrow`;
        const merge = "application/merge-patch+json";
        const wider = { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] };
        expect((await as("giver", "PATCH", path, wider, merge)).status).toBe(403);
        await send("PATCH", path, wider, { contentType: merge });
        // Whoever changes anything else grants it anew.
        for (const [metadata, status] of [
          [{ labels: { a: "b" } }, 403],
          [{ finalizers: ["a.b/c"] }, 200],
          [{ finalizers: null }, 200],
        ] as const) {
          expect((await as("giver", "PATCH", path, { metadata }, merge)).status).toBe(status);
        }
      });

      it("are bound by who has them, or may bind", async () => {
        const attach = (name: string, ref: Body): Promise<RawAnswer> =>
          as("giver", "POST", bindings, { metadata: { name }, roleRef: ref, subjects: [user("other")] });
        const refused = await attach("all", roleRef("ClusterRole", "cluster-admin"));
        expect(refused.body["message"]).toBe(
          `rolebindings.rbac.authorization.k8s.io "all" is forbidden: user "giver" (groups=["system:authenticated"]) ${attempt}\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
        );
        expect((await attach("own", roleRef("Role", "giver"))).status).toBe(201);
        await send("POST", `${rbac}/clusterroles`, {
          metadata: { name: "binder" },
          rules: [
            {
              apiGroups: ["rbac.authorization.k8s.io"],
              resources: ["clusterroles"],
              resourceNames: ["view"],
              verbs: ["bind"],
            },
          ],
        });
        await bind("binder", user("giver"), roleRef("ClusterRole", "binder"));
        await eventually(async () =>
          expect((await attach("view", roleRef("ClusterRole", "view"))).status).toBe(201),
        );
        await send("DELETE", `${rbac}/clusterroles/binder`);
      });

      it("are listed to who has them", async () => {
        const reviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
        const { body } = await as("giver", "POST", reviews, { spec: { namespace: "guarded" } });
        expect([body["spec"], body["status"]]).toMatchObject([{}, { incomplete: false }]);
        const { resourceRules } = body["status"] as { resourceRules: readonly Body[] };
        expect(resourceRules).toContainEqual({
          verbs: ["*"],
          apiGroups: ["apps"],
          resources: ["deployments"],
          resourceNames: ["a"],
        });
        expect((await as("giver", "POST", reviews, { spec: {} })).body["message"]).toBe(
          "no namespace on request",
        );
      });
    });

    describe("service accounts", () => {
      it("act by a token, within their roles, as long as they exist", async () => {
        const token = await account("worker");
        const own = (method: string, path: string): Promise<RawAnswer> =>
          send(method, path, undefined, { token });
        expect((await own("GET", maps)).body["message"]).toBe(
          'configmaps is forbidden: User "system:serviceaccount:guarded:worker" cannot list resource "configmaps" in API group "" in the namespace "guarded"',
        );
        await grant({ kind: "ServiceAccount", name: "worker", namespace: "guarded" }, "worker", [
          { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] },
        ]);
        await allowed(() => own("GET", maps));
        const review = { spec: { token } };
        expect(
          (await send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review)).body["status"],
        ).toMatchObject({
          authenticated: true,
          user: {
            username: "system:serviceaccount:guarded:worker",
            groups: ["system:serviceaccounts", "system:serviceaccounts:guarded", "system:authenticated"],
          },
        });
        await send("DELETE", `${space}/serviceaccounts/worker`);
        await eventually(async () => expect((await own("GET", maps)).status).toBe(401));
      });

      it("may not act as others without the right to", async () => {
        const token = await account("actor");
        const { body } = await send("GET", maps, undefined, {
          token,
          headers: { "Impersonate-User": "bob" },
        });
        expect(body["message"]).toBe(
          'configmaps is forbidden: User "system:serviceaccount:guarded:actor" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "guarded"',
        );
      });

      it("get no token for less than ten minutes, and none that are not there", async () => {
        await account("short");
        const path = `${space}/serviceaccounts/short/token`;
        expect((await send("POST", path, { spec: { expirationSeconds: 10 } })).body).toMatchObject({
          code: 422,
          details: {
            causes: [
              {
                field: "spec.expirationSeconds",
                message: "Invalid value: 10: may not specify a duration less than 10 minutes",
              },
            ],
          },
        });
        expect((await send("POST", `${space}/serviceaccounts/none/token`, { spec: {} })).status).toBe(404);
      });

      describe("with a token that is bound to a pod", () => {
        const token = (name: string, reference: Body): Promise<RawAnswer> =>
          send("POST", `${space}/serviceaccounts/${name}/token`, {
            spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", ...reference } },
          });
        const pod = async (name: string, serviceAccountName: string): Promise<string> => {
          const { body } = await send("POST", `${space}/pods`, {
            metadata: { name },
            spec: { serviceAccountName, containers: [{ name: "c", image: "i" }] },
          });
          return String((body["metadata"] as Body)["uid"]);
        };

        it("act as long as the pod is there", async () => {
          await account("bound");
          const uid = await pod("bound", "bound");
          const node = { apiVersion: "v1", kind: "Node", name: "n" };
          await send("POST", `${space}/pods/bound/binding`, { metadata: { name: "bound" }, target: node });
          const { body } = await token("bound", { name: "bound", uid });
          const bearer = String((body["status"] as Body)["token"]);
          const claims = JSON.parse(
            Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString("utf8"),
          ) as Body;
          expect(claims["kubernetes.io"]).toEqual({
            namespace: "guarded",
            node: { name: "n" },
            pod: { name: "bound", uid },
            serviceaccount: { name: "bound", uid: expect.any(String) as string },
          });
          const review = async (): Promise<Body> => {
            const path = "/apis/authentication.k8s.io/v1/tokenreviews";
            return (await send("POST", path, { spec: { token: bearer } })).body["status"] as Body;
          };
          expect(await review()).toMatchObject({
            authenticated: true,
            user: {
              extra: {
                "authentication.kubernetes.io/credential-id": [`JTI=${String(claims["jti"])}`],
                "authentication.kubernetes.io/node-name": ["n"],
                "authentication.kubernetes.io/pod-name": ["bound"],
                "authentication.kubernetes.io/pod-uid": [uid],
              },
            },
          });
          await send("DELETE", `${space}/pods/bound?gracePeriodSeconds=0`);
          await eventually(async () => expect((await review())["authenticated"]).toBe(undefined));
        });

        it.each([
          ["of a pod that is not there", { name: "none" }, 404, 'pods "none" not found'],
          [
            "of a pod of another account",
            { name: "other" },
            400,
            'cannot bind token for serviceaccount "binder" to pod running with different serviceaccount name.',
          ],
          [
            "of a pod that is another one by now",
            { name: "same", uid: "1-2-3" },
            409,
            expect.stringContaining("does not match the UID in record") as string,
          ],
          [
            "of what is no pod, node or Secret",
            { kind: "ConfigMap", name: "one" },
            400,
            "cannot bind token to object of type /v1, Kind=ConfigMap",
          ],
        ])("get none %s", async (_, reference, status, message) => {
          await account("binder");
          await send("POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
          await pod("other", "default");
          await pod("same", "binder");
          const { body } = await token("binder", reference);
          expect([body["code"], body["message"]]).toEqual([status, message]);
        });
      });
    });
  },
  {
    embedded: { rbac: true, controllers: false },
    real: { controllers: "clusterrole-aggregation-controller" },
  },
);
