import { describe, expect, it } from "vitest";
import { createPodAddresses } from "../../../src/cluster/pods/pod-addresses.ts";

const three = () => createPodAddresses(3, (index) => `10.0.0.${index}`);

describe("pod addresses", () => {
  it("hand a returned address out again as late as possible", () => {
    const addresses = three();
    expect([addresses.take(), addresses.take()]).toEqual(["10.0.0.0", "10.0.0.1"]);
    addresses.release("10.0.0.0");
    expect([addresses.take(), addresses.take()]).toEqual(["10.0.0.2", "10.0.0.0"]);
  });

  it("give no address twice that was returned twice", () => {
    const addresses = three();
    const taken = addresses.take();
    addresses.release(taken);
    addresses.release(taken);
    expect(new Set([addresses.take(), addresses.take(), addresses.take()]).size).toBe(3);
  });

  it("say so when there is none left", () => {
    const addresses = three();
    for (let count = 0; count < 3; count += 1) addresses.take();
    expect(() => addresses.take()).toThrow("all 3 addresses for pods are taken");
  });
});
