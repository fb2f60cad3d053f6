// Programs in Java, with artifacts of the registry beside them in a folder that is kept.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

/** What was fetched. */
export interface JavaArtifacts {
  /** For `java -cp`. */
  readonly classPath: string;
  readonly folder: string;
  /** Files that were in the artifacts, if they were asked for. */
  readonly unpacked: string;
}

/** Fetches artifacts, `group:name:version` each, and what they need at run time; says why where it cannot. */
export function javaWith(
  name: string,
  artifacts: readonly string[],
  unpack?: string,
): JavaArtifacts | { readonly failure: string } {
  const folder = join(tmpdir(), "xstate-operator-foreign", "operators", name);
  const fetched = {
    classPath: join(folder, "jars/*"),
    folder,
    unpacked: join(folder, "unpacked"),
  };
  const stamp = join(folder, "fetched");
  if (existsSync(unpack === undefined ? stamp : fetched.unpacked)) return fetched;
  mkdirSync(folder, { recursive: true });
  const dependency = (artifact: string): string => {
    const [group, id, version] = artifact.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>`;
  };
  writeFileSync(
    join(folder, "pom.xml"),
    `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>foreign</groupId><artifactId>foreign</artifactId><version>1</version>
  <dependencies>
    ${artifacts.map(dependency).join("\n    ")}
  </dependencies>
</project>
`,
  );
  const goals = [
    ["copy-dependencies", `-DoutputDirectory=${join(folder, "jars")}`],
    ...(unpack === undefined
      ? []
      : [
          [
            "unpack-dependencies",
            `-DoutputDirectory=${fetched.unpacked}`,
            `-Dmdep.unpack.includes=${unpack}`,
          ],
        ]),
  ];
  for (const [goal, ...options] of goals) {
    const args = ["--quiet", "--batch-mode", `${dependencies}:${goal}`, "-DincludeScope=runtime", ...options];
    const { status, stdout, error } = spawnSync("mvn", args, { cwd: folder, encoding: "utf8" });
    if (status === 0) continue;
    // It resets the colours of a terminal before it says anything.
    const said = error?.message ?? stdout.split("\n").find((line) => line.includes("[ERROR]"));
    return { failure: `mvn, for ${artifacts.join(", ")}: ${said ?? stdout}` };
  }
  writeFileSync(stamp, artifacts.join("\n"));
  return fetched;
}
