// Kubernetes quantities ("1500m", "1Gi") as exact numbers, and their CEL functions.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library
import type { Environment } from "@marcbachmann/cel-js";

const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei))?$/;
const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const unit = 1_000_000_000n;

/** An amount, exact to a billionth. */
export class Quantity {
  /** In billionths. */
  readonly nano: bigint;
  /** Whether Kubernetes keeps it as a whole number, which depends on its spelling: `1000m` is none. */
  readonly isWhole: boolean;

  constructor(nano: bigint, isWhole = nano % unit === 0n) {
    this.nano = nano;
    this.isWhole = isWhole;
  }

  /** The sum of both. */
  plus({ nano, isWhole }: Quantity): Quantity {
    if (nano === 0n) return this;
    return new Quantity(this.nano + nano, isWhole && (this.nano === 0n || this.isWhole));
  }

  /** Equal quantities compare equal whatever their spelling. */
  valueOf(): bigint {
    return this.nano;
  }
}

/** The quantity that a text spells; undefined when it spells none. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = "", exponent, suffix = ""] = match;
  const [whole = "", fraction = ""] = digits.split(".");
  // Kept as an integer of so many decimal places, so that nothing is rounded before the scale is applied.
  const mantissa = BigInt(`${whole}${fraction}` || "0") * unit;
  const binary = binarySuffixes.indexOf(suffix);
  const power = exponent === undefined ? 3 * (decimalSuffixes.indexOf(suffix) - 3) : Number(exponent);
  const scaled =
    binary >= 0
      ? divideUp(mantissa * 1024n ** BigInt(binary + 1), 10n ** BigInt(fraction.length))
      : scale(mantissa, power - fraction.length);
  const isWhole = fraction === "" && isKeptWhole({ whole, power, binary, size: scaled / unit });
  return new Quantity(sign === "-" ? -scaled : scaled, isWhole);
}

/** Whether Kubernetes has room for an amount without a fraction in an integer, by what it reckons from its digits. */
function isKeptWhole(amount: {
  readonly whole: string;
  readonly power: number;
  readonly binary: number;
  readonly size: bigint;
}): boolean {
  const { whole, power, binary, size } = amount;
  const digits = Math.max(1, whole.replace(/^0+/, "").length);
  if (size >= 2n ** 63n) return false;
  return binary >= 0 ? 14 - digits - 3 * (binary + 1) >= 0 : power >= 0 && digits <= 18;
}

/** An amount in billionths; 0 for what is no quantity. */
export function nanoOf(amount: string | undefined): bigint {
  return parseQuantity(amount ?? "")?.nano ?? 0n;
}

/** Beyond it amounts are not kept apart, and working it out would take for ever. */
const highestPower = 400;

function scale(value: bigint, given: number): bigint {
  const power = Math.max(-highestPower, Math.min(highestPower, given));
  return power >= 0 ? value * 10n ** BigInt(power) : divideUp(value, 10n ** BigInt(-power));
}

/** Fractions below a billionth are rounded up, as the server does. */
function divideUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** How a quantity is written: with the suffixes of powers of ten or of 1024, or with an exponent. */
export type QuantityForm = "decimal" | "binary" | "exponent";

/** The form in which a text writes its quantity. */
export function quantityFormOf(text: string): QuantityForm {
  const [, , , exponent, suffix = ""] = pattern.exec(text) ?? [];
  if (exponent !== undefined) return "exponent";
  return binarySuffixes.includes(suffix) ? "binary" : "decimal";
}

/** A quantity as Kubernetes writes it: the largest suffix that leaves a whole number. */
export function formatQuantity({ nano }: Quantity, form: QuantityForm = "decimal"): string {
  if (nano === 0n) return "0";
  const size = nano < 0n ? -nano : nano;
  if (form === "binary" && size >= 1024n * unit && nano % unit === 0n) {
    let [value, power] = [nano / unit, 0];
    for (; value % 1024n === 0n && power < binarySuffixes.length; power += 1) value /= 1024n;
    return `${value}${power === 0 ? "" : (binarySuffixes[power - 1] ?? "")}`;
  }
  let [value, power] = [nano, -9];
  const highest = form === "exponent" ? Infinity : 18;
  for (; value % 1000n === 0n && power < highest; power += 3) value /= 1000n;
  if (form === "exponent") return `${value}${power === 0 ? "" : `e${power}`}`;
  return `${value}${decimalSuffixes[power / 3 + 3] ?? ""}`;
}

