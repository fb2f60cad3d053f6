// The checks of a file of data that is not meant to be an operator: a machine, or something that declares nothing.
import { FileReader } from "../../operator-file/file/file-reader.ts";
import { checkMachineFile, type CheckedDeclaration } from "./check-module.ts";

/** What is wrong with a file, each with its place. */
export function checkDataFile(text: string, file: string): CheckedDeclaration {
  const reader = new FileReader(text, file);
  const what = otherThanMachine(reader);
  if (what === undefined) return checkMachineFile(text, file);
  reader.report({
    code: "MACHINE_MISSING",
    path: [],
    message: `the file ${what}, and declares neither an operator nor a machine`,
    remedy:
      "Write an operator (operator: <name>, kinds: [ … ]), a machine (initial: <State>, states: { … }), or name another file.",
  });
  return { id: "the file", subject: {}, problems: reader.problems };
}

function otherThanMachine({ value, problems }: FileReader): string | undefined {
  if (problems.length > 0) return undefined;
  if (value === null) return "is empty";
  if (typeof value !== "object" || Array.isArray(value)) return "has no fields";
  const { apiVersion, kind, states } = value as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || states !== undefined) return undefined;
  return `is an object of Kubernetes (${apiVersion}, ${String(kind)})`;
}
