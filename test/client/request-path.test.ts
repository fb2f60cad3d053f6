import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathOnWire, withQuery } from "../../src/client/request-path.ts";

const letters = fc.string({ unit: fc.constantFrom(..."aZ0.-_~:%!$&'()*+,;=@/?#[]{}|^<>\"\\ \té".split("")) });
const bases = fc.constantFrom("", "/clusters/one");

describe("the path of a request on the wire", () => {
  it("is what a URL has, whatever it is made of", () => {
    fc.assert(
      fc.property(bases, letters, (base, rest) => {
        const path = `/${rest}`;
        const { pathname, search } = new URL(`http://localhost${base}${path}`);
        expect(pathOnWire(base, path)).toBe(`${pathname}${search}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(["/a/../b", "/a/./b", "/a/%2e%2E/b", "/a/.%2e", "/..", "/a?b=c'd", "/a#b", "//a"])(
    "is what a URL has for %s",
    (path) => {
      const { pathname, search } = new URL(`http://localhost${path}`);
      expect(pathOnWire("", path)).toBe(`${pathname}${search}`);
    },
  );
});

describe("a query", () => {
  it("leaves out what is undefined, and escapes values", () => {
    const query = { watch: true, limit: undefined, labelSelector: "a=b,c in (d)", timeoutSeconds: 5 };
    expect(withQuery("/api/v1/pods", query)).toBe(
      "/api/v1/pods?watch=true&labelSelector=a%3Db%2Cc%20in%20(d)&timeoutSeconds=5",
    );
    expect(withQuery("/api/v1/pods", { limit: undefined })).toBe("/api/v1/pods");
  });
});
