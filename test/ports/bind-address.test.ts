import { describe, expect, it } from "vitest";
import { formatBindAddress, parseBindAddress } from "../../src/ports/bind-address.ts";
import { isOperatorError } from "../../src/ports/operator-error.ts";

describe("bind address", () => {
  it.each([
    [":8080", "0.0.0.0:8080"],
    ["8080", "0.0.0.0:8080"],
    ["0.0.0.0:8080", "0.0.0.0:8080"],
    ["localhost:0", "localhost:0"],
    ["[::1]:8080", "[::1]:8080"],
    [":65535", "0.0.0.0:65535"],
    ["127.0.0.1:0", "127.0.0.1:0"],
  ])("%s means %s", (text, expected) => {
    const address = parseBindAddress(text);
    expect(address && formatBindAddress(address)).toBe(expected);
  });

  it.each(["0", ""])('"%s" is off', (text) => {
    expect(parseBindAddress(text)).toBeUndefined();
  });

  it.each(["eighty", ":65536", "::1:8080", "http://a:80", "a:b", ":", ":-1"])("%s is refused", (text) => {
    expect(() => parseBindAddress(text)).toThrow(
      expect.toSatisfy((error) => isOperatorError(error, "BIND_ADDRESS_INVALID")),
    );
  });
});
