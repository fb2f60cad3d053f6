// Kubernetes' own kinds are declared as the API server serves them: group, version, plural, and whether in namespaces.
import { expect, it } from "vitest";
import { builtinTypes } from "../../../src/kinds/builtin/type-lookup.ts";
import { apiVersionOf } from "../../../src/meta/resource-type.ts";
import type { ApiServerUnderTest } from "../../support/api-servers.ts";
import type { RawClient } from "./raw-request.ts";

interface Served {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Declares the cases. */
export function declareBuiltinCases(server: () => ApiServerUnderTest, client: () => RawClient): void {
  it("serves the declared kinds as they are declared; the embedded one those that it knows", async () => {
    const absent: string[] = [];
    for (const type of builtinTypes) {
      const { kind, plural: name, namespaced } = type;
      const path = `/${type.group === "" ? "api" : "apis"}/${apiVersionOf(type)}`;
      const { resources = [] } = (await client().send("GET", path)).body as { resources?: readonly Served[] };
      const served = resources.find((each) => each.name === name || each.kind === kind);
      if (served === undefined) absent.push(`${path}/${name}`);
      else expect(served).toMatchObject({ kind, name, namespaced });
    }
    if (server().kind === "real") expect(absent).toEqual([]);
    expect(absent.length).toBeLessThan(builtinTypes.length / 2);
  });
}
