import { defineConfig } from "vitest/config";
import { filesThatStartSomething, LongestFirst } from "./test/support/test-files.ts";

// Most of a short process's time is the compilation of what it loads; tests start hundreds.
process.env["NODE_COMPILE_CACHE"] ??= new URL("node_modules/.cache/compiled", import.meta.url).pathname;

const alone = filesThatStartSomething();

export default defineConfig({
  resolve: { conditions: ["xstate-operator-source", "node"] },
  ssr: { resolve: { conditions: ["xstate-operator-source", "node"] } },
  test: {
    setupFiles: ["test/support/property-seed.ts"],
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    // Longer than what `eventually` and `expect.poll` wait, so that a test which waits in vain says for what.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Two more than there are cores to count on: much of the time is waiting for servers and processes.
    maxWorkers: 4,
    pool: "forks",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: "alone", include: alone, globalSetup: "test/support/shared-control-planes.ts" },
      },
      {
        extends: true,
        test: { name: "together", include: ["test/**/*.test.ts"], exclude: alone, isolate: false },
      },
    ],
  },
});
