// The JSON patch (RFC 6902) that makes one JSON value of another. Pure.
import type { JsonPatchOperation } from "../../client/kube-client.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";

/** Adds, replaces and removes what differs; a list of another length is replaced as a whole. */
export function jsonPatchOf(before: unknown, after: unknown, path = ""): readonly JsonPatchOperation[] {
  if (isEqualJson(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return after.flatMap((each, index) => jsonPatchOf(before[index], each, `${path}/${index}`));
  }
  if (!isRecord(before) || !isRecord(after)) return [{ op: "replace", path, value: after }];
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return [
    ...removed.map((name): JsonPatchOperation => ({ op: "remove", path: below(path, name) })),
    ...Object.entries(after).flatMap(([name, value]) =>
      Object.hasOwn(before, name)
        ? jsonPatchOf(before[name], value, below(path, name))
        : [{ op: "add" as const, path: below(path, name), value }],
    ),
  ];
}

function below(path: string, name: string): string {
  return `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
