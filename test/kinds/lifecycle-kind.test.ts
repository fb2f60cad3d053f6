import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { crdOf, graphAnnotation } from "../../src/kinds/crd.ts";
import { defineKind, type InstanceOf } from "../../src/kinds/define-kind.ts";
import { desiredStateRules } from "../../src/kinds/desired-state-rules.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";
import { databaseLifecycle } from "./database-fixture.ts";

const Database = defineKind({
  group: "data.example.com",
  version: "v1",
  kind: "Database",
  spec: z.object({ storage: z.string().default("1Gi") }),
  status: z.object({ endpoint: z.string() }),
  lifecycle: databaseLifecycle,
  printerColumns: [{ name: "Endpoint", type: "string", jsonPath: ".status.endpoint" }],
});
type Database = InstanceOf<typeof Database>;

const crd = crdOf(Database);
const [version] = crd.spec.versions;
const root = version?.schema?.openAPIV3Schema;

describe("a kind with a lifecycle", () => {
  it("carries the compiled lifecycle and the tasks it invokes", () => {
    expect(Database.lifecycle?.id).toBe("database");
    expect(Database.lifecycle?.taskNames).toEqual(["backUp", "drain"]);
    expect(Database.finalize).toBe(true);
  });

  it("types the target and the state beside the author's own fields", () => {
    expectTypeOf<Database["spec"]["storage"]>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Database["spec"]["lifecycle"]>["desiredState"]>().toEqualTypeOf<
      "Start" | "Running" | "Servicing" | "Stopping" | "End" | undefined
    >();
    expectTypeOf<NonNullable<Database["status"]>["endpoint"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<NonNullable<Database["status"]>["lifecycle"]>["state"]>().toEqualTypeOf<
      string | undefined
    >();
  });

  it("keeps the target through parse", () => {
    const parsed = Database.parse({
      apiVersion: "data.example.com/v1",
      kind: "Database",
      metadata: { name: "orders" },
      spec: { lifecycle: { desiredState: "Servicing" } },
    });
    expect(parsed.spec).toEqual({ storage: "1Gi", lifecycle: { desiredState: "Servicing" } });
  });

  it.each([
    [{ lifecycle: { desiredState: "Flying" } }, 'spec.lifecycle.desiredState: "Flying" cannot be desired'],
    [{ lifecycle: { desiredState: "HumanIntervention" } }, "Running, Servicing"],
    [{ lifecycle: "Running" }, "spec.lifecycle: expected an object"],
  ])("refuses %j in parse", (spec, message) => {
    const parse = (): unknown =>
      Database.parse({
        apiVersion: "data.example.com/v1",
        kind: "Database",
        metadata: { name: "orders" },
        spec,
      });
    expect(parse).toThrow(expect.objectContaining({ code: "CR_INVALID" }));
    expect(parse).toThrow(message);
  });

  it("refuses a spec that declares lifecycle itself", () => {
    expect(() =>
      defineKind({
        group: "data.example.com",
        version: "v1",
        kind: "Database",
        spec: z.object({ lifecycle: z.string() }),
        lifecycle: databaseLifecycle,
      }),
    ).toThrow(expect.objectContaining({ code: "KIND_INVALID" }));
  });

  it("refuses a machine whose states cannot all be reached, and says which", () => {
    const machine = setupLifecycle().createMachine({
      id: "broken",
      version: "1",
      initial: "Start",
      states: {
        Start: { on: { "observed.Running": "Running" } },
        Running: {},
        Island: { on: { "desired.Running": "Running" } },
      },
    });
    try {
      defineKind({
        group: "a.example.com",
        version: "v1",
        kind: "Broken",
        spec: z.object({}),
        lifecycle: machine,
      });
      expect.unreachable();
    } catch (error) {
      expect(isOperatorError(error, "LIFECYCLE_INVALID") && error.message).toContain("Island");
    }
  });
});

describe("the CRD of a kind with a lifecycle", () => {
  it("offers the states that can be desired, and defaults to the one that is held", () => {
    expect(root?.properties?.["spec"]?.properties?.["lifecycle"]?.properties).toMatchObject({
      desiredState: { type: "string", enum: ["Running", "Servicing", "Stopping", "End"], default: "Running" },
      request: { type: "string" },
    });
    expect(root?.properties?.["spec"]?.default).toEqual({
      storage: "1Gi",
      lifecycle: { desiredState: "Running" },
    });
  });

  it("keeps the author's status, the lifecycle and the conditions", () => {
    expect(Object.keys(root?.properties?.["status"]?.properties ?? {})).toEqual([
      "endpoint",
      "lifecycle",
      "observedGeneration",
      "conditions",
    ]);
  });

  it("shows State, Desired, Ready and Age, and the message with -o wide", () => {
    expect(version?.additionalPrinterColumns?.map(({ name, priority = 0 }) => [name, priority])).toEqual([
      ["State", 0],
      ["Desired", 0],
      ["Ready", 0],
      ["Endpoint", 0],
      ["Age", 0],
      ["Message", 1],
    ]);
  });

  it("shows the target that counts as Desired, not what a one-time target has asked for", () => {
    const desired = version?.additionalPrinterColumns?.find(({ name }) => name === "Desired");
    expect(desired?.jsonPath).toBe(".status.lifecycle.target.state");
  });

  it("carries the graph in an annotation", () => {
    const graph = JSON.parse(crd.metadata.annotations?.[graphAnnotation] ?? "") as {
      id: string;
      nodes: unknown[];
    };
    expect(graph.id).toBe("database");
    expect(graph.nodes).toHaveLength(6);
  });

  it("has no rule about targets when every target can be reached from everywhere", () => {
    expect(Database.lifecycle && desiredStateRules(Database.lifecycle)).toEqual([]);
  });

  it("has a rule for the states from which some target cannot be reached", () => {
    const machine = setupLifecycle().createMachine({
      id: "oneway",
      version: "1",
      initial: "Draft",
      states: {
        Draft: { on: { "desired.Open": "Open", "desired.Closed": "Closed" } },
        Open: { on: { "desired.Closed": "Closed" } },
        Closed: { on: { "desired.Archived": "Archived" } },
        Archived: { on: { "desired.Closed": "Closed" } },
      },
    });
    const kind = defineKind({
      group: "a.example.com",
      version: "v1",
      kind: "Oneway",
      spec: z.object({}),
      lifecycle: machine,
    });
    const rules = kind.lifecycle === undefined ? [] : desiredStateRules(kind.lifecycle);
    const closed = rules.find((rule) =>
      rule.message?.includes("from Closed, Archived only Closed, Archived can be desired"),
    );
    expect(closed?.rule).toContain('!(oldSelf.status.lifecycle.state in ["Closed", "Archived"])');
    expect(closed?.rule).toMatch(/ \|\| self\.spec\.lifecycle\.desiredState in \["Closed", "Archived"\]$/);
    expect(closed).toMatchObject({
      reason: "FieldValueForbidden",
      fieldPath: ".spec.lifecycle.desiredState",
    });
  });
});
