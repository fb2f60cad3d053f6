import { describe, expect, it } from "vitest";
import { expandTemplate } from "../../src/kuttl/files/expand-template.ts";
import { expandVariables, splitCommandLine } from "../../src/kuttl/files/expand-variables.ts";
import { readTestText } from "../../src/kuttl/files/read-documents.ts";
import { parseStepName } from "../../src/kuttl/files/step-name.ts";

describe("the name of a file", () => {
  it.each([
    ["00-install.yaml", { index: 0, use: "apply", step: "install", isTemplate: false }],
    ["7-a-b.yaml", { index: 7, use: "apply", step: "a-b", isTemplate: false }],
    ["01-assert.yaml", { index: 1, use: "assert", step: "assert", isTemplate: false }],
    ["01-assert-pods.yaml", { index: 1, use: "assert", step: "assert-pods", isTemplate: false }],
    ["01-errors.yaml", { index: 1, use: "errors", step: "errors", isTemplate: false }],
    ["01-asserts.yaml", { index: 1, use: "apply", step: "asserts", isTemplate: false }],
    ["02-x.gotmpl.yaml", { index: 2, use: "apply", step: "x", isTemplate: true }],
    ["03-folder", { index: 3, use: "apply", step: "folder", isTemplate: false }],
    ["assert.yaml", { index: undefined, use: "assert", step: "assert", isTemplate: false }],
    ["01-x.json", undefined],
    ["01-x.yaml.bak", undefined],
    [".hidden", undefined],
  ])("%s", (name, said) => {
    expect(parseStepName(name)).toEqual(said);
  });
});

describe("a command line", () => {
  it.each([
    ["kubectl get pods", ["kubectl", "get", "pods"]],
    ["  a  'b c' \"d 'e' \\\"f\" g\\ h", ["a", "b c", "d 'e' \"f", "g h"]],
    ["a''b '' c", ["ab", "", "c"]],
    ["a#b # the rest", ["a#b", ""].slice(0, 1)],
    ["", []],
  ])("%j is taken apart as a shell does it", (line, words) => {
    expect(splitCommandLine(line)).toEqual(words);
  });

  it("is refused when a quote does not end", () => {
    expect(() => splitCommandLine("echo 'a b")).toThrow(/a quote does not end/);
    expect(() => splitCommandLine('echo a "b')).toThrow(/a quote does not end/);
  });

  it("has variables, and dollar signs by two of them", () => {
    const variables = { NAMESPACE: "ns", EMPTY: undefined };
    expect(expandVariables("$NAMESPACE-${NAMESPACE}x $$NAMESPACE $EMPTY$OTHER|$1 $", variables)).toBe(
      "ns-nsx $NAMESPACE |$1 $",
    );
  });
});

describe("a file of tests", () => {
  it("has objects and documents about tests, each with its line", () => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n# nothing\n---\napiVersion: kuttl.dev/v1beta1\nkind: TestStep\ncommands:\n- command: ls\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n`;
    const { objects, tests, warnings } = readTestText(text, "x/00-a.yaml");
    expect(objects.map(({ kind, where }) => [kind, where])).toEqual([
      ["ConfigMap", "x/00-a.yaml:1"],
      ["Secret", "x/00-a.yaml:15"],
    ]);
    expect(tests).toEqual([
      {
        kind: "TestStep",
        name: undefined,
        settings: { commands: [{ command: "ls" }] },
        where: "x/00-a.yaml:7",
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ["kind: [", /f\.yaml:\d is not YAML/],
    ["a: 1", /f\.yaml:1 is an object without apiVersion and kind/],
    ["just text", /f\.yaml:1 is an object without apiVersion and kind/],
    [
      "apiVersion: kuttl.dev/v1beta1\nkind: TestAssert\ntimeout: soon",
      /f\.yaml:3 timeout is "soon", but must be a whole number/,
    ],
    [
      "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\ndelete:\n- kind: Pod",
      /f\.yaml:4 .*apiVersion is missing/,
    ],
  ])("%j is refused with its line", (text, message) => {
    expect(() => readTestText(text, "f.yaml")).toThrow(message);
  });

  it("takes an empty text for none, as kuttl's own defaults are written", () => {
    const text =
      'apiVersion: kuttl.dev/v1beta1\nkind: TestSuite\nnamespace: ""\nartifactsDir: ""\ntimeout: 5\n';
    const { tests, warnings } = readTestText(text, "kuttl-test.yaml");
    expect([tests.map(({ settings }) => settings), warnings]).toEqual([[{ timeout: 5 }], []]);
  });

  it("warns of fields that mean nothing, but for those that say which cluster kuttl would start", () => {
    const suite = "apiVersion: kuttl.dev/v1beta1\nkind: TestSuite\nstartKIND: true\ntestDir: e2e\n";
    const [warning, ...more] = readTestText(suite, "f.yaml").warnings;
    expect(warning).toMatch(/^f\.yaml:4: TestSuite has no option "testDir"/);
    expect(more).toEqual([]);
  });
});

describe("a template", () => {
  const values = { namespace: "ns", vars: { image: "nginx:1", deep: { list: [1, 2] } } };

  it("names the namespace and variables", () => {
    expect(expandTemplate("a: {{ .Namespace }}-{{.Vars.image}} {{- /* x */ -}}", "f", values)).toMatch(
      /^a: ns-nginx:1 ?$/,
    );
    expect(expandTemplate("{{ .Vars.deep.list }}", "f", values)).toBe("[1,2]");
  });

  it.each([
    ["a\n{{ .Vars.other }}", /f:2 names a value that there is not: \.Vars\.other/],
    ["{{ range .Vars.deep }}x{{ end }}", /f:1 has a template that does more than name a value/],
  ])("is refused beyond that: %j", (text, message) => {
    expect(() => expandTemplate(text, "f", values)).toThrow(message);
  });
});
