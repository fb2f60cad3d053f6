// Who a request is of that is sent on behalf of somebody else, and what nobody may leave out of that.
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawAnswer, RawClient } from "./raw-request.ts";

const masters = "system:masters";

/** An account that acts as others. */
interface Actor {
  readonly token: string;
  /** Lists pods as a user. */
  ask(user: string, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>;
}

/** Declares the cases; role-based access control is on. */
export function declareImpersonationCases(client: () => RawClient): void {
  const whoIs = (headers: Readonly<Record<string, string | string[]>>): Promise<RawAnswer> =>
    client().send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { headers });

  it.each<[string, string, readonly string[], readonly string[]]>([
    ["a user", "x", [], ["system:authenticated"]],
    ["a user of groups", "x", ["a", "a"], ["a", "a", "system:authenticated"]],
    ["one who is said to be known", "x", ["system:authenticated", "a"], ["system:authenticated", "a"]],
    [
      "one who is said to be unknown",
      "x",
      ["system:unauthenticated", masters],
      ["system:unauthenticated", masters],
    ],
    ["nobody", "system:anonymous", [masters], [masters, "system:unauthenticated"]],
    [
      "nobody, who is said to be known",
      "system:anonymous",
      ["system:authenticated"],
      ["system:authenticated", "system:unauthenticated"],
    ],
    [
      "a service account",
      "system:serviceaccount:a:b",
      [],
      ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    ],
    ["a service account of other groups", "system:serviceaccount:a:b", ["z"], ["z", "system:authenticated"]],
    ["what only begins like one", "system:serviceaccount:a:b:c", [], ["system:authenticated"]],
  ])("knows the groups of %s", async (_who, name, given, groups) => {
    const { body } = await whoIs({ "Impersonate-User": name, "Impersonate-Group": [...given] });
    expect((body["status"] as Body)["userInfo"]).toEqual({ username: name, groups });
  });

  it.each([
    ["nobody", "system:anonymous", []],
    ["one who is said to be unknown", "x", ["system:unauthenticated"]],
  ])("gives no right of those who are known to %s", async (_who, name, groups) => {
    const answer = await whoIs({ "Impersonate-User": name, "Impersonate-Group": groups });
    expect(answer.body["message"]).toBe(
      `selfsubjectreviews.authentication.k8s.io is forbidden: User "${name}" cannot create resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`,
    );
  });

  it("takes nothing of a user without his name", async () => {
    const extra = { "Impersonate-Extra-b": "x", "Impersonate-Extra-a": "y" };
    const asked = { Name: '""', UID: '""', Groups: "[]string(nil)", Extra: "map[string][]string(nil)" };
    const cases = [
      [{ "Impersonate-Group": "g" }, { Groups: '[]string{"g"}' }],
      [{ "Impersonate-User": "", "Impersonate-Group": ["g", "h"] }, { Groups: '[]string{"g", "h"}' }],
      [{ "Impersonate-Uid": "u" }, { UID: '"u"' }],
      [extra, { Extra: 'map[string][]string{"a":[]string{"y"}, "b":[]string{"x"}}' }],
    ] as const;
    for (const [headers, given] of cases) {
      const fields = Object.entries({ ...asked, ...given }).map(([name, value]) => `${name}:${value}`);
      expect((await whoIs(headers as Record<string, string>)).body).toMatchObject({
        code: 400,
        reason: "BadRequest",
        message: `requested &user.DefaultInfo{${fields.join(", ")}} without impersonating a user name`,
      });
    }
    expect((await whoIs({ "Impersonate-User": "" })).status).toBe(201);
  });

