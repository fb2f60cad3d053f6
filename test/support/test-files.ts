// Which test files run in a process of their own, and which begin first.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = new URL("../../", import.meta.url).pathname;

/** What starts processes, threads, servers, clusters or browsers. */
const starts =
  /from "(?:node:(?:child_process|worker_threads|http|https|net)|playwright-core|xstate-operator\/cluster|[^"]*\/(?:start-cluster|drawing-thread|graph-drawer)\.ts)"/;

/** The files that take longest, the longest first: one that began last would run alone in the end. */
const longest = [
  "test/contract/upgrade.test.ts",
  "test/crash/database-crash.test.ts",
  "test/contract/memcached.test.ts",
  "test/election/takeover.test.ts",
  "test/soak/soak.test.ts",
  "test/sharding/replicas.test.ts",
  "test/dashboard/dashboard-page.test.ts",
  "test/testing/lifecycle-tests.test.ts",
  "test/examples/database/whole-life.test.ts",
  "test/faults/operator.test.ts",
  "test/contract/lifecycle-end-to-end.test.ts",
  "test/kinds/change-rules-on-server.test.ts",
  "test/faults/silence.test.ts",
  "test/manager/operating.test.ts",
  "test/cluster/controllers/controllers.test.ts",
];

/**
 * The test files that start something, themselves or by what they import from `test` and `examples`. Each has a process of
 * its own, which takes with it what a failed test has left running. The others are pure and share processes.
 */
export function filesThatStartSomething(): string[] {
  const known = new Map<string, boolean>();
  const startsSomething = (file: string): boolean => {
    const before = known.get(file);
    if (before !== undefined) return before;
    known.set(file, false);
    const text = readFileSync(join(root, file), "utf8");
    const imported = [...text.matchAll(/from "(\.[^"]+)"/g)]
      .map(([, path = ""]) => join(dirname(file), path))
      .filter((path) => /^(?:test|examples)\//.test(path) && existsSync(join(root, path)));
    const answer = starts.test(text) || imported.some(startsSomething);
    known.set(file, answer);
    return answer;
  };
  return globSync("test/**/*.test.ts", { cwd: root }).filter(startsSomething);
}

/** Begins with the longest; the others follow in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(root, moduleId));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
