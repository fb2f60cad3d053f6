// What check refuses of the objects of an operator in YAML, no API server takes; and what is right, each takes.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { objectChecks } from "../../src/cluster/api/check-object.ts";
import type { AnyManifest } from "../../src/meta/object.ts";
import type { WrittenObject } from "../../src/operator-file/file/file-reader.ts";
import { readOperatorText } from "../../src/operator-file/parts/read-operator.ts";
import { sampleObject } from "../../src/operator-file/checks/sample-object.ts";
import { wrongObjects } from "../operator-file/wrong-meanings.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";

const right = readFileSync("examples/redis/operator.yaml", "utf8");
const checks = objectChecks([]);

describeOnEachApiServer("an object that is written in a file", (server) => {
  /** Why a server does not take an object with small values for its expressions; nothing is stored. */
  async function refusalOf(object: WrittenObject): Promise<string | undefined> {
    const sample = sampleObject(object, checks.schemaOf(object.value), "small");
    const { metadata } = sample as unknown as AnyManifest;
    const manifest = { ...sample, metadata: { ...metadata, namespace: "default" } } as unknown as AnyManifest;
    try {
      await server().client.apply(object.type, manifest, { fieldManager: "check", dryRun: true });
      return undefined;
    } catch (error: unknown) {
      if (!(error instanceof ApiError)) throw error;
      return error.message;
    }
  }

  it("is taken where check finds nothing", async () => {
    const { objects } = readOperatorText(right, "f.yaml");
    const refusals = await Promise.all(objects.map(refusalOf));
    expect(refusals.filter((each) => each !== undefined)).toEqual([]);
  });

  it.each(wrongObjects)("is refused where check refuses it: $about", async ({ words, others }) => {
    const at = right.indexOf(words);
    const text = right.slice(0, at) + others + right.slice(at + words.length);
    const refusals = await Promise.all(readOperatorText(text, "f.yaml").objects.map(refusalOf));
    expect(refusals.filter((each) => each !== undefined)).toHaveLength(1);
  });
});
