// Creations and replacements of whole objects, and of what subresources have of them.
import type { Drawing } from "./drawing.ts";
import { identityOf, objectOf, type FieldValue, type Operation, type Place } from "./operation.ts";
import { drawPatch } from "./drawn-patches.ts";
import { collectionOf, withValue, type Fields, type RandomKind } from "./random-kind.ts";

const written = ["dryRun", "fieldManager", "fieldValidation"] as const;
const names = ["one", "two"];

/** A POST of an object, some without a name of its own. */
export function drawCreation(draw: Drawing, place: Place): Operation {
  const { kind, name } = place;
  const object = draw.object(place, draw.below(4));
  const metadata = object["metadata"] as Fields;
  const { name: _, ...unnamed } = metadata;
  const generated = draw.chance(0.15) || name === "@name";
  const body = generated
    ? { ...object, metadata: { ...unnamed, generateName: `${draw.pick(names)}-` } }
    : object;
  return {
    method: "POST",
    path: draw.query(collectionOf(kind, place.namespace), written),
    kind,
    body,
    ...draw.agent(),
    ...(generated ? {} : { object: objectOf(place) }),
  };
}

/** A PUT of an object that was not read before. */
export function drawReplacement(draw: Drawing, place: Place): Operation {
  const object = draw.object(place, draw.below(3));
  const body = withValue(object, ["metadata", "resourceVersion"], draw.version(place));
  return {
    method: "PUT",
    path: draw.query(objectOf(place), written),
    kind: place.kind,
    body,
    ...draw.agent(),
    object: objectOf(place),
  };
}

/** Reads it, changes some fields, and puts it back. */
export function drawChange(
  draw: Drawing,
  place: Place,
  endpoint = "",
  choices = draw.choicesOf(place.kind),
): Operation {
  const fields = draw.values(choices, 1 + draw.below(3), true);
  if (draw.chance(0.15)) fields.push({ path: ["metadata", "resourceVersion"], value: draw.version(place) });
  const path = objectOf(place) + endpoint;
  return {
    method: "PUT",
    path: draw.query(path, written),
    kind: place.kind,
    changes: { of: path, fields },
    ...draw.agent(),
    object: objectOf(place),
  };
}

/** Something about the status or the scale; about the object itself where it has neither. */
export function drawSubresource(draw: Drawing, place: Place): Operation {
  const { kind } = place;
  const { status } = kind;
  if (kind.hasScale === true && draw.chance(0.35)) return drawScale(draw, place);
  if (kind.parts !== undefined && draw.chance(0.4)) {
    const { endpoint, fields } = draw.pick(kind.parts);
    return draw.chance(0.4)
      ? drawChange(draw, place, endpoint, fields)
      : drawPatch(draw, place, endpoint, fields);
  }
  if (kind.actions !== undefined && draw.chance(0.3)) return drawAction(draw, place, kind.actions);
  if (status === undefined) return drawChange(draw, place);
  const choices = draw.chance(0.85) ? status : draw.choicesOf(kind);
  if (draw.chance(0.05)) {
    return { method: "GET", path: `${objectOf(place)}/status`, kind, object: objectOf(place) };
  }
  return draw.chance(0.4)
    ? drawChange(draw, place, "/status", choices)
    : drawPatch(draw, place, "/status", choices);
}

/** A POST to an endpoint of the object that does something with it. */
function drawAction(draw: Drawing, place: Place, actions: NonNullable<RandomKind["actions"]>): Operation {
  const { endpoint, body } = draw.pick(actions);
  const { metadata } = identityOf(place);
  return {
    method: "POST",
    path: draw.query(objectOf(place) + endpoint, ["dryRun"]),
    kind: place.kind,
    body: { ...body, metadata },
    object: objectOf(place),
  };
}

function drawScale(draw: Drawing, place: Place): Operation {
  const { kind } = place;
  const path = `${objectOf(place)}/scale`;
  const common = { kind, object: objectOf(place), ...draw.agent() };
  if (draw.chance(0.2)) return { method: "GET", path, ...common };
  const replicas = draw.pick<unknown>([0, 1, 2, 3, 3, 12]);
  const allowed = ["dryRun", "fieldManager"] as const;
  if (draw.chance(0.4)) {
    const fields: FieldValue[] = [{ path: ["spec", "replicas"], value: replicas }];
    if (draw.chance(0.3)) {
      fields.push({ path: ["metadata", "resourceVersion"], value: draw.version(place) });
    }
    return { method: "PUT", path: draw.query(path, allowed), changes: { of: path, fields }, ...common };
  }
  if (kind.isCustom !== true && draw.chance(0.3)) {
    return {
      method: "PATCH",
      path: draw.query(`${path}?fieldManager=${draw.manager()}${draw.pick(["", "&force=true"])}`, ["dryRun"]),
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: identityOf(place)["metadata"],
        spec: { replicas },
      },
      contentType: "application/apply-patch+yaml",
      ...common,
    };
  }
  return {
    method: "PATCH",
    path: draw.query(path, allowed),
    body: { spec: { replicas } },
    contentType: "application/merge-patch+json",
    ...common,
  };
}