  const send: RawClient["send"] = (...request) => client().send(...request);
  const access = "/apis/rbac.authorization.k8s.io/v1";
  const apiGroup = "rbac.authorization.k8s.io";
  const pods = "/api/v1/namespaces/default/pods";
  const bind = (name: string, role: string, account: string): Promise<RawAnswer> =>
    send("POST", `${access}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name: account, namespace: "default" }],
    });

  /** A token of a new account that has these rights, and what its requests are told. */
  async function actor(name: string, rules: readonly Body[]): Promise<Actor> {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await send("POST", accounts, { metadata: { name } });
    await send("POST", `${access}/clusterroles`, { metadata: { name }, rules });
    await bind(name, name, name);
    const { body } = await send("POST", `${accounts}/${name}/token`, { spec: {} });
    const token = String((body["status"] as Body)["token"]);
    const ask = async (user: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> =>
      send("GET", pods, undefined, {
        token,
        headers: { "Impersonate-User": user, ...headers },
      });
    return { token, ask };
  }
  const cannot = (
    name: string,
    verb: string,
    resource: string,
    group = "",
    where = "at the cluster scope",
  ): string =>
    `User "system:serviceaccount:default:${name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  const users = { apiGroups: [""], resources: ["users"], verbs: ["impersonate"], resourceNames: ["known"] };

  it("tells which right is missing to act as somebody: the narrow one, until a plain one has been used", async () => {
    const name = "plain-actor";
    const { ask } = await actor(name, [users]);
    const told = async (user: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
      (await ask(user, headers)).body["message"];
    const narrow = (mode: string): string =>
      `pods is forbidden: ${cannot(name, `impersonate-on:${mode}:list`, "pods", "", 'in the namespace "default"')}`;
    const ofUser = (user: string): string =>
      `users "${user}" is forbidden: ${cannot(name, "impersonate", "users")}`;
    const account = `serviceaccounts "b" is forbidden: ${cannot(name, "impersonate", "serviceaccounts", "", 'in the namespace "a"')}`;
    const grouped = { "Impersonate-Group": "g" };
    expect(await told("other")).toBe(narrow("user-info"));
    expect(await told("other", grouped)).toBe(narrow("user-info"));
    for (const user of ["system:node:", "system:serviceaccount:a:b:c", "system:serviceaccount:A:b"]) {
      expect(await told(user)).toBe(narrow("user-info"));
    }
    expect(await told("system:node:n")).toBe(narrow("arbitrary-node"));
    expect(await told("system:node:n", grouped)).toBe(ofUser("system:node:n"));
    expect(await told("system:serviceaccount:a:b")).toBe(narrow("serviceaccount"));
    expect(await told("system:serviceaccount:a:b", { "Impersonate-Uid": "u" })).toBe(account);
    await eventually(async () => expect(await told("known")).toContain('User "known" cannot list'));
    expect(await told("other")).toBe(ofUser("other"));
    expect(await told("system:serviceaccount:a:b")).toBe(account);
    expect(await told("known", grouped)).toBe(
      `groups "g" is forbidden: ${cannot(name, "impersonate", "groups")}`,
    );
    const more = "authentication.k8s.io";
    expect(await told("known", { "Impersonate-Uid": "u" })).toBe(
      `uids.${more} "u" is forbidden: ${cannot(name, "impersonate", "uids", more)}`,
    );
    expect(await told("known", { "Impersonate-Extra-k": "v" })).toBe(
      `userextras.${more} "v" is forbidden: ${cannot(name, "impersonate", "userextras/k", more)}`,
    );
  });

  it("lets those act as a user who may do so for what is asked", async () => {
    const name = "narrow-actor";
    const group = "authentication.k8s.io";
    const { ask, token } = await actor(name, [
      {
        apiGroups: [group],
        resources: ["users"],
        verbs: ["impersonate:user-info"],
        resourceNames: ["known"],
      },
      { apiGroups: [""], resources: ["pods"], verbs: ["impersonate-on:user-info:list"] },
    ]);
    await eventually(async () =>
      expect((await ask("known")).body["message"]).toContain('User "known" cannot list resource "pods"'),
    );
    expect((await ask("other")).body["message"]).toBe(
      `users.${group} "other" is forbidden: ${cannot(name, "impersonate:user-info", "users", group)}`,
    );
    const one = await send("GET", `${pods}/one`, undefined, {
      token,
      headers: { "Impersonate-User": "known" },
    });
    expect(one.body["message"]).toContain("cannot impersonate-on:user-info:get");
  });

  it("says which roles are missing that are bound to who asks, each once", async () => {
    const { token } = await actor("half-bound", []);
    const asked = async (): Promise<Body> => {
      const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
      const { body } = await send("POST", path, { spec: { namespace: "default" } }, { token });
      return body["status"] as Body;
    };
    expect(await asked()).not.toHaveProperty("evaluationError");
    const missing = (role: string): string => `clusterrole.${apiGroup} "${role}" not found`;
    await bind("half-bound-1", "missing-one", "half-bound");
    await bind("half-bound-2", "missing-one", "half-bound");
    await eventually(async () => expect((await asked())["evaluationError"]).toBe(missing("missing-one")));
    await bind("half-bound-3", "missing-two", "half-bound");
    const both = expect.stringMatching(
      /^\[clusterrole\S* "missing-\w+" not found, clusterrole\S* "missing-\w+" not found\]$/,
    ) as string;
    await eventually(async () => expect((await asked())["evaluationError"]).toEqual(both));
    const { body } = await send("GET", pods, undefined, { token });
    expect(body["message"]).toMatch(/: RBAC: \[.* not found, .* not found\]$/);
  });
}
