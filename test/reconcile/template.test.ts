import { describe, expect, it } from "vitest";
import { fromTemplate, renderTemplate } from "../../src/reconcile/resources/template.ts";

const head = "apiVersion: v1\nkind: ConfigMap\n";
const dataOf = (yaml: string, values?: Record<string, unknown>): unknown =>
  (renderTemplate(`${head}data:\n${yaml}`, values) as never as { data: unknown }).data;

describe("template", () => {
  it("inserts values verbatim, whatever characters they have", () => {
    const value = `+ & < > " ' : # {x} \n- a: b`;
    expect(dataOf("  whole: ${v}\n  part: pre ${v} post", { v: value })).toEqual({
      whole: value,
      part: `pre ${value} post`,
    });
  }); // OKT 68

  it("reads YAML as Kubernetes does, in versions 1.1's words", () => {
    expect(dataOf("  mode: 0640\n  on: yes\n  day: 2020-01-01\n  time: 12:30:00\n  new: 0o17")).toEqual({
      mode: 416,
      true: true,
      day: "2020-01-01",
      time: "12:30:00",
      new: "0o17",
    });
  });

  it("keeps the type of a value that stands alone", () => {
    expect(
      dataOf("  a: ${n}\n  b: ${b}\n  l: ${l}\n  m: n is ${n}", { n: 3, b: false, l: [1, { x: 2 }] }),
    ).toEqual({
      a: 3,
      b: false,
      l: [1, { x: 2 }],
      m: "n is 3",
    });
  });

  it("reads values by path, and fills in names too", () => {
    expect(dataOf("  ${cr.name}-key: ${cr.spec.size}", { cr: { name: "a", spec: { size: 2 } } })).toEqual({
      "a-key": 2,
    });
  });

  it.each(["${missing}", "pre ${missing} post", "${a.missing}", "${toString}", "${a.length}"])(
    "refuses a placeholder without a value: %s",
    (text) => {
      expect(() => dataOf(`  x: "${text}"`, { a: "text" })).toThrow(
        expect.objectContaining({ code: "TEMPLATE_VALUE_MISSING" }),
      );
    },
  ); // OKT 69

  it("leaves an escaped placeholder as text, and every one when there are no values", () => {
    expect(dataOf('  x: "echo $${HOME}"', {})).toEqual({ x: "echo ${HOME}" });
    expect(dataOf('  x: "echo ${HOME}"')).toEqual({ x: "echo ${HOME}" });
  });

  it.each([
    ["several documents", `${head}---\n${head}`, "has 2 documents"],
    ["no document", "# nothing\n", "has no document"],
    ["no kind", "apiVersion: v1\n", "no apiVersion or kind"],
    ["a scalar", "hello\n", "no apiVersion or kind"],
    ["bad YAML", `${head}data: [`, "is not YAML"],
  ])("refuses %s", (_name, yaml, message) => {
    expect(() => renderTemplate(yaml)).toThrow(
      expect.objectContaining({ code: "TEMPLATE_INVALID", message: expect.stringContaining(message) }),
    );
  });

  it("takes one document between separators", () => {
    expect(renderTemplate(`---\n${head}---\n`)).toMatchObject({ kind: "ConfigMap" });
  });

  it.each([
    ["kind", "apiVersion: v1\nkind: Secret\n"],
    ["apiVersion", "apiVersion: v2\nkind: ConfigMap\n"],
    ["name", `${head}metadata: { name: b }\n`],
    ["namespace", `${head}metadata: { namespace: other }\n`],
  ])("refuses another %s than the resource's", (field, yaml) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n" } };
    expect(() => fromTemplate(yaml)(object)).toThrow(
      expect.objectContaining({ code: "TEMPLATE_IDENTITY", message: expect.stringContaining(field) }),
    );
    expect(object).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "n" } });
  });

  describe("merged into an object", () => {
    const pod = (containers: unknown[]): { spec: { containers: Record<string, unknown>[] } } =>
      ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } }) as never;

    it("lets no field leak between reordered or renamed elements of a list", () => {
      const object = pod([
        { name: "a", image: "a:1", imagePullPolicy: "Never" },
        { name: "b", image: "b:1" },
      ]);
      fromTemplate(
        "{ apiVersion: v1, kind: Pod, spec: { containers: [{ name: b, image: b:2 }, { name: c }] } }",
      )(object);
      expect(object.spec.containers).toEqual([
        { name: "a", image: "a:1", imagePullPolicy: "Never" },
        { name: "b", image: "b:2" },
        { name: "c" },
      ]);
    }); // OKT 70

    it("replaces a list that has no keys as a whole", () => {
      const object = pod([{ name: "a", command: ["x", "--old", "--more"] }]);
      fromTemplate("{ apiVersion: v1, kind: Pod, spec: { containers: [{ name: a, command: [new] }] } }")(
        object,
      );
      expect(object.spec.containers[0]?.["command"]).toEqual(["new"]);
    }); // OKT 70

    it("shares nothing with the values", () => {
      const list = [{ name: "a" }];
      const object = pod([]);
      const apply = fromTemplate("{ apiVersion: v1, kind: Pod, spec: { containers: '${list}' } }", { list });
      apply(object);
      object.spec.containers[0]!["image"] = "changed";
      expect(list).toEqual([{ name: "a" }]);
    });

    it("does not reach into a prototype", () => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
      fromTemplate(`${head}data: { __proto__: { polluted: "1" } }\n`)(object);
      expect(({} as { polluted?: string }).polluted).toBeUndefined();
    });
  });
});
