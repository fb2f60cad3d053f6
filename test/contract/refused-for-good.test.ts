// What the API server refuses for good, although its answer looks like trouble of its own.
import { expect, it } from "vitest";
import { isMisfit, isServerTrouble } from "../../src/client/api-error.ts";
import { Deployment } from "../../src/kinds/index.ts";
import { isSameMessage } from "../../src/meta/condition.ts";
import { isContentRefused } from "../../src/reconcile/outcome/failure-meaning.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";

describeOnEachApiServer(
  "an apply that does not fit the schema",
  (server) => {
    it("is distinguished from an outage, and says the same each time, in whatever order", async () => {
      const names = ["A", "B", "C", "D"];
      const env = [...names, ...names].map((name) => ({ name, value: "1" }));
      const labels = { app: "twice" };
      const manifest = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "twice", namespace: "default" },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "x", env }] } },
        },
      };
      const messages: string[] = [];
      for (let attempt = 0; attempt < 8; attempt += 1) {
        const error: unknown = await server()
          .client.apply(Deployment, manifest, { fieldManager: "test" })
          .catch((caught: unknown) => caught);
        expect([isMisfit(error), isServerTrouble(error), isContentRefused(error)]).toEqual([
          true,
          false,
          true,
        ]);
        messages.push((error as Error).message);
      }
      const [first = ""] = messages;
      expect(messages.filter((message) => !isSameMessage(message, first))).toEqual([]);
      expect(isSameMessage(first, first.replace('[name="A"]', '[name="Z"]'))).toBe(false);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
