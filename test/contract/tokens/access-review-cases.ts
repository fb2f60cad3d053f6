// Reviews of what is allowed: in which words they are refused.
import { describe, expect, it } from "vitest";
import type { Body, RawClient } from "../api-server/raw-request.ts";
import { tokenSpace } from "./token-space.ts";

/** Declares the cases. */
export function declareAccessReviewCases(client: () => RawClient): void {
  const { send } = tokenSpace(client);

  describe("access reviews", () => {
    const authorization = "/apis/authorization.k8s.io/v1";
    const pods = { verb: "get", resource: "pods" };
    const path = { path: "/x", verb: "get" };

    const at = "spec.resourceAttributes";
    const which = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    const shown = 'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}:';

    it.each<[string, string, Body, string]>([
      ["nothing", "subjectaccessreviews", { spec: { user: "a" } }, `${at}: Invalid value: null: ${which}`],
      [
        "both",
        "subjectaccessreviews",
        { spec: { user: "a", resourceAttributes: pods, nonResourceAttributes: path } },
        `${shown} cannot be specified in combination with resourceAttributes`,
      ],
      [
        "nobody",
        "subjectaccessreviews",
        { spec: { resourceAttributes: pods } },
        'spec.user: Invalid value: "": at least one of user or group must be specified',
      ],
      [
        "a name",
        "subjectaccessreviews",
        { metadata: { name: "n" }, spec: { user: "a", resourceAttributes: pods } },
        'metadata: Invalid value: {"name":"n","managedFields":[{"manager":"contract","operation":"Update","apiVersion":"authorization.k8s.io/v1","time":"TIME","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:resourceAttributes":{".":{},"f:resource":{},"f:verb":{}},"f:user":{}}}}]}: must be empty',
      ],
      [
        "nothing of oneself",
        "selfsubjectaccessreviews",
        { spec: {} },
        `${at}: Invalid value: null: ${which}`,
      ],
      [
        "another namespace",
        "namespaces/tokens/localsubjectaccessreviews",
        { spec: { user: "a", resourceAttributes: { ...pods, namespace: "other" } } },
        `${at}.namespace: Invalid value: "other": must match metadata.namespace`,
      ],
      [
        "a path here",
        "namespaces/tokens/localsubjectaccessreviews",
        { spec: { user: "a", nonResourceAttributes: path } },
        `${shown} disallowed on this kind of request`,
      ],
      [
        "an empty selector",
        "selfsubjectaccessreviews",
        { spec: { resourceAttributes: { ...pods, labelSelector: {} } } },
        `${at}.labelSelector.requirements: Required value: when ${at}.labelSelector is specified, requirements or rawSelector is required`,
      ],
      [
        "selectors in two forms, and without values",
        "selfsubjectaccessreviews",
        {
          spec: {
            resourceAttributes: {
              ...pods,
              fieldSelector: { requirements: [{ operator: "In" }], rawSelector: "a=b" },
              labelSelector: {
                requirements: [
                  { key: "a", operator: "In" },
                  { key: "b", operator: "Exists", values: ["c!"] },
                  { key: "c", operator: "Unknown" },
                ],
              },
            },
          },
        },
        `[${at}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements, ${at}.fieldSelector.requirements[0].key: Required value: must be specified, ${at}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', ${at}.labelSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', ${at}.labelSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist', ${at}.labelSelector.requirements[1].values[0]: Invalid value: "c!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]`,
      ],
    ])("ask for something, not for %s", async (_, plural, body, message) => {
      const { status: code, body: answer } = await send("POST", `${authorization}/${plural}`, body);
      const said = String(answer["message"]).replace(/"time":"[^"]*"/, '"time":"TIME"');
      expect([code, said]).toEqual([422, `.authorization.k8s.io "" is invalid: ${message}`]);
      expect(answer["details"]).toMatchObject({ group: "authorization.k8s.io" });
      expect(answer["details"]).not.toHaveProperty("kind");
    });

    it("say which selectors they could not read", async () => {
      const { body } = await send("POST", `${authorization}/selfsubjectaccessreviews`, {
        spec: {
          resourceAttributes: {
            ...pods,
            fieldSelector: { rawSelector: "a" },
            labelSelector: { rawSelector: "a in" },
          },
        },
      });
      expect(body["status"]).toEqual({
        allowed: true,
        evaluationError:
          "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
      });
    });
  });
}
