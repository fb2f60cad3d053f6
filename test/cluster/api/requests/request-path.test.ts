import { describe, expect, it } from "vitest";
import { parseResourcePath } from "../../../../src/cluster/api/requests/request-path.ts";

const empty = {
  namespace: "",
  plural: undefined,
  name: undefined,
  subresource: undefined,
  watchPrefix: false,
};
const core = { ...empty, group: "", version: "v1" };

describe("request path", () => {
  it.each([
    ["/api/v1", core],
    ["/api/v1/pods", { ...core, plural: "pods" }],
    ["/api/v1/namespaces", { ...core, plural: "namespaces" }],
    ["/api/v1/namespaces/n", { ...core, plural: "namespaces", name: "n" }],
    ["/api/v1/namespaces/n/status", { ...core, plural: "namespaces", name: "n", subresource: "status" }],
    ["/api/v1/namespaces/n/finalize", { ...core, plural: "namespaces", name: "n", subresource: "finalize" }],
    ["/api/v1/namespaces/n/pods", { ...core, namespace: "n", plural: "pods" }],
    [
      "/api/v1/namespaces/n/pods/p/log",
      { ...core, namespace: "n", plural: "pods", name: "p", subresource: "log" },
    ],
    ["/api/v1/watch/namespaces/n/pods", { ...core, namespace: "n", plural: "pods", watchPrefix: true }],
    [
      "/apis/a.b/v2/namespaces/n/xs/y:z",
      { ...empty, group: "a.b", version: "v2", namespace: "n", plural: "xs", name: "y:z" },
    ],
    ["/api/v1/pods/", { ...core, plural: "pods" }],
    ["//api/v1/pods", undefined],
    ["/api//v1", { ...core, version: "", plural: "v1" }],
    ["/api/v1//pods", { ...core, plural: "", name: "pods" }],
    ["/api/v1/namespaces//pods", { ...core, plural: "pods" }],
    ["/api/v1/../v1", { ...core, plural: "..", name: "v1" }],
    [
      "/api/v1/namespaces/n/pods/p/log/more",
      { ...core, namespace: "n", plural: "pods", name: "p", subresource: "log/more" },
    ],
  ])("reads %s", (path, expected) => {
    expect(parseResourcePath(path)).toEqual(expected);
  });

  it.each(["/", "//", "///", "/api", "/apis", "/apis/a.b", "/healthz"])("is undefined for %s", (path) => {
    expect(parseResourcePath(path)).toBeUndefined();
  });
});
