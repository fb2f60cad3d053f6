// The guide on rights: the rules on the page are those of the operator on the page.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { OperatorDefinition } from "../../src/controller/declaration/define-operator.ts";
import { requiredPermissions, type AccessOptions } from "../../src/delivery/required-permissions.ts";
import { runCommand } from "../cli/run-in-process.ts";
import { codeBlocks, root, writeBlocks } from "./code-blocks.ts";

const page = readFileSync(join(root, "docs/guides/rbac.md"), "utf8");

describe("the guide on rights", () => {
  const { folder, remove } = writeBlocks(codeBlocks("docs/guides/rbac.md"));
  afterAll(remove);
  const file = join(folder, "ledger-operator.ts");
  const everywhere: AccessOptions = {
    namespaces: [],
    operatorNamespace: "books",
    sharing: "none",
    installCrds: false,
    metricsSecure: false,
  };
  let operator: OperatorDefinition;
  beforeAll(async () => {
    operator = ((await import(pathToFileURL(file).href)) as { readonly default: OperatorDefinition }).default;
  });

  it("lists the rules that the operator on it needs, and no others", () => {
    const listed: unknown = parse(/^```yaml\n(- .*?)^```$/ms.exec(page)?.[1] ?? "");
    const { served, cluster, own } = requiredPermissions(operator, everywhere);
    expect(listed).toEqual([...served, ...cluster]);
    expect(own).toEqual([]);
  });

  it.each([
    ["--leader-elect", { sharing: "election" }],
    ["--sharding", { sharing: "sharding" }],
    ["--install-crds", { installCrds: true }],
    ["--metrics-secure", { metricsSecure: true }],
  ] as const)("says which verbs %s adds, and where", (flag, options) => {
    const row = new RegExp(`^\\| \`${flag}\` \\|(.*)\\|(.*)\\|$`, "m").exec(page);
    const before = requiredPermissions(operator, everywhere);
    const after = requiredPermissions(operator, { ...everywhere, ...options });
    const added = (where: "own" | "cluster") =>
      after[where].filter(
        (rule) => !before[where].some((each) => JSON.stringify(each) === JSON.stringify(rule)),
      );
    const where = row?.[2]?.trim() === "cluster" ? "cluster" : "own";
    const told = [...(row?.[1]?.matchAll(/`([a-z]+)`/g) ?? [])].map(([, word = ""]) => word);
    expect(told.filter((word) => !word.endsWith("reviews")).toSorted()).toEqual(
      [...new Set(added(where).flatMap(({ verbs }) => verbs))].toSorted(),
    );
    expect(added(where === "own" ? "cluster" : "own")).toEqual([]);
    expect(after.served).toEqual(before.served);
  });

  it("has commands that work", async () => {
    const commands = [...page.matchAll(/^xstate-operator (generate rbac [^>\n]+)/gm)].map(([, args = ""]) =>
      args.trim(),
    );
    expect(commands).toHaveLength(4);
    for (const command of commands) {
      const args = command.split(" ").map((arg) => (arg === "ledger-operator.ts" ? file : arg));
      expect(await runCommand(args)).toMatchObject({ code: 0, err: "" });
    }
  });

  it("says that namespaces have Roles, and that what is in none remains in a ClusterRole", async () => {
    const { out } = await runCommand(["generate", "rbac", file, "--namespace", "shop", "bank"]);
    expect([...out.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind)).toEqual([
      "ServiceAccount",
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
      "Role",
      "RoleBinding",
    ]);
  });
});
