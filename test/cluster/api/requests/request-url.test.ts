import { describe, expect, it } from "vitest";
import { MalformedUrl, readRequestUrl } from "../../../../src/cluster/api/requests/request-url.ts";

describe("the target of a request", () => {
  it.each([
    ["/", "/", ""],
    ["//", "//", ""],
    ["/a/../b", "/a/../b", ""],
    ["/a%2Fb?x=1&x=2", "/a/b", "x=1&x=2"],
    ["/a?x=%zz&y=a+b%26&z", "/a", "y=a+b%26&z="],
    ["/a?x;y=1&z=2=3", "/a", "z=2%3D3"],
    ["https://host:1/a?b", "/a", "b="],
    ["*", "*", ""],
  ])("reads %j", (target, path, query) => {
    const read = readRequestUrl(target);
    expect(read.path).toBe(path);
    expect(read.query.toString()).toBe(query);
  });

  it.each(["/%", "/%zz", "/a%ff"])("refuses %j", (target) => {
    expect(() => readRequestUrl(target)).toThrow(MalformedUrl);
  });
});
