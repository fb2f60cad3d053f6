// Reads the protobuf wire format: a message as its fields' numbers and raw values.
// https://protobuf.dev/programming-guides/encoding/
import { OperatorError } from "../../../ports/operator-error.ts";

/** A field as it is on the wire: whole numbers as bigint, everything else as bytes. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The fields of a message. Errors: `PROTOBUF_INVALID`. */
export function readMessage(bytes: Buffer): readonly WireField[] {
  const fields: WireField[] = [];
  let at = 0;

  const readVarint = (): bigint => {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
    }
    throw invalid("a number does not end");
  };
  const readBytes = (length: number): Buffer => {
    if (at + length > bytes.length) throw invalid("a field is longer than its message");
    at += length;
    return bytes.subarray(at - length, at);
  };

  while (at < bytes.length) {
    const tag = readVarint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        fields.push({ number, value: readVarint() });
        break;
      case 1:
        fields.push({ number, value: readBytes(8) });
        break;
      case 2:
        fields.push({ number, value: readBytes(Number(readVarint())) });
        break;
      case 5:
        fields.push({ number, value: readBytes(4) });
        break;
      default:
        throw invalid(`field ${number} has an unknown wire type`);
    }
  }
  return fields;
}

function invalid(message: string): OperatorError {
  return new OperatorError("PROTOBUF_INVALID", message, {
    remedy: "Send the body as JSON, for instance with `kubectl apply -f`.",
  });
}
