// Where a run tells what people should see; src/controller makes Kubernetes Events of it.

/** Records something about the custom resource for people. Never throws, never waits. */
export interface EventSink {
  record(type: "Normal" | "Warning", reason: string, message: string): void;
}

/** A sink that drops everything. */
export const silentEvents: EventSink = { record: () => undefined };
