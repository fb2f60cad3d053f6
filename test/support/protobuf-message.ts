// Messages of protobuf by hand, and Kubernetes' envelope around an object.

/** A field of bytes, of a text or of a whole number that is not negative. */
export function field(number: number, value: Buffer | string | number): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** A field of a number with a fraction. */
export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint((number << 3) | 1), bytes]);
}

/** A message of its fields. */
export function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

/** The entries of a map in a field. */
export function mapField(number: number, map: Readonly<Record<string, Buffer>>): Buffer {
  return message(
    ...Object.entries(map).map(([key, value]) => field(number, message(field(1, key), field(2, value)))),
  );
}

/** An object as Kubernetes sends it. */
export function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const type = message(field(1, apiVersion), field(2, kind));
  return message(Buffer.from("k8s\u0000"), field(1, type), field(2, raw));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}
