import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMountRewriter, mountVariables } from "../../../../src/cluster/pods/process/mount-paths.ts";

const mounts = [
  { volume: "data", path: "/var/lib/db", target: "/real/claims/data" },
  { volume: "config", path: "/etc/db/", target: "/real/config" },
  { volume: "inner", path: "/var/lib/db/wal", target: "/real/wal" },
];

describe("mount paths", () => {
  const rewrite = createMountRewriter(mounts);

  it.each([
    ["/var/lib/db", "/real/claims/data"],
    ["/var/lib/db/base/1", "/real/claims/data/base/1"],
    ["--dir=/var/lib/db", "--dir=/real/claims/data"],
    ["-c config_file='/etc/db/db.conf'", "-c config_file='/real/config/db.conf'"],
    ["cp /etc/db/a /var/lib/db/b", "cp /real/config/a /real/claims/data/b"],
    ["A=/var/lib/db:/etc/db", "A=/real/claims/data:/real/config"],
    ["cat /etc/db/a>/var/lib/db/x;", "cat /real/config/a>/real/claims/data/x;"],
    ['"/var/lib/db"', '"/real/claims/data"'],
  ])("rewrites %j", (text, expected) => {
    expect(rewrite(text)).toBe(expected);
  });

  it.each([
    "/var/lib/db2",
    "/var/lib/db-old/x",
    "/srv/var/lib/db",
    "./var/lib/db",
    "/etc/dbx",
    "var/lib/db",
    "db",
  ])("leaves %j alone, which is another path", (text) => {
    expect(rewrite(text)).toBe(text);
  });

  it("prefers the innermost mount", () => {
    expect(rewrite("/var/lib/db/wal/1 /var/lib/db/1")).toBe("/real/wal/1 /real/claims/data/1");
  });

  it("does not rewrite what a rewrite has brought in", () => {
    const nested = createMountRewriter([
      { volume: "a", path: "/a", target: "/b/a" },
      { volume: "b", path: "/b", target: "/c" },
    ]);
    expect(nested("/a /b")).toBe("/b/a /c");
  });

  it("never rewrites everything because the root is mounted", () => {
    expect(createMountRewriter([{ volume: "root", path: "/", target: "/real" }])("/bin/sh")).toBe("/bin/sh");
  });

  it("takes characters that mean something in patterns literally", () => {
    const special = createMountRewriter([{ volume: "a", path: "/a.b+(c)", target: "/real" }]);
    expect(special("/a.b+(c)/x")).toBe("/real/x");
    expect(special("/aXb+(c)/x")).toBe("/aXb+(c)/x");
  });

  it("leaves any text without a mounted path as it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes("/var/lib/db") && !text.includes("/etc/db"));
        expect(rewrite(text)).toBe(text);
      }),
    );
  });

  it("names every mount by a variable", () => {
    expect(mountVariables([{ volume: "my-data.0", path: "/x", target: "/real" }])).toEqual({
      XSTATE_MOUNT_MY_DATA_0: "/real",
    });
  });
});
