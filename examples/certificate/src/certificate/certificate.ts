// The kind Certificate.
import { defineKind, type InstanceOf } from "xstate-operator";
import { certificateLifecycle } from "./certificate-lifecycle.ts";
import { certificateSpec } from "./certificate-spec.ts";

/** The kind of {@link Certificate}. */
export const Certificate = defineKind({
  group: "pki.example.com",
  version: "v1",
  kind: "Certificate",
  spec: certificateSpec,
  lifecycle: certificateLifecycle,
});

/** A certificate. */
export type Certificate = InstanceOf<typeof Certificate>;
