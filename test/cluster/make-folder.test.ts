import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeFolder } from "../../src/cluster/make-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "xstate-operator-folder-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("making a folder", () => {
  it("makes those above it as well, and is content with one that is there", async () => {
    const path = join(folder, "a", "b", "c");
    await Promise.all([makeFolder(path), makeFolder(path)]);
    expect(statSync(path).isDirectory()).toBe(true);
    await makeFolder(path);
  });

  it("refuses where a file is", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(makeFolder(join(folder, "file"))).rejects.toMatchObject({ code: "FOLDER_NOT_MADE" });
    await expect(makeFolder(join(folder, "file", "below"))).rejects.toMatchObject({
      code: "FOLDER_NOT_MADE",
    });
  });

  // Node's recursive mkdir never ends there.
  it.skipIf(!existsSync("/proc/self"))(
    "refuses in time where the system takes no folder (skipped: there is no /proc)",
    async () => {
      await expect(makeFolder("/proc/no/such/folder")).rejects.toMatchObject({
        code: "FOLDER_NOT_MADE",
        message: expect.stringContaining("the folder /proc/no/such/folder cannot be made"),
      });
    },
    2_000,
  );
});
