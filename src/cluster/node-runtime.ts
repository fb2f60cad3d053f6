// Which nodes run their pods here: those with an annotation, by which a node without a machine behind it is known from somebody else's.

/** The annotation; its value says how the pods are run. */
export const runtimeAnnotation = "xstate-operator.dev/pod-runtime";

/** Whether the pods of a node are run here. */
export function runsPods({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): boolean {
  return metadata.annotations?.[runtimeAnnotation] !== undefined;
}
