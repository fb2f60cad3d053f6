// The kind Website.
import { defineKind, type InstanceOf } from "xstate-operator";
import { websiteLifecycle } from "./website-lifecycle.ts";
import { websiteSpec } from "./website-spec.ts";

/** The kind of {@link Website}. */
export const Website = defineKind({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  spec: websiteSpec,
  lifecycle: websiteLifecycle,
});

/** A website. */
export type Website = InstanceOf<typeof Website>;
