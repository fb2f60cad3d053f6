// Custom resources as a cluster would hold them, for tests of what is shown.
import type { KubeObject } from "../../src/meta/object.ts";

/** What a lamp's status says. */
export interface LampStatus {
  readonly state?: string;
  readonly target?: string;
  /** Why the target has failed. */
  readonly cause?: string;
  readonly plan?: readonly string[];
  readonly ready?: "True" | "False";
  readonly success?: "True" | "False";
  readonly message?: string;
}

/** A lamp. */
export function lampObject(name: string, given: LampStatus): KubeObject {
  const { state, target, cause, plan = [], ready, success = "True", message = "on the way" } = given;
  const condition = (type: string, status: string, text: string) => ({
    type,
    status,
    reason: state ?? "Unknown",
    message: text,
    lastTransitionTime: "2026-01-01T00:01:00Z",
  });
  return {
    apiVersion: "home.example.com/v1",
    kind: "Lamp",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    status: {
      conditions: [
        condition("Lifecycle", ready ?? "False", message),
        ...(ready === undefined ? [] : [condition("Ready", ready, message)]),
        condition(
          "ReconciliationSuccess",
          success,
          success === "True" ? "all is well" : "the server said no",
        ),
      ],
      ...(state === undefined
        ? {}
        : {
            lifecycle: {
              state,
              since: "2026-01-01T00:01:00Z",
              ...(target === undefined
                ? {}
                : {
                    target: {
                      state: target,
                      generation: 1,
                      reached: target === state,
                      ...(cause === undefined ? {} : { outcome: "failed", cause }),
                    },
                  }),
              plan,
            },
          }),
    },
  } as unknown as KubeObject;
}
