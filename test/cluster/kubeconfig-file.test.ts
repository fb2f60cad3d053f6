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
import { stringify } from "yaml";
import { startCluster } from "../../src/cluster/index.ts";
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

it("a cluster writes its kubeconfig to a file of its own, again and again, and over no other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string): string => join(folder, name);
  const start = async (kubeconfig: string): Promise<string> => {
    const cluster = await startCluster({ kubeconfig, controllers: false });
    await cluster.stop();
    return cluster.kubeconfig;
  };
  const own = at("own");
  for (let round = 0; round < 2; round += 1) expect(await start(own)).toBe(own);
  expect(statSync(own).mode & 0o777).toBe(0o600);
  const others: Readonly<Record<string, string>> = {
    "other clusters": stringify({ clusters: [{ name: "production" }, { name: "xstate-operator" }] }),
    "no kubeconfig": "- a list\n",
    "no YAML": "{",
  };
  for (const [name, text] of Object.entries(others)) {
    writeFileSync(at(name), text);
    await expect(start(at(name))).rejects.toMatchObject({
      code: "FILE_NOT_OURS",
      fields: { path: at(name) },
    });
    expect(readFileSync(at(name), "utf8")).toBe(text);
  }
  await expect(start(folder)).rejects.toMatchObject({ code: "FILE_NOT_OURS" });
  await expect(start(at("missing/file"))).rejects.toMatchObject({ code: "FILE_NOT_WRITTEN" });
});

it("a kubeconfig of a cluster that runs is not replaced by another one, and one that has ended is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, "shared");
  const first = await startCluster({ kubeconfig, controllers: false });
  onTestFinished(() => first.stop());
  const before = readFileSync(kubeconfig, "utf8");
  await expect(startCluster({ kubeconfig, controllers: false })).rejects.toMatchObject({
    code: "FILE_NOT_OURS",
    message: expect.stringContaining(`running at ${first.url}`),
  });
  expect(readFileSync(kubeconfig, "utf8")).toBe(before);
  await first.stop();
  const second = await startCluster({ kubeconfig, controllers: false });
  onTestFinished(() => second.stop());
  expect(readFileSync(kubeconfig, "utf8")).toContain(second.url);
});
