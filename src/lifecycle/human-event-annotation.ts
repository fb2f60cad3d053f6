// The annotations by which a person sends an event to a lifecycle.

/** The annotation by which a person sends an event to the lifecycle; its value is the event without `human.`. */
export const humanEventAnnotation = "lifecycle.xstate-operator.dev/event";

/** What tells one request from another with the same event; set by `send` beside the event, in the same write. */
export const humanEventIdAnnotation = "lifecycle.xstate-operator.dev/event-id";
