// Each pair is what kube-apiserver 1.36 takes and refuses for the format.
import { describe, expect, it } from "vitest";
import { hasFormat, isKnownFormat } from "../../src/schema/string-format.ts";

const samples: Readonly<
  Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>
> = {
  "date-time": {
    good: ["2020-01-01T00:00:00Z", "2020-02-29T23:59:59.123+02:00"],
    bad: ["2020", "2020-13-01T00:00:00Z", "2019-02-29T00:00:00Z"],
  },
  date: { good: ["2020-02-29"], bad: ["2020-13-01", "2019-02-29", "20-1-1"] },
  duration: { good: ["1h5m", "0", "1.5s", "3 days"], bad: ["5x", ""] },
  email: { good: ["a@b"], bad: ["x", "a@@b"] },
  uuid: { good: ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"], bad: ["x"] },
  ipv4: { good: ["1.2.3.4"], bad: ["1.2.3", "::1"] },
  ipv6: { good: ["::1"], bad: ["1.2.3.4"] },
  cidr: { good: ["10.0.0.0/8", "::/0"], bad: ["1", "10.0.0.0/33", "10.0.0.0/08"] },
  byte: { good: ["", "MQ=="], bad: ["***", "MQ="] },
  uri: { good: ["https://a.b/c", "/a"], bad: ["::", "foo"] },
  hostname: { good: ["a.b-c"], bad: ["_a", "-a"] },
  "k8s-short-name": { good: ["a-b"], bad: ["A_", "a.b"] },
  password: { good: [""], bad: [] },
  "uu-id": { good: ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"], bad: ["x"] },
  ip: { good: ["anything"], bad: [] },
  "no-such-format": { good: ["anything"], bad: [] },
  constructor: { good: ["anything"], bad: [] },
};

describe.each(Object.entries(samples))("format %s", (format, { good, bad }) => {
  it(`takes ${JSON.stringify(good)}, refuses ${JSON.stringify(bad)}`, () => {
    expect(good.filter((text) => !hasFormat(text, format))).toEqual([]);
    expect(bad.filter((text) => hasFormat(text, format))).toEqual([]);
  });
});

it.each([
  ["string", ["date-time", "datetime", "i-pv4", "uuid"], ["ip", "date_time", "int64", "constructor"]],
  ["", ["uuid"], ["int64"]],
  ["integer", ["int32", "int64"], ["int16", "uuid"]],
  ["number", ["float", "double"], ["float32"]],
  ["object", [], ["uuid"]],
])("knows formats of type %j", (type, known, others) => {
  expect([...known, ...others].filter((format) => isKnownFormat(type, format))).toEqual(known);
});
