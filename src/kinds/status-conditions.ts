// The part of a status schema that every kind has: conditions as metav1.Condition, and observedGeneration.
import type { StructuralSchema } from "./builtin/json-of.ts";

/** The fields of a status that the operator itself writes. */
export const ownStatusFields: readonly string[] = ["conditions", "observedGeneration", "lifecycle"];

/** `status.conditions`: a map by type, so that several writers can each apply their own. */
export const conditionsSchema: StructuralSchema = {
  type: "array",
  description: "Observations of the object's state.",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    description: "One aspect of the object's state.",
    required: ["type", "status", "reason", "message", "lastTransitionTime"],
    properties: {
      type: {
        type: "string",
        description: "Type of the condition, for example ReconciliationSuccess.",
        maxLength: 316,
        pattern:
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      },
      status: { type: "string", description: "Status of the condition.", enum: ["True", "False", "Unknown"] },
      reason: {
        type: "string",
        description: "Machine-readable reason for the status, in CamelCase.",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      message: { type: "string", description: "Human-readable message with details.", maxLength: 32768 },
      lastTransitionTime: {
        type: "string",
        format: "date-time",
        description: "Last time the status changed.",
      },
      observedGeneration: {
        type: "integer",
        format: "int64",
        minimum: 0,
        description: "The metadata.generation that the condition was set for.",
      },
    },
  },
};

/** What `status.observedGeneration` is before the operator has observed anything. */
export const neverObserved = -1;

/** `status.observedGeneration`. */
export const observedGenerationSchema: StructuralSchema = {
  type: "integer",
  format: "int64",
  minimum: neverObserved,
  description: "The metadata.generation that the operator last observed; -1 before it has observed any.",
};

/**
 * The status of an object that the operator has not observed yet: tools that compare generations, such as Helm, Flux and Argo CD, then wait
 * for it instead of taking the object for ready.
 */
export const initialStatus = { observedGeneration: neverObserved } as const;
