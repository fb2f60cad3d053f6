// Kopf with its own examples, as its source distribution has them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { shop } from "../../support/side-by-side.ts";
import { pythonWith } from "../python-program.ts";
import type { ForeignOperator, Obtained } from "./foreign-operator.ts";

const version = "1.45.2";

/** Fetches the examples and what they need into a folder that is kept. */
function obtain(): Obtained {
  const made = pythonWith("kopf", [`kopf==${version}`, "pykube-ng", "pyyaml"]);
  if ("failure" in made) return made;
  const { python, folder, pip } = made;
  const sources = `kopf-${version}`;
  if (!existsSync(join(folder, sources))) {
    const failed = pip("download", "--no-deps", "--no-binary=kopf", `kopf==${version}`);
    if (failed !== undefined) return failed;
    const { status, stderr } = spawnSync("tar", ["xzf", `${sources}.tar.gz`], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) return { failure: `tar: ${stderr.trim()}` };
  }
  const example = (name: string): string => join(folder, sources, "examples", name);
  const args = [
    "-m",
    "kopf",
    "run",
    "--standalone",
    `--namespace=${shop}`,
    ...["02-children", "14-daemons", "99-all-at-once"].map((each) => example(`${each}/example.py`)),
  ];
  return { programs: [{ command: python, args: () => args }], manifests: [example("crd.yaml")] };
}

const example = (duration: string): string => `
apiVersion: kopf.dev/v1
kind: KopfExample
metadata:
  name: one
  labels: { somelabel: somevalue }
  annotations: { someannotation: somevalue }
spec: { duration: ${duration}, field: value, items: [item1, item2] }
`;

/** Kopf: pods as children, handlers that are tried again, daemons, finalizers, progress in annotations and status. */
export const kopfExamples: ForeignOperator = {
  name: "kopf (its examples)",
  version,
  obtain,
  steps: [
    {
      name: "create",
      apply: example("1m"),
      reached: [
        "wait --for=jsonpath={.status.create_2.job2-status}=100 kopfexample/one",
        "wait --for=jsonpath={.status.create_fn.children} kopfexample/one",
        "wait --for=condition=Ready pods --all",
      ],
    },
    {
      name: "update",
      apply: example("2m"),
      reached: [
        "wait --for=jsonpath={.metadata.generation}=2 kopfexample/one",
        "wait --for=condition=Ready pods --all",
      ],
    },
    {
      name: "delete",
      kubectl: ["delete kopfexample/one"],
      reached: ["wait --for=delete kopfexample/one", "wait --for=delete pods --all"],
    },
  ],
};
