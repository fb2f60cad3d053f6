import { describe, expect, it } from "vitest";
import { duplicateFieldsOf } from "../../../../src/cluster/api/http/duplicate-fields.ts";
import { parseObjectBody } from "../../../../src/cluster/api/http/request-body.ts";
import { parseYaml } from "../../../../src/cluster/api/requests/yaml-text.ts";
import { refusalOf } from "../support/test-api.ts";

describe("request body", () => {
  it("finds fields that occur twice, at any depth", () => {
    const text =
      '{"metadata":{"name":"x","name":"y"},"list":[{"a":1},{"b":"}{\\"","b":2}],"data":{"a":"1","a":"2","c":{}}}';
    expect(duplicateFieldsOf(text)).toEqual(["metadata.name", "list[1].b", "data.a"]);
    expect(duplicateFieldsOf(' { "a" : [ ] , "b" : { } , "c" : -1.5e3 } ')).toEqual([]);
  });

  it("reads YAML 1.1, its first document only", () => {
    expect(parseYaml('y: "1"\n---\nb: 2\n')).toEqual({ true: "1" });
  });

  it.each([
    [
      "{bad",
      "application/json",
      400,
      "invalid character 'b' looking for beginning of object key string ({bad)",
    ],
    ["", "application/json", 400, "unexpected end of JSON input (<empty>)"],
    ["[]", "application/json", 400, "the object provided is unrecognized (must be of type ConfigMap)"],
    ["x", "text/plain", 415, "the body of the request was in an unknown format"],
    ["k8s", "application/vnd.kubernetes.protobuf", 415, "the body of the request was in an unknown format"],
  ])("refuses %j as %s with %i", (text, contentType, code, message) => {
    const refusal = refusalOf(() => parseObjectBody(Buffer.from(text), contentType, { kind: "ConfigMap" }));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(message);
  });
});
