import { describe, expect, it } from "vitest";
import { chooseRepresentation } from "../../../../src/cluster/api/requests/media-type.ts";
import { refusalOf } from "../support/test-api.ts";

describe("content negotiation", () => {
  it.each<[string | undefined, string, boolean, string?]>([
    [undefined, "object", false],
    ["*/*", "object", false],
    ["application/vnd.kubernetes.protobuf,application/json", "object", false],
    ["application/yaml", "object", true],
    ["application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "table", false],
    ["application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json", "table", false, "v1beta1"],
    ["application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "object", false],
    ["application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "partial", false],
    ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "partialList", false],
    ["application/json;q=0.1, application/yaml;q=0.9", "object", true],
  ])("answers %s as %s", (accept, as, yaml, version = "v1") => {
    expect(chooseRepresentation(accept, false)).toEqual({ as, yaml, version });
  });

  it("refuses what it cannot offer with 406", () => {
    expect(refusalOf(() => chooseRepresentation("image/png", false))).toMatchObject({
      code: 406,
      reason: "NotAcceptable",
    });
  });
});
