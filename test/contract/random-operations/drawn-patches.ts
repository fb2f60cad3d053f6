// Patches of each type: server-side apply by several managers, strategic and plain merge patches, JSON patches.
import type { Drawing } from "./drawing.ts";
import { filled, identityOf, objectOf, type FieldValue, type Operation, type Place } from "./operation.ts";
import type { FieldChoices, Fields, Path } from "./random-kind.ts";

const written = ["dryRun", "fieldManager", "fieldValidation"] as const;

/** A PATCH of an object, or of an endpoint of it. */
export function drawPatch(
  draw: Drawing,
  place: Place,
  endpoint = "",
  choices = draw.choicesOf(place.kind),
): Operation {
  const { kind } = place;
  const path = objectOf(place) + endpoint;
  const common = { method: "PATCH", kind, object: objectOf(place), ...draw.agent() } as const;
  const roll = draw.roll();
  if (roll < 0.42) return { ...common, ...drawApply(draw, place, endpoint, choices) };
  const isStrategic = roll < 0.62;
  if (roll < 0.82) {
    const directives = kind.directives ?? [];
    const values = draw.values(choices, 1 + draw.below(2), true);
    const body =
      isStrategic && directives.length > 0 && endpoint === "" && draw.chance(0.6)
        ? draw.pick(directives)
        : mergePatch(
            draw.chance(0.1)
              ? [...values, { path: ["metadata", "resourceVersion"], value: draw.version(place) }]
              : values,
          );
    return {
      ...common,
      path: draw.query(path, written),
      body,
      contentType: `application/${isStrategic ? "strategic-merge-patch" : "merge-patch"}+json`,
    };
  }
  const body = Array.from({ length: 1 + draw.below(3) }, () => drawStep(draw, choices));
  return { ...common, path: draw.query(path, written), body, contentType: "application/json-patch+json" };
}

function drawApply(
  draw: Drawing,
  place: Place,
  endpoint: string,
  choices: readonly FieldChoices[],
): Pick<Operation, "path" | "body" | "contentType"> {
  const isWhole = endpoint === "" && draw.chance(0.55);
  const start = isWhole ? place.kind.sample : {};
  // The real server keeps the time of a deletion that an apply gives a new object, and deletes it for ever.
  const values = draw
    .values(choices, draw.below(4), false)
    .filter(({ path }) => !path.includes("deletionTimestamp"));
  const metadata = draw.chance(0.1) ? { resourceVersion: draw.version(place) } : {};
  const body = filled({ ...identityOf(place), ...start }, [
    ...values,
    ...Object.entries(metadata).map(([key, value]) => ({ path: ["metadata", key], value })),
  ]);
  const force = draw.pick(["", "", "&force=true", "&force=false"]);
  const manager = draw.chance(0.03) ? "" : `?fieldManager=${draw.manager()}${force}`;
  return {
    path: draw.query(objectOf(place) + endpoint + manager, ["dryRun", "fieldValidation"]),
    body,
    contentType: "application/apply-patch+yaml",
  };
}

function drawStep(draw: Drawing, choices: readonly FieldChoices[]): Fields {
  const [first] = draw.values(choices, 1, true);
  const [second] = draw.values(choices, 1, true);
  const path = pointerOf(first?.path ?? []);
  const value = first?.value ?? null;
  return draw.pick<() => Fields>([
    () => ({ op: "add", path, value }),
    () => ({ op: "add", path, value }),
    () => ({ op: "replace", path, value }),
    () => ({ op: "remove", path }),
    () => ({ op: "test", path, value }),
    () => ({ op: "copy", from: path, path: pointerOf(second?.path ?? []) }),
    () => ({ op: "move", from: path, path: pointerOf(second?.path ?? []) }),
    () => ({ op: "add", path: `${path}/-`, value: Array.isArray(value) ? (value[0] as unknown) : value }),
  ])();
}

/** A merge patch that sets the values: null where nothing shall be, and no places in lists. */
function mergePatch(values: readonly FieldValue[]): Fields {
  const settled = values.map(({ path, value }) => ({ path, value: value === undefined ? null : value }));
  return filled({}, settled);
}

function pointerOf(path: Path): string {
  return path.map((each) => `/${String(each).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
