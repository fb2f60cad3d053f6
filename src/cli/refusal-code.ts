// The code of a declaration that was refused while its module was loaded: what the author wrote is wrong, not the loading.

const refusals = new Set([
  "KIND_INVALID",
  "LIFECYCLE_INVALID",
  "MACHINE_FILE_INVALID",
  "CONTROLLER_INVALID",
  "OPERATOR_INVALID",
]);

/** The code; undefined for any other error. By shape, not by class: the module may bring its own copy of this package. */
export function refusalCodeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" && refusals.has(code) ? code : undefined;
}
