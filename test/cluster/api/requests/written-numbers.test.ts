import { expect, it } from "vitest";
import { readJson } from "../../../../src/cluster/api/requests/json-text.ts";
import { withWrittenNumbers, WrittenNumber } from "../../../../src/cluster/api/requests/written-numbers.ts";
import type { StructuralSchema } from "../../../../src/schema/structural-schema.ts";

const schema: StructuralSchema = {
  type: "object",
  properties: { count: { type: "integer", format: "int32" }, share: { type: "number" } },
};
const read = (text: string): unknown => withWrittenNumbers(text, readJson(text).value, schema);

it("keeps how an integer is written that is written as none", () => {
  expect(read('{"count":1e3,"share":1.0}')).toEqual({ count: new WrittenNumber("1e3"), share: 1 });
  expect(read('{"count":7,"share":1.5}')).toEqual({ count: 7, share: 1.5 });
});

it("has no halves of characters, as whoever has read the value before", () => {
  const text = String.raw`{"share":1.0,"a\ud800":"b\udfff","list":["\ud83d\ude00","\ud83d"]}`;
  expect(read(text)).toEqual(readJson(text).value);
  expect(JSON.stringify(read(text))).not.toMatch(/\\ud/);
});
