import { describe, expect, it } from "vitest";
import { FaultList } from "../../../../src/cluster/api/faults/fault-list.ts";
import {
  matchesRequest,
  seenOf,
  type RequestSeen,
} from "../../../../src/cluster/api/faults/request-match.ts";
import { adminUser, controllersUser } from "../../../../src/cluster/api/requests/users.ts";
import type { RequestMatch } from "../../../../src/cluster/cluster-faults.ts";

const seen: RequestSeen = {
  verb: "patch",
  group: "apps",
  plural: "deployments",
  namespace: "default",
  name: "a",
  subresource: "status",
  userAgent: "tester",
  user: "admin",
};

describe("what a fault sees of a request", () => {
  it.each([
    ["GET", "/api/v1/namespaces/default/pods/a", "", "", "get"],
    ["GET", "/api/v1/pods", "", "", "list"],
    ["GET", "/api/v1/pods", "watch=true", "", "watch"],
    ["GET", "/api/v1/watch/pods", "", "", "watch"],
    ["POST", "/api/v1/namespaces/default/pods", "", "application/json", "create"],
    ["PUT", "/api/v1/namespaces/default/pods/a", "", "application/json", "update"],
    ["PATCH", "/api/v1/namespaces/default/pods/a", "", "application/merge-patch+json", "patch"],
    ["PATCH", "/api/v1/namespaces/default/pods/a", "", "application/apply-patch+yaml", "apply"],
    ["DELETE", "/api/v1/namespaces/default/pods/a", "", "", "delete"],
    ["DELETE", "/api/v1/namespaces/default/pods", "", "", "deletecollection"],
  ])("names %s %s?%s %s by its verb", (method, path, query, contentType, verb) => {
    const request = { headers: { "content-type": contentType } };
    const exchange = {
      method,
      path,
      query: new URLSearchParams(query),
      user: adminUser,
      userAgent: "tester/1.0 (linux)",
      request,
    };
    expect(seenOf(exchange)).toMatchObject({ verb, plural: "pods", userAgent: "tester", user: "admin" });
  });

  it("is nothing for a path that names no resource", () => {
    const query = new URLSearchParams();
    const request = { headers: {} };
    expect(
      seenOf({ method: "GET", path: "/healthz", query, user: adminUser, userAgent: "t", request }),
    ).toBeUndefined();
  });
});

describe("a match", () => {
  it.each<[RequestMatch, boolean]>([
    [{}, true],
    [{ verb: "patch", group: "apps", plural: "deployments", name: "a" }, true],
    [{ verb: ["create", "patch"] }, true],
    [{ verb: ["create", "update"] }, false],
    [{ subresource: "" }, false],
    [{ namespace: "other" }, false],
    [{ userAgent: "tester", user: "admin" }, true],
    [{ user: "somebody" }, false],
  ])("%j strikes: %s", (match, strikes) => {
    expect(matchesRequest(match, seen)).toBe(strikes);
  });

  it("spares the built-in controllers unless it names them", () => {
    const theirs = { ...seen, user: controllersUser.name };
    expect(matchesRequest({}, theirs)).toBe(false);
    expect(matchesRequest({ user: controllersUser.name }, theirs)).toBe(true);
  });
});

describe("a list of faults", () => {
  it("strikes as often as it was told, the first one first, and counts", () => {
    const list = new FaultList<string>();
    const twice = list.add({ verb: "patch" }, "twice", { times: 2 });
    const always = list.add({}, "always");
    list.add({ verb: "create" }, "never");
    expect([1, 2, 3, 4].map(() => list.strike(seen))).toEqual(["twice", "twice", "always", "always"]);
    expect([twice.strikes, always.strikes]).toEqual([2, 2]);
  });

  it("tells the end of a fault once, and not when it has struck often enough", () => {
    const list = new FaultList<string>();
    const ends: string[] = [];
    const ended = list.add({}, "a", {}, () => ends.push("a"));
    const spent = list.add({}, "b", { times: 1 }, () => ends.push("b"));
    ended.end();
    ended.end();
    list.strike(seen);
    spent.end();
    list.add({}, "c", {}, () => ends.push("c"));
    list.clear();
    list.clear();
    expect(ends).toEqual(["a", "c"]);
    expect(list.isEmpty).toBe(true);
  });
});
