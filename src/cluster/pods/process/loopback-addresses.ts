// One loopback address per pod: on Linux all of 127.0.0.0/8 is there without configuration, elsewhere only 127.0.0.1.
import type { Random } from "../../../ports/random.ts";
import { createPodAddresses, type PodAddresses } from "../pod-addresses.ts";

/**
 * Addresses for the pods of one cluster. On Linux each pod gets its own, from 127.128.0.0 upwards (services have
 * 127.96.0.0/16), starting at a random place so that clusters on one machine do not meet; elsewhere all get 127.0.0.1.
 */
export function createLoopbackAddresses(platform: string, random: Random): PodAddresses {
  if (platform !== "linux") return { take: () => "127.0.0.1", release: () => undefined };
  // 127.128.0.0 to 127.254.255.255, without the last octets 0 and 255, which some tools treat as special.
  const count = 127 * 256 * 254;
  const addressOf = (index: number): string =>
    `127.${128 + Math.floor(index / (256 * 254))}.${Math.floor(index / 254) % 256}.${(index % 254) + 1}`;
  return createPodAddresses(count, addressOf, Math.floor(random() * count));
}
