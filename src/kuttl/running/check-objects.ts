// Whether the cluster is as a step expects it: which objects have to be there, and which may not. What is missing is said with the
// candidate that comes nearest.
import { formatKey } from "../../meta/object-key.ts";
import type { AnyObject } from "../../meta/object.ts";
import { isJsonObject } from "../../schema/json-value.ts";
import type { WrittenObject } from "../files/read-documents.ts";
import { describeMismatches } from "./describe-mismatch.ts";
import { mismatchesOf } from "./subset.ts";
import type { PlacedType, TestCluster } from "./test-cluster.ts";

/** Something that is not as expected. */
export interface Finding {
  /** One sentence. */
  readonly title: string;
  /** Where the expectation is written: `file:line`. */
  readonly where?: string;
  /** More of it. */
  readonly details: readonly string[];
}

/** Where it is looked. */
export interface CheckedPlace {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Names that are listed of what is there instead. */
const mostNames = 5;

/** What is wrong with an object that has to be there; undefined when it is there as expected. */
export async function checkPresent(
  expected: WrittenObject,
  { cluster, namespace, signal }: CheckedPlace,
): Promise<Finding | undefined> {
  const place = await cluster.place(expected, namespace, signal);
  const { kind, where } = expected;
  if (place.key !== undefined) {
    const object = await cluster.read(place, signal);
    const called = `${kind} ${formatKey(place.key)}`;
    if (object === undefined) {
      const others = await cluster.list(place, {}, signal);
      return { title: `${called} is not there`, where, details: [describeOthers(kind, place, others)] };
    }
    const mismatches = mismatchesOf(expected.value, object);
    if (mismatches.length === 0) return undefined;
    return { title: `${called} is not as expected`, where, details: describeMismatches(mismatches) };
  }
  const labels = labelsOf(expected);
  const candidates = await cluster.list(place, labels, signal);
  const [nearest] = candidates
    .map((object) => ({ object, mismatches: mismatchesOf(expected.value, object) }))
    .toSorted((a, b) => a.mismatches.length - b.mismatches.length);
  if (nearest?.mismatches.length === 0) return undefined;
  const which = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const called = `${kind}${which.length === 0 ? "" : ` with ${which.join(", ")}`}`;
  if (nearest === undefined) {
    const others = which.length === 0 ? [] : await cluster.list(place, {}, signal);
    return { title: `there is no ${called}`, where, details: [describeOthers(kind, place, others)] };
  }
  return {
    title: `none of ${candidates.length} ${called} is as expected`,
    where,
    details: [`nearest: ${nearest.object.metadata.name}`, ...describeMismatches(nearest.mismatches)],
  };
}

/** What is wrong where an object may not be so; undefined when none is. */
export async function checkAbsent(
  refused: WrittenObject,
  { cluster, namespace, signal }: CheckedPlace,
): Promise<Finding | undefined> {
  const place = await cluster.place(refused, namespace, signal);
  const object = place.key === undefined ? undefined : await cluster.read(place, signal);
  const candidates =
    place.key === undefined
      ? await cluster.list(place, labelsOf(refused), signal)
      : object === undefined
        ? []
        : [object];
  const found = candidates.filter((each) => mismatchesOf(refused.value, each).length === 0);
  if (found.length === 0) return undefined;
  const names = found.slice(0, mostNames).map(({ metadata }) => metadata.name);
  return {
    title: `${refused.kind} ${names.join(", ")}${found.length > mostNames ? " and more" : ""} is as it may not be`,
    where: refused.where,
    details: [],
  };
}

function labelsOf({ metadata: { labels } }: WrittenObject): Readonly<Record<string, string>> {
  if (!isJsonObject(labels)) return {};
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

function describeOthers(kind: string, { namespace }: PlacedType, others: readonly AnyObject[]): string {
  const where = namespace === undefined ? "on the cluster" : `in namespace ${namespace}`;
  if (others.length === 0) return `there is no ${kind} ${where} at all`;
  const names = others.slice(0, mostNames).map(({ metadata }) => metadata.name);
  return `${where} ${others.length === 1 ? "is" : "are"}: ${names.join(", ")}${others.length > mostNames ? ", …" : ""}`;
}
