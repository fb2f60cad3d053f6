// In which forms the server returns what was declared: quantities ("100m", "1Gi", "1e3") rewritten, what is empty left out.
// Grammar of quantities: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

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

/** Empty values of these fields mean something: `emptyDir: {}` is a volume, an empty selector selects everything. */
const meaningfulWhenEmpty = new Set(["emptyDir", "podSelector", "namespaceSelector", "labelSelector"]);

/** Fields of Kubernetes' own types that are left out when false or 0, for they are no pointers there. */
const leftOutWhenZero = new Set([
  "hostIPC",
  "hostNetwork",
  "hostPID",
  "initialDelaySeconds",
  "insecureSkipTLSVerify",
  "minReadySeconds",
  "paused",
  "publishNotReadyAddresses",
  "readOnly",
  "stdin",
  "stdinOnce",
  "tty",
  "unschedulable",
]);

/** What the server fills in within values that are declared as a whole; anything else it is asked about. */
const defaults: Readonly<Record<string, unknown>> = {
  protocol: "TCP",
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  apiGroup: "rbac.authorization.k8s.io",
  divisor: "0",
  scope: "*",
  volumeMode: "Filesystem",
  expirationSeconds: 3600,
};

/**
 * Whether a field of Kubernetes' own types has the value that the server gives it. A status within a declared value, as in a claim's
 * template, is the server's, whatever it says.
 */
export function isDefaulted(field: string, value: unknown): boolean {
  return field === "status" || (Object.hasOwn(defaults, field) && defaults[field] === value);
}

/** Maps whose values are texts of people's own: an empty text there is a value. */
const plainFields = new Set([
  "metadata",
  "data",
  "binaryData",
  "stringData",
  "labels",
  "annotations",
  "matchLabels",
  "nodeSelector",
  "selector",
]);

/** Whether in the values of this field a text is only a text, and a number only a number. */
export function isPlainField(field: string): boolean {
  return plainFields.has(field);
}

/**
 * Whether a declared value says the same as its absence. Empty maps, lists and texts do, unless the field means something
 * when empty; false and 0 do for the fields of Kubernetes' own types that are known to be left out.
 */
export function equalsAbsent(value: unknown, field: string, builtin: boolean, plain = false): boolean {
  if (value === undefined || value === null) return true;
  if (value === "") return !plain;
  if (value === false || value === 0) return builtin && !plain && leftOutWhenZero.has(field);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.length === 0;
  const record = value as Readonly<Record<string, unknown>>;
  for (const name in record) {
    if (!equalsAbsent(record[name], name, builtin, plain || isPlainField(field))) return false;
  }
  return !meaningfulWhenEmpty.has(field);
}
