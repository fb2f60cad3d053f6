// Who a request is of that is sent on behalf of somebody else, and what nobody may leave out of that.
import { expect, it } from "vitest";
import type { Body, RawAnswer, RawClient } from "./raw-request.ts";

const masters = "system:masters";

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
}
