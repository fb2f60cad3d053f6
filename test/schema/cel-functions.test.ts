// Kubernetes' CEL libraries: each expression is true on kube-apiserver 1.36.
import { describe, expect, it } from "vitest";
import { createCelEnvironment } from "../../src/schema/cel/cel-environment.ts";
import { compileExpression } from "../../src/schema/cel/compile-expression.ts";
import { parseQuantity } from "../../src/schema/cel/quantity.ts";

const truths = [
  "[1, 2, 3].sum() == 6",
  "[1.5, 2.0].sum() == 3.5",
  "[2, 1, 3].max() == 3 && ['b', 'a'].min() == 'a'",
  "[1, 2].isSorted() && ![3, 1].isSorted()",
  "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
  "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [1, 2, 1].distinct() == [1, 2]",
  "[1, 2, 3].reverse() == [3, 2, 1] && [1, 2, 3, 4].slice(1, 3) == [2, 3] && lists.range(3) == [0, 1, 2]",
  "sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])",
  "'aXbX'.replace('X', 'y') == 'ayby' && 'aXbX'.replace('X', '$&', 1) == 'a$&bX'",
  "'abc'.charAt(1) == 'b'",
  "'a77b8'.find('[0-9]+') == '77' && 'a'.find('[0-9]') == '' && 'a7b8'.findAll('[0-9]') == ['7', '8']",
  "'a7b8'.findAll('[0-9]', 1) == ['7']",
  "isURL('https://a.b') && !isURL('x') && url('https://a.b:80/c?d=e').getPort() == '80'",
  "url('https://a.b/c?d=e').getQuery()['d'] == ['e'] && url('https://a.b/c').getScheme() == 'https'",
  "quantity('1Gi').isGreaterThan(quantity('1Mi')) && quantity('1500m') == quantity('1.5')",
  "quantity('1k').asInteger() == 1000 && quantity('1').add(quantity('500m')).isLessThan(quantity('1501m'))",
  "sign(quantity('-1')) == -1 && quantity('1').compareTo(quantity('1')) == 0 && !isQuantity('x1')",
  "ip.isCanonical('127.0.0.1') && !ip.isCanonical('0:0:0:0:0:0:0:1') && ip('::1').isLoopback()",
  "ip('::1').family() == 6 && ip('::1') == ip('0:0:0:0:0:0:0:1') && !isIP('x')",
  "cidr('10.0.0.0/8').containsIP('10.1.1.1') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
  "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.0.0.0/8').prefixLength() == 8 && !isCIDR('1')",
  "semver('1.2.3').isLessThan(semver('2.0.0')) && semver('1.0.0-a').isLessThan(semver('1.0.0')) && !isSemver('1')",
  "semver('1.0.0-a.2').compareTo(semver('1.0.0-a.10')) == -1 && semver('1.2.3').minor() == 2",
  "!format.dns1123Label().validate('ok').hasValue() && format.dns1123Label().validate('No_').hasValue()",
  "format.named('uuid').hasValue() && !format.named('zork').hasValue()",
];

describe("the libraries of Kubernetes' CEL", () => {
  it.each(truths)("%s", (expression) => {
    const compiled = compileExpression(createCelEnvironment(), expression);
    expect(compiled).toMatchObject({ type: "bool" });
    expect("error" in compiled || compiled.evaluate({})).toBe(true);
  });

  it.each([
    "quantity('x')",
    "ip('x')",
    "cidr('1')",
    "semver('1')",
    "quantity('1m').asInteger()",
    "'a'.charAt(5)",
    "[1, 2].slice(1, 3)",
    "[1, 2].slice(2, 1)",
  ])("%s fails when it is evaluated", (expression) => {
    expect(() => createCelEnvironment().parse(expression)({}) as unknown).toThrow();
  });
});

describe("quantities are exact", () => {
  it.each([
    ["1", 1_000_000_000n],
    ["0.1", 100_000_000n],
    ["1e3", 1_000_000_000_000n],
    ["1Ki", 1_024_000_000_000n],
    ["0.5Ki", 512_000_000_000n],
    ["-1500m", -1_500_000_000n],
    ["1n", 1n],
    ["9007199254740993", 9_007_199_254_740_993_000_000_000n],
  ])("%s", (text, nano) => {
    expect(parseQuantity(text)?.nano).toBe(nano);
  });

  it.each(["", "x", "1 Gi", "1kk", "."])("%j is none", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
});
