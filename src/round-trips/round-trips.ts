// Whether the versions of a kind can be converted into each other: tried with made-up objects, there and back. Read by `check`
// and by the testing kit.
import * as fc from "fast-check";
import type { z } from "zod";
import {
  conversionFailureOf,
  convertObject,
  convertParts,
  specSchemaOf,
  type ConvertedKind,
  type ConvertedObject,
} from "../kinds/versions/convert.ts";
import type { KindVersion } from "../kinds/versions/kind-version.ts";
import { withDefaults } from "../kinds/schema-defaults.ts";
import { jsonSchemaOf } from "../kinds/zod-schema.ts";
import { changedPaths, isEqualJson } from "../meta/changed-paths.ts";
import type { Json } from "../meta/object.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { Problem } from "../ports/problem.ts";
import { valuesOf } from "./sample-values.ts";

/** How much is tried. */
export interface TripOptions {
  /** Objects that are made up for each pair of versions. */
  readonly runs: number;
  readonly seed: number;
  /** Specs that are tried first, by version. */
  readonly samples?: Readonly<Record<string, readonly object[]>>;
}

/** A pair of versions, in the direction of the first conversion. */
export interface Trip {
  readonly from: KindVersion;
  readonly to: KindVersion;
}

/** The author's part of an object. */
interface Sample {
  readonly spec: Fields;
  readonly status: Fields;
}

type SampleObject = ConvertedObject & { readonly kind: string } & Sample;

type Fields = Readonly<Record<string, Json>>;

/** What is wrong with an object on its trip. */
type Finding = Pick<Problem, "code" | "message" | "remedy">;

/** Every ordered pair of versions between which something is converted. */
export function tripsOf({ versions }: ConvertedKind): readonly Trip[] {
  return versions.flatMap((from) =>
    versions
      .filter((to) => to !== from && (from.convert ?? to.convert) !== undefined)
      .map((to) => ({ from, to })),
  );
}

/** The first thing that is wrong on a trip, with the smallest object that shows it; undefined when there is nothing. */
export function tripProblem(kind: ConvertedKind, trip: Trip, options: TripOptions): Problem | undefined {
  const { from, to } = trip;
  const option = `versions.${from.name === kind.version ? to.name : from.name}.convert`;
  let finding: Finding | undefined;
  const property = fc.property(samplesOf(from), (sample) => {
    fc.pre(isAccepted(from, sample));
    const found = findingOf(kind, trip, sample);
    finding = found ?? finding;
    return found === undefined;
  });
  const { runs: numRuns, seed, samples = {} } = options;
  const examples = (samples[from.name] ?? []).map((spec): [Sample] => [{ spec: spec as Fields, status: {} }]);
  const { failed, counterexample } = fc.check(property, {
    numRuns: numRuns + examples.length,
    seed,
    examples,
  });
  if (!failed) return undefined;
  if (counterexample !== null && finding !== undefined) return { ...finding, severity: "error", option };
  return {
    code: "CONVERSION_UNTESTED",
    severity: "warning",
    option,
    message: `no ${from.name} could be made up that the schema accepts, so its conversion to ${to.name} was not tried`,
    remedy: "Test it with objects of your own: conversionTests(kind, { samples: { … } }).",
  };
}

/** Objects of a version; what has a default may be missing, as where a client has left it out. */
function samplesOf({ specSchema, statusSchema }: KindVersion): fc.Arbitrary<Sample> {
  const status =
    statusSchema === undefined ? fc.constant({}) : valuesOf({ ...jsonSchemaOf(statusSchema), required: [] });
  return fc.record(
    { spec: valuesOf(jsonSchemaOf(specSchema)), status },
    { noNullPrototype: true },
  ) as fc.Arbitrary<Sample>;
}

const parts = new WeakMap<z.ZodObject, z.ZodObject>();

/** A status is written piece by piece. Made once for each schema, as making it is dear. */
function partOf(schema: z.ZodObject | undefined): z.ZodObject | undefined {
  if (schema === undefined) return undefined;
  const known = parts.get(schema) ?? schema.partial();
  parts.set(schema, known);
  return known;
}

function isAccepted({ specSchema, statusSchema }: KindVersion, sample: Sample): boolean {
  return refusalOf({ spec: specSchema, status: partOf(statusSchema) }, sample) === undefined;
}

/** What the schemas have against the parts of an object. */
function refusalOf(
  schemas: Readonly<Record<keyof Sample, z.ZodObject | undefined>>,
  sample: Sample,
): string | undefined {
  for (const part of ["spec", "status"] as const) {
    const issue = schemas[part]?.safeParse(sample[part]).error?.issues[0];
    if (issue !== undefined) return `${[part, ...issue.path.map(String)].join(".")}: ${issue.message}`;
  }
  return undefined;
}

