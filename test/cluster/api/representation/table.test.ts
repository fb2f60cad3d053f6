import { describe, expect, it } from "vitest";
import type { ApiObject, Fields } from "../../../../src/cluster/api/api-object.ts";
import { toTable } from "../../../../src/cluster/api/representation/table.ts";
import { createTestApi, thing, thingDefinition, type TestApi } from "../support/test-api.ts";

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[] | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: unknown }[];
}

function tableOf(
  api: TestApi,
  resource: string,
  objects: readonly ApiObject[],
  include: "None" | "Metadata" | "Object" = "None",
): Table {
  const now = api.clock.now();
  return toTable(api.type(resource), objects, {
    metadata: {},
    version: "v1",
    include,
    now,
    withDefinitions: true,
  }) as Table;
}

describe("table", () => {
  it("shows a pod's readiness, status and restarts from its containers", () => {
    const api = createTestApi();
    const pod = (status: Fields, metadata: Fields = {}): readonly unknown[] => {
      const object = {
        kind: "Pod",
        apiVersion: "v1",
        metadata: { name: "p", creationTimestamp: "2025-12-31T23:59:50Z", ...metadata },
        spec: { containers: [{}, {}], initContainers: [{}] },
        status,
      };
      return tableOf(api, "pods", [object]).rows[0]?.cells.slice(0, 5) ?? [];
    };
    const running = { ready: true, restartCount: 2, state: { running: {} } };
    expect(pod({ phase: "Pending" })).toEqual(["p", "0/2", "Pending", "0", "10s"]);
    expect(pod({ phase: "Running", containerStatuses: [running, running] })[1]).toBe("2/2");
    expect(pod({ phase: "Running", containerStatuses: [running, running] })[3]).toBe("4");
    expect(
      pod({
        phase: "Pending",
        containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }],
      })[2],
    ).toBe("ImagePullBackOff");
    expect(pod({ phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] })[2]).toBe(
      "ExitCode:3",
    );
    expect(pod({ phase: "Pending", initContainerStatuses: [{ state: { running: {} } }] })[2]).toBe(
      "Init:0/1",
    );
    expect(pod({ phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" })[2]).toBe("Terminating");
  });

  it("shows the columns of a CRD, found by JSON path, in their own types", async () => {
    const api = createTestApi();
    api.create(
      "customresourcedefinitions.apiextensions.k8s.io",
      thingDefinition(undefined, {
        additionalPrinterColumns: [
          { name: "State", type: "string", jsonPath: '.status.conditions[?(@.type=="Lifecycle")].reason' },
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
          { name: "Since", type: "date", jsonPath: ".status.since" },
          { name: "Absent", type: "string", jsonPath: ".spec.nothing" },
        ],
      }),
    );
    await api.clock.settle();
    const object = api.create(
      "things.example.com",
      thing("t", {
        spec: { replicas: 3 },
        status: { since: "2025-12-31T00:00:00Z", conditions: [{ type: "Lifecycle", reason: "Running" }] },
      }),
    );
    const { columnDefinitions, rows } = tableOf(api, "things.example.com", [object], "Metadata");
    expect(columnDefinitions?.map(({ name, priority }) => `${name} ${priority}`)).toEqual([
      "Name 0",
      "State 0",
      "Replicas 1",
      "Since 0",
      "Absent 0",
    ]);
    expect(rows[0]?.cells).toEqual(["t", "Running", 3, "24h", null]);
    expect(rows[0]?.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: object.metadata,
    });
  });

  it("fills every cell of every built-in type, also of an object that is nearly empty", () => {
    const api = createTestApi();
    const metadata = { name: "x", creationTimestamp: "2026-01-01T00:00:00Z" };
    for (const type of api.core.registry.all()) {
      const { kind } = type;
      const table = toTable(type, [{ kind, apiVersion: "v1", metadata }], {
        metadata: {},
        version: "v1",
        include: "None",
        now: api.clock.now(),
        withDefinitions: true,
      }) as Table;
      expect(table.rows[0]?.cells, kind).toHaveLength(table.columnDefinitions?.length ?? -1);
      expect(table.rows[0]?.cells, kind).not.toContain(undefined);
    }
  });
});
