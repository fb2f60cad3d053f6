// When a value that we declare and the server does not return are the same: what the server leaves out when it is empty.

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