function findingOf(kind: ConvertedKind, trip: Trip, { status, ...given }: Sample): Finding | undefined {
  const { from, to } = trip;
  const spec = withDefaults(given.spec, specSchemaOf(from)) as Fields;
  const object: SampleObject = {
    apiVersion: `${kind.group}/${from.name}`,
    kind: kind.kind,
    metadata: {},
    spec,
    status,
  };
  const hasStatus = Object.keys(status).length > 0;
  const what = `a ${from.name} with ${JSON.stringify(hasStatus ? { spec, status } : { spec })}`;
  const there = convertObject(kind, object, to.name);
  return (
    invalidResult(trip, { spec, status }, what) ??
    failure(conversionFailureOf(there)?.reason, what) ??
    refusedResult(there, to, what) ??
    impurity(trip, { spec, status }, what) ??
    drift(trip, { spec, status }, what) ??
    loss(object, convertObject(kind, there, from.name), trip, what)
  );
}

function failure(reason: string | undefined, what: string): Finding | undefined {
  if (reason === undefined) return undefined;
  return {
    code: "CONVERSION_FAILS",
    message: `${what} cannot be converted: ${reason}`,
    remedy: "Convert all that the schema accepts, or make the schema refuse it.",
  };
}

/** A result that the kind's own version does not accept, of which conversion makes an object that cannot be converted. */
function invalidResult({ from, to }: Trip, sample: Sample, what: string): Finding | undefined {
  if (from.convert === undefined || to.convert !== undefined) return undefined;
  try {
    return refusedResult(convertParts(sample, from, to), to, what);
  } catch {
    return undefined; // It fails: that is another finding.
  }
}

function refusedResult({ spec, status }: Sample, to: KindVersion, what: string): Finding | undefined {
  const refusal = refusalOf({ spec: to.specSchema, status: partOf(to.statusSchema) }, { spec, status });
  if (refusal === undefined) return undefined;
  return {
    code: "CONVERSION_INVALID",
    message: `${what} becomes ${JSON.stringify(spec)}, which ${to.name} does not accept: ${refusal}`,
    remedy: `Return what the schema of ${to.name} accepts.`,
  };
}

function loss(before: SampleObject, after: SampleObject, { to }: Trip, what: string): Finding | undefined {
  if (isEqualJson(before, after)) return undefined;
  return {
    code: "CONVERSION_LOSES",
    message: `${what} is another one after ${to.name} and back: ${changedPaths(before, after, 6).join(", ")}`,
    remedy: "Make both functions depend on nothing but the object that they are given.",
  };
}

/** A function that answers differently when it is asked again. */
function impurity({ from, to }: Trip, sample: Sample, what: string): Finding | undefined {
  if (from.convert !== undefined && to.convert !== undefined) return undefined;
  if (isEqualJson(convertParts(sample, from, to), convertParts(sample, from, to))) return undefined;
  return {
    code: "CONVERSION_IMPURE",
    message: `${what} becomes another ${to.name} each time`,
    remedy:
      "Make the function depend on nothing but the object that it is given: no clock, no random numbers, no counters.",
  };
}

/**
 * An object that goes on changing with every trip. That a version cannot express something is no such case: what came back
 * once stays so then.
 */
function drift({ from, to }: Trip, sample: Sample, what: string): Finding | undefined {
  if (from.convert !== undefined && to.convert !== undefined) return undefined;
  const once = convertParts(sample, from, to);
  let twice: Sample;
  try {
    twice = convertParts(convertParts(once, to, from), from, to);
  } catch (error) {
    return failure(`${from.name} to ${to.name}, back, and there again: ${messageOf(error)}`, what);
  }
  const paths = changedPaths({ ...once }, { ...twice }, 6);
  if (paths.length === 0) return undefined;
  return {
    code: "CONVERSION_ASYMMETRIC",
    message: `${what} becomes ${JSON.stringify(once.spec)} as ${to.name}, but ${JSON.stringify(twice.spec)} after ${from.name} and back: ${paths.join(", ")} differs`,
    remedy: "Make each function undo what the other does, as far as both versions can say it.",
  };
}

/** What is wrong with the versions of a kind: how they are declared, and what conversion makes of objects. */
export function versionProblems(kind: ConvertedKind, options: TripOptions): readonly Problem[] {
  const problems: Problem[] = [];
  const storage = kind.versions.find((version) => version.storage);
  if (storage?.served === false) {
    problems.push({
      code: "STORAGE_NOT_SERVED",
      severity: "warning",
      option: "storage",
      message: `objects are stored as ${storage.name}, which is not served`,
      remedy: `Serve ${storage.name}, or store objects in a version that is served, and migrate them.`,
    });
  }
  if (storage !== undefined && storage.deprecated !== false) {
    problems.push({
      code: "STORAGE_DEPRECATED",
      severity: "warning",
      option: "storage",
      message: `objects are stored as ${storage.name}, which is deprecated`,
      remedy: "Store them in another version, and migrate those there are: xstate-operator migrate.",
    });
  }
  for (const trip of tripsOf(kind)) {
    try {
      const problem = tripProblem(kind, trip, options);
      if (problem !== undefined) problems.push(problem);
    } catch (error) {
      problems.push({
        code: "CONVERSION_UNTESTED",
        severity: "warning",
        option: `versions.${trip.from.name}`,
        message: `the conversion from ${trip.from.name} to ${trip.to.name} was not tried: ${messageOf(error)}`,
        remedy: "Test it with objects of your own: conversionTests(kind, { samples: { … } }).",
      });
    }
  }
  return problems;
}
