import { describe, expect, it } from "vitest";
import { parseObjectBody } from "../../../../src/cluster/api/http/request-body.ts";
import { refusalOf } from "../support/test-api.ts";

describe("request body", () => {
  it.each([
    [
      "{bad",
      "application/json",
      400,
      "invalid character 'b' looking for beginning of object key string ({bad)",
    ],
    ["", "application/json", 400, "unexpected end of JSON input (<empty>)"],
    ["[]", "application/json", 400, "cannot unmarshal array"],
    ["x", "text/plain", 415, "the body of the request was in an unknown format"],
    ["k8s", "application/vnd.kubernetes.protobuf", 415, "the body of the request was in an unknown format"],
  ])("refuses %j as %s with %i", (text, contentType, code, message) => {
    const refusal = refusalOf(() => parseObjectBody(Buffer.from(text), contentType, { kind: "ConfigMap" }));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain(message);
  });
});
