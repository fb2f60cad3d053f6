import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeKubeConfig } from "../../src/cluster/kube-config.ts";

it("a kubeconfig is readable by its owner only, whatever was there before: an open file or a link", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, "untouched");
  const [open, link] = [join(folder, "open"), join(folder, "link")];
  writeFileSync(open, "old");
  chmodSync(open, 0o666);
  symlinkSync(elsewhere, link);
  for (const path of [open, link]) {
    await writeKubeConfig(path, {
      url: "https://127.0.0.1:1",
      authority: "CA",
      user: "admin",
      token: "t0ken",
    });
    expect(readFileSync(path, "utf8")).toContain("t0ken");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  expect(readdirSync(folder).sort()).toEqual(["elsewhere", "link", "open"]);
});
