// A script of pods that was named on the command line: a file of YAML or JSON, read with everything that is wrong in it, each with its place.
import { readFileSync } from "node:fs";
import { createScriptedPods } from "../cluster/pods/simulated/script/scripted-pods.ts";
import { podScriptProblems, type PodScript } from "../cluster/pods/simulated/script/pod-script.ts";
import type { SimulatedPods } from "../cluster/pods/simulated/simulated-pods.ts";
import { FileReader } from "../operator-file/file/file-reader.ts";
import { messageOf, OperatorError } from "../ports/operator-error.ts";
import { refuseErrors } from "../ports/problem.ts";

/** Pods that do what a file says. Errors: `POD_SCRIPT_MISSING`, `POD_SCRIPT_INVALID`. */
export function podsOfScript(path: string): SimulatedPods {
  return createScriptedPods(readPodScript(textOf(path), path));
}

/** Reads a script; `file` is how findings call it. Errors: `POD_SCRIPT_INVALID`. */
export function readPodScript(text: string, file: string): PodScript {
  const reader = new FileReader(text, file);
  if (reader.problems.length === 0 && reader.hasFields("pods: [ … ]")) {
    for (const { path, problem } of podScriptProblems(reader.value)) {
      reader.report({ ...problem, path: path.map(String) });
    }
  }
  refuseErrors(reader.problems, {
    code: "POD_SCRIPT_INVALID",
    subject: "the script of pods",
    fields: { file },
    remedy: "Correct each line; the guide of the embedded cluster lists what a script may say.",
  });
  return reader.value as PodScript;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new OperatorError(
      "POD_SCRIPT_MISSING",
      `the script of pods ${path} cannot be read: ${messageOf(error)}`,
      { cause: error, remedy: "Check the path behind --pods, and its permissions." },
    );
  }
}
