// A kind whose webhooks the tests call: of volumes, which only grow.
import { z } from "zod";
import { defineKind, type InstanceOf } from "../../src/index.ts";

/** A volume. */
export const Volume = defineKind({
  group: "storage.example.com",
  version: "v1",
  kind: "Volume",
  spec: z.object({
    size: z.int().min(1),
    replicas: z.int().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    // The API server knows nothing of it.
    window: z.string().default("02:00-04:00").refine(isWindow, "must be from one time to another"),
  }),
  checkChange: ({ before, after }) =>
    before !== undefined && after.spec.size < before.spec.size / 2 ? ["a volume is never halved"] : [],
});

/** A volume. */
export type Volume = InstanceOf<typeof Volume>;

function isWindow(text: string): boolean {
  return /^\d\d:\d\d-\d\d:\d\d$/.test(text);
}

/** One that fits. */
export function volume(spec: Partial<Volume["spec"]> = {}, metadata: object = {}): Volume {
  return {
    apiVersion: "storage.example.com/v1",
    kind: "Volume",
    metadata: { namespace: "default", name: "data", ...metadata },
    spec: { size: 4, window: "02:00-04:00", ...spec },
  } as Volume;
}
