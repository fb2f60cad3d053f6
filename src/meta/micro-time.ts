// The timestamp of Kubernetes Events and Leases: metav1.MicroTime, which the server parses with exactly six digits.

/** RFC 3339, UTC, with six digits of fraction. Fewer digits are refused with 400. */
export function toMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
