// The example whose lifecycle is a file: every edge of it is walked.
import { describe, expect, it } from "vitest";
import { Certificate } from "../../../examples/certificate/src/certificate/certificate.ts";
import { lifecycleTests } from "../../../src/testing/index.ts";
import { runCommand } from "../../cli/run-in-process.ts";

describe("the certificate", () => {
  for (const { name, run } of lifecycleTests(Certificate, {
    specs: [{ domain: "example.com" }, { domain: "example.org" }],
    facts: [{ expired: true }, { expired: false }],
  }))
    it(name, run);

  it.each(["operator.ts", "src/certificate/certificate-lifecycle.yaml"])(
    "has no problems: check %s",
    async (file) => {
      const path = new URL(`../../../examples/certificate/${file}`, import.meta.url).pathname;
      expect(await runCommand(["check", path, "--strict"])).toMatchObject({
        code: 0,
        out: expect.stringContaining("no problems found") as string,
      });
    },
  );
});
