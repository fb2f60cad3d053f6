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
    // One more than there are cores to count on: much of the time is waiting for servers and processes.
    maxWorkers: 3,
    pool: "forks",
  },
});
