import { describe, expect, it } from "vitest";
import {
  sliceContents,
  type SliceContent,
} from "../../../../src/cluster/controllers/service/slice-contents.ts";
import type { EndpointSlice } from "../../../../src/kinds/builtin/discovery.ts";
import type { Endpoint } from "../../../../src/kinds/builtin/parts.ts";

const http = [{ name: "http", port: 80, protocol: "TCP" }];
const metadata = { namespace: "n", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function endpoints(from: number, to: number): readonly Endpoint[] {
  return Array.from({ length: to - from }, (_, step) => {
    const name = `p${String(from + step).padStart(3, "0")}`;
    return { addresses: ["10.0.0.1"], targetRef: { kind: "Pod", name, uid: name } };
  });
}

function slice(name: string, content: readonly Endpoint[], ports = http): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, name, uid: name },
    addressType: "IPv4",
    ports,
    endpoints: content,
  };
}

/** Each slice with how many it has, and its first and last endpoint. */
const shown = (contents: readonly SliceContent[]): readonly string[] =>
  contents.map(({ present, endpoints: content }) => {
    const names = [content[0], content.at(-1)].map((each) => each?.targetRef?.name ?? "none");
    return `${present?.metadata.name ?? "new"} ${content.length} ${names.join("-")}`;
  });

describe("endpoint slices", () => {
  it("have at most a hundred endpoints each", () => {
    expect(shown(sliceContents([{ ports: http, endpoints: endpoints(0, 230) }], []))).toEqual([
      "new 100 p000-p099",
      "new 100 p100-p199",
      "new 30 p200-p229",
    ]);
  });

  it("keep what they have, and are filled before others are made, the fullest first", () => {
    const present = [slice("a", endpoints(0, 40)), slice("b", endpoints(40, 130))];
    expect(shown(sliceContents([{ ports: http, endpoints: endpoints(10, 135) }], present))).toEqual([
      "b 95 p040-p134",
      "a 30 p010-p039",
    ]);
    expect(shown(sliceContents([{ ports: http, endpoints: endpoints(40, 130) }], present))).toEqual([
      "b 90 p040-p129",
    ]);
  });

  it("are filled with other ports rather than deleted beside a new one, and one stays empty", () => {
    const present = [slice("a", endpoints(0, 2))];
    const https = [{ name: "https", port: 443, protocol: "TCP" }];
    expect(shown(sliceContents([{ ports: https, endpoints: endpoints(0, 2) }], present))).toEqual([
      "a 2 p000-p001",
    ]);
    expect(shown(sliceContents([{ ports: [], endpoints: [] }], present))).toEqual(["a 0 none-none"]);
    expect(shown(sliceContents([{ ports: http, endpoints: [] }], []))).toEqual(["new 0 none-none"]);
  });
});
