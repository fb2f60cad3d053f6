import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["xstate-operator-source", "node"] },
  ssr: { resolve: { conditions: ["xstate-operator-source", "node"] } },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: "forks",
  },
});
