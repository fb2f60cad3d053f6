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

/** Fetches an artifact, `group:name:version`, and what it needs at run time; says why where it cannot. */
export function javaWith(
  name: string,
  artifact: string,
  unpack?: string,
): JavaArtifacts | { readonly failure: string } {
  const folder = join(tmpdir(), "xstate-operator-foreign", "operators", name);
  const artifacts = {
    classPath: join(folder, "jars/*"),
    folder,
    unpacked: join(folder, "unpacked"),
  };
  const stamp = join(folder, "fetched");
  if (existsSync(unpack === undefined ? stamp : artifacts.unpacked)) return artifacts;
  mkdirSync(folder, { recursive: true });
  const [group, id, version] = artifact.split(":");
  writeFileSync(
    join(folder, "pom.xml"),
    `<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>foreign</groupId><artifactId>foreign</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>
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
            `-DoutputDirectory=${artifacts.unpacked}`,
            `-Dmdep.unpack.includes=${unpack}`,
          ],
        ]),
  ];
  for (const [goal, ...options] of goals) {
    const args = ["--quiet", "--batch-mode", `${dependencies}:${goal}`, "-DincludeScope=runtime", ...options];
    const { status, stdout, error } = spawnSync("mvn", args, { cwd: folder, encoding: "utf8" });
    if (status === 0) continue;
    const said = error?.message ?? stdout.split("\n").find((line) => line.startsWith("[ERROR]"));
    return { failure: `mvn, for ${artifact}: ${said ?? stdout}` };
  }
  writeFileSync(stamp, artifact);
  return artifacts;
}
