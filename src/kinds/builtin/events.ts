// Kinds of events.k8s.io/v1.
import type { EventsV1Event } from "@kubernetes/client-node/dist/gen/models/EventsV1Event.js";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { NamespacedOf } from "./json-of.ts";

/** An Event (events.k8s.io v1): what `kubectl describe` and `kubectl get events` show; `eventTime` has exactly six digits of fraction. */
export interface KubernetesEvent extends NamespacedOf<EventsV1Event> {}
/** The type of {@link KubernetesEvent}. */
export const KubernetesEvent: ResourceType<KubernetesEvent> = builtin("events.k8s.io/v1", "Event", "events");
