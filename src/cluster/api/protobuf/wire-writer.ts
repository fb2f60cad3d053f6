// Writes the protobuf wire format: the inverse of wire-reader.ts.
// https://protobuf.dev/programming-guides/encoding/

/** A message: its fields one after the other. */
export type WireMessage = Buffer;

/** A message of fields; those that are undefined are left out. */
export function message(...fields: readonly (Buffer | undefined)[]): WireMessage {
  return Buffer.concat(fields.filter((each) => each !== undefined));
}

/** A field that is a text or a message; undefined where it is. */
export function bytesField(number: number, value: string | WireMessage | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** A whole number that is not negative, or true; undefined where it is. */
export function numberField(number: number, value: number | boolean | undefined): Buffer | undefined {
  return value === undefined ? undefined : Buffer.concat([varint(number * 8), varint(Number(value))]);
}

/** A number with a fraction; undefined where it is. */
export function doubleField(number: number, value: number | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
