// An operator with webhooks of every sort, as a user would write it.
import { defineController, defineOperator, type Refusal } from "../../src/index.ts";
import { Volume } from "./volume-kind.ts";

/** What its webhooks were asked. */
export const reviews: {
  readonly operation: string;
  readonly dryRun: boolean;
  readonly username: string;
}[] = [];

export default defineOperator({
  name: "volumes",
  controllers: [
    defineController(Volume, {
      freeStyle: () => ({}),
      webhooks: {
        mutate: ({ object, operation }) =>
          operation === "CREATE" && object.spec.replicas === undefined
            ? { ...object, spec: { ...object.spec, replicas: 2 } }
            : undefined,
        validate: async ({ object, oldObject, operation, dryRun, userInfo, warn }) => {
          reviews.push({ operation, dryRun, username: userInfo.username });
          await Promise.resolve();
          const { size, labels, replicas } = object.spec;
          if (labels?.["fail"] !== undefined) throw new Error("the quota service does not answer");
          if (size > 100) warn("volumes of this size take hours to copy");
          const refusals: Refusal[] = [];
          if (oldObject !== undefined && size < oldObject.spec.size)
            refusals.push({ field: "spec.size", message: "must not shrink", reason: "FieldValueForbidden" });
          if (replicas === 13) refusals.push({ field: "spec.replicas", message: "is unlucky" });
          return refusals;
        },
        validateDelete: ({ oldObject }) =>
          oldObject.spec.labels?.["keep"] === undefined ? [] : [{ message: "the volume is kept" }],
      },
    }),
  ],
});
