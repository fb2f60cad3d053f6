import { describe, expect, it } from "vitest";
import { createLoopbackAddresses } from "../../../../src/cluster/pods/process/loopback-addresses.ts";

describe("loopback addresses", () => {
  it("gives each pod on Linux its own address, outside of the services' range", () => {
    const addresses = createLoopbackAddresses("linux", () => 0.5);
    const taken = Array.from({ length: 600 }, () => addresses.take());
    expect(new Set(taken).size).toBe(600);
    for (const address of taken) {
      const [a, b, c, d] = address.split(".").map(Number);
      expect(a).toBe(127);
      expect(b).toBeGreaterThanOrEqual(128);
      expect(b).toBeLessThanOrEqual(254);
      expect(c).toBeLessThanOrEqual(255);
      expect(d).toBeGreaterThanOrEqual(1);
      expect(d).toBeLessThanOrEqual(254);
    }
  });

  it("goes on from the start when the end of the range is reached, past addresses in use", () => {
    const addresses = createLoopbackAddresses("linux", () => 0.999_999_999);
    expect(addresses.take()).toBe("127.254.255.254");
    expect(addresses.take()).toBe("127.128.0.1");
  });

  it("does not hand a returned address out again at once", () => {
    const addresses = createLoopbackAddresses("linux", () => 0);
    const first = addresses.take();
    addresses.release(first);
    expect(addresses.take()).not.toBe(first);
  });

  it("has one address for all pods elsewhere", () => {
    const addresses = createLoopbackAddresses("darwin", () => 0.5);
    expect([addresses.take(), addresses.take()]).toEqual(["127.0.0.1", "127.0.0.1"]);
  });
});
