import { describe, expect, it } from "vitest";
import { managersOf } from "../../src/meta/field-managers.ts";

const entries = [
  {
    manager: "operator",
    time: "2026-01-01T00:00:00Z",
    fieldsV1: {
      "f:data": { "f:size": {} },
      "f:spec": {
        "f:template": { "f:spec": { "f:containers": { 'k:{"name":"web"}': { "f:image": {} } } } },
        "f:selector": {},
      },
    },
  },
  {
    manager: "kubectl-edit",
    time: "2026-01-01T00:00:05Z",
    fieldsV1: {
      "f:data": { "f:mode": {}, "f:size": {} },
      "f:metadata": { "f:annotations": { "f:example.com/last.seen": {} }, "f:finalizers": { 'v:"x"': {} } },
    },
  },
];
const namesOf = (path?: string) => managersOf(entries, path).map(({ manager }) => manager);

describe("the managers of a field", () => {
  it.each([
    ["data.mode", ["kubectl-edit"]],
    ["data.size", ["kubectl-edit", "operator"]],
    ["data", ["kubectl-edit", "operator"]],
    ["metadata.annotations.example.com/last.seen", ["kubectl-edit"]],
    ["metadata.finalizers[x]", ["kubectl-edit"]],
    ["spec.template.spec.containers[web].image", ["operator"]],
    ["spec.template.spec.containers[web].args", []],
    ["spec.template.spec.containers[side].image", []],
    ["spec.selector.matchLabels.app", ["operator"]],
    ["data.si", []],
    ["status.phase", []],
  ])("of %s are %j, the latest first", (path, expected) => {
    expect(namesOf(path)).toEqual(expected);
  });

  it("are all of them without a path, and none without entries", () => {
    expect(namesOf()).toEqual(["kubectl-edit", "operator"]);
    expect(managersOf(undefined, "data")).toEqual([]);
  });
});
