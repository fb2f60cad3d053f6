// Which test files run in a process of their own, and which begin first.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = new URL("../../", import.meta.url).pathname;

/** What starts processes, threads, servers, clusters or browsers. */
const starts =
  /from "(?:node:(?:child_process|worker_threads|http|https|net)|playwright-core|xstate-operator\/cluster|[^"]*\/(?:start-cluster|drawing-thread|graph-drawer)\.ts)"/;

/**
 * The files that take longest, the longest first: one that began last would run alone in the end. Those that compute begin among those that
 * wait, in whichever project they are.
 */
const longest = [
  "test/contract/api-server.test.ts",
  "test/faults/interrupted-commands.test.ts",
  "test/contract/upgrade.test.ts",
  "test/sharding/replicas.test.ts",
  "test/soak/soak.test.ts",
  "test/election/takeover.test.ts",
  "test/contract/written-operators.test.ts",
  "test/contract/least-privilege.test.ts",
  "test/dashboard/dashboard-page.test.ts",
  "test/contract/install.test.ts",
  "test/contract/memcached.test.ts",
  "test/build/first-project.test.ts",
  "test/examples/database/whole-life.test.ts",
  "test/examples/kudo-style/kudo-style.test.ts",
  "test/contract/lost-answers.test.ts",
  "test/contract/cel.test.ts",
  "test/examples/database/interrupted-backups.test.ts",
  "test/faults/going-away.test.ts",
  "test/examples/database/hard-days.test.ts",
  "test/build/built-package.test.ts",
  "test/contract/test-cases.test.ts",
  "test/controller/controller-properties.test.ts",
  "test/testing/lifecycle-tests.test.ts",
  "test/contract/what-tools-read.test.ts",
  "test/faults/operator.test.ts",
  "test/crash/database-crash.test.ts",
  "test/sidecar/sidecar.test.ts",
  "test/contract/detectors.test.ts",
  "test/examples/lifecycles/postgres-cluster.test.ts",
  "test/faults/restored-etcd.test.ts",
  "test/examples/lifecycles/zookeeper.test.ts",
  "test/contract/migrate.test.ts",
  "test/faults/partial-service.test.ts",
  "test/faults/busy-cluster.test.ts",
  "test/scaffold/every-kind.test.ts",
  "test/examples/lifecycles/kafka-rebalance.test.ts",
  "test/examples/lifecycles/machine.test.ts",
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