/** The text of a quantity as Kubernetes keeps it, which is as it was written where that says the same as shortly. */
export function canonicalQuantity(text: string): string {
  const quantity = parseQuantity(text);
  const [, , digits = "", exponent, suffix = ""] = pattern.exec(text) ?? [];
  if (quantity === undefined) return text;
  const [whole = "", fraction = ""] = digits.split(".");
  const shifted = `${whole.replace(/^0+(?=\d)/, "")}${fraction}`;
  const form = quantityFormOf(text);
  const power = exponent === undefined ? 3 * (decimalSuffixes.indexOf(suffix) - 3) : Number(exponent);
  const isKept =
    form === "binary"
      ? fraction === "" && shifted.length < 6 && BigInt(shifted) % 8n !== 0n
      : shifted.length <= 18 &&
        (power - fraction.length) % 3 === 0 &&
        !shifted.endsWith("000") &&
        !shifted.startsWith("0");
  return isKept ? text : formatQuantity(quantity, form);
}

/** Adds quantity, isQuantity and the methods of quantities. */
export function registerQuantityFunctions(environment: Environment): void {
  environment.registerType("kubernetes.Quantity", Quantity);
  environment.registerOperator(
    "kubernetes.Quantity == kubernetes.Quantity",
    (left: Quantity, right: Quantity) => left.nano === right.nano,
  );
  environment.registerFunction(
    "isQuantity(string): bool",
    (text: string) => parseQuantity(text) !== undefined,
  );
  environment.registerFunction("quantity(string): kubernetes.Quantity", (text: string) => {
    const quantity = parseQuantity(text);
    if (quantity === undefined)
      throw new Error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      );
    return quantity;
  });
  const method = (signature: string, run: (self: Quantity, other: Quantity) => unknown): void => {
    environment.registerFunction(`kubernetes.Quantity.${signature}`, run);
  };
  // Kubernetes declares it as a function, although it documents a method.
  environment.registerFunction("sign(kubernetes.Quantity): int", ({ nano }: Quantity) =>
    nano > 0n ? 1n : nano < 0n ? -1n : 0n,
  );
  method("isInteger(): bool", ({ isWhole }) => isWhole);
  method("asInteger(): int", ({ nano, isWhole }) => {
    if (!isWhole) throw new Error("cannot convert value to integer");
    return nano / unit;
  });
  method("asApproximateFloat(): double", ({ nano }) => Number(nano) / Number(unit));
  method("isGreaterThan(kubernetes.Quantity): bool", (self, other) => self.nano > other.nano);
  method("isLessThan(kubernetes.Quantity): bool", (self, other) => self.nano < other.nano);
  method("compareTo(kubernetes.Quantity): int", (self, other) =>
    self.nano > other.nano ? 1n : self.nano < other.nano ? -1n : 0n,
  );
  const minus = ({ nano, isWhole }: Quantity): Quantity => new Quantity(-nano, isWhole);
  method("add(kubernetes.Quantity): kubernetes.Quantity", (self, other) => self.plus(other));
  method("sub(kubernetes.Quantity): kubernetes.Quantity", (self, other) => self.plus(minus(other)));
  environment.registerFunction(
    "kubernetes.Quantity.add(int): kubernetes.Quantity",
    (self: Quantity, by: bigint) => self.plus(new Quantity(by * unit)),
  );
  environment.registerFunction(
    "kubernetes.Quantity.sub(int): kubernetes.Quantity",
    (self: Quantity, by: bigint) => self.plus(new Quantity(-by * unit)),
  );
}
