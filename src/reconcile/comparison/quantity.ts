// Kubernetes quantities ("100m", "1Gi", "1e3"): the server rewrites them, so they are compared by value.
// Grammar: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const grammar = /^([+-]?)(\d*)(?:\.(\d*))?(?:([eE][+-]?\d{1,3})|([KMGTPE]i)|([numkMGTPE]))?$/;

/** Whether two values are the same quantity; false when either is none. */
export function isSameQuantity(left: unknown, right: unknown): boolean {
  const first = toNanos(left);
  return first !== undefined && first === toNanos(right);
}

/** The quantity in units of 10^-9, rounded up as the server does; undefined when it is none. */
export function toNanos(value: unknown): bigint | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const match = grammar.exec(String(value));
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent, power, suffix = ""] = match;
  if (whole === "" && fraction === "") return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const factor = power === undefined ? 1n : 1024n ** BigInt(binary.indexOf(power));
  const shift =
    9 - fraction.length + (exponent === undefined ? (decimal[suffix] ?? 0) : Number(exponent.slice(1)));
  const scaled = digits * factor;
  const nanos = shift >= 0 ? scaled * 10n ** BigInt(shift) : divideUp(scaled, 10n ** BigInt(-shift));
  return sign === "-" ? -nanos : nanos;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
