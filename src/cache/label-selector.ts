// Whether an object's labels are the ones asked for. Pure.

/** Whether all labels are there with their values. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels?.[name] === value);
}
