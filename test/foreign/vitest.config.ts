// Other projects' tools beside our table: built from their Go modules, so apart from `npm test`. Run: npm run test:foreign
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["xstate-operator-source", "node"] },
  ssr: { resolve: { conditions: ["xstate-operator-source", "node"] } },
  test: {
    include: ["test/foreign/*.foreign.ts"],
    globalSetup: "test/support/shared-control-planes.ts",
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
