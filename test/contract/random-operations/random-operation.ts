// Draws operations on an API server. They are data: what a server itself gives out (versions, uids, names that it completes) is
// named in them, and filled in for each server by recorded-server.ts.
import { below, pick, type RandomNumber } from "../../cluster/fuzz/random-json.ts";
import {
  collectionOf,
  metadataFields,
  withValue,
  type FieldChoices,
  type Fields,
  type Path,
  type RandomKind,
} from "./random-kind.ts";

/** One operation. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query. */
  readonly path: string;
  readonly kind: RandomKind;
  /** What is sent; `@version(…)`, `@uid(…)` and `@name(…)` in it and in the path stand for what the server has given out. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly userAgent?: string;
  /** What is read first; these fields of it are then set, and the result is sent in place of `body`. */
  readonly changes?: { readonly of: string; readonly fields: readonly FieldValue[] };
  /** The object that it is about; else a collection. */
  readonly object?: string;
}

/** What stands in a field; undefined: nothing. */
export interface FieldValue {
  readonly path: Path;
  readonly value: unknown;
}

/** Where objects are. */
export const namespaces = ["first", "second"];
const names = ["one", "two"];
const managers = ["alpha", "beta", "gamma"];

/** Draws operations about some kinds. */
export class RandomOperations {
  readonly #random: RandomNumber;
  readonly #kinds: readonly RandomKind[];

  constructor(random: RandomNumber, kinds: readonly RandomKind[]) {
    this.#random = random;
    this.#kinds = kinds;
  }

  next(): Operation {
    const kind = this.#pick(this.#kinds);
    const place: Place = {
      kind,
      namespace: this.#chance(0.85) ? "first" : "second",
      name: this.#chance(0.06) ? "@name" : this.#pick(names),
    };
    const roll = this.#random();
    if (roll < 0.16) return this.#create(place);
    if (roll < 0.22) return this.#replace(place);
    if (roll < 0.34) return this.#change(place);
    if (roll < 0.66) return this.#patch(place);
    if (roll < 0.78) return this.#subresource(place);
    if (roll < 0.88) return this.#delete(place);
    if (roll < 0.9) return this.#deleteCollection(place);
    if (roll < 0.97) return this.#read(place);
    return this.#odd(place);
  }

  #create(place: Place): Operation {
    const { kind, name } = place;
    const object = this.#object(place, this.#below(4));
    const metadata = object["metadata"] as Fields;
    const { name: _, ...unnamed } = metadata;
    const generated = this.#chance(0.15) || name === "@name";
    const body = generated
      ? { ...object, metadata: { ...unnamed, generateName: `${this.#pick(names)}-` } }
      : object;
    return {
      method: "POST",
      path: this.#query(collectionOf(kind, place.namespace), ["dryRun", "fieldManager", "fieldValidation"]),
      kind,
      body,
      ...this.#agent(),
      ...(generated ? {} : { object: objectOf(place) }),
    };
  }

  #replace(place: Place): Operation {
    const object = this.#object(place, this.#below(3));
    const body = withValue(object, ["metadata", "resourceVersion"], this.#version(place));
    return {
      method: "PUT",
      path: this.#query(objectOf(place), ["dryRun", "fieldManager", "fieldValidation"]),
      kind: place.kind,
      body,
      ...this.#agent(),
      object: objectOf(place),
    };
  }

  /** Reads it, changes some fields, and puts it back. */
  #change(place: Place, endpoint = "", choices = this.#choicesOf(place.kind)): Operation {
    const fields = this.#values(choices, 1 + this.#below(3), true);
    if (this.#chance(0.15))
      fields.push({ path: ["metadata", "resourceVersion"], value: this.#version(place) });
    const path = objectOf(place) + endpoint;
    return {
      method: "PUT",
      path: this.#query(path, ["dryRun", "fieldManager", "fieldValidation"]),
      kind: place.kind,
      changes: { of: path, fields },
      ...this.#agent(),
      object: objectOf(place),
    };
  }

  #patch(place: Place, endpoint = "", choices = this.#choicesOf(place.kind)): Operation {
    const { kind } = place;
    const path = objectOf(place) + endpoint;
    const common = { method: "PATCH", kind, object: objectOf(place), ...this.#agent() } as const;
    const written = ["dryRun", "fieldManager", "fieldValidation"];
    const roll = this.#random();
    if (roll < 0.42) {
      const isWhole = endpoint === "" && this.#chance(0.55);
      const start = isWhole ? kind.sample : {};
      // The real server keeps the time of a deletion that an apply gives a new object, and deletes it for ever.
      const values = this.#values(choices, this.#below(4), false).filter(
        ({ path }) => !path.includes("deletionTimestamp"),
      );
      const metadata = this.#chance(0.1) ? { resourceVersion: this.#version(place) } : {};
      const body = filled({ ...identityOf(place), ...start }, [
        ...values,
        ...Object.entries(metadata).map(([key, value]) => ({ path: ["metadata", key], value })),
      ]);
      const force = this.#pick(["", "", "&force=true", "&force=false"]);
      const manager = this.#chance(0.03) ? "" : `?fieldManager=${this.#pick(managers)}${force}`;
      return {
        ...common,
        path: this.#query(path + manager, ["dryRun", "fieldValidation"]),
        body,
        contentType: "application/apply-patch+yaml",
      };
    }
    const isStrategic = roll < 0.62;
    if (roll < 0.82) {
      const directives = kind.directives ?? [];
      const values = this.#values(choices, 1 + this.#below(2), true);
      const body =
        isStrategic && directives.length > 0 && endpoint === "" && this.#chance(0.6)
          ? this.#pick(directives)
          : mergePatch(
              this.#chance(0.1)
                ? [...values, { path: ["metadata", "resourceVersion"], value: this.#version(place) }]
                : values,
            );
      return {
        ...common,
        path: this.#query(path, written),
        body,
        contentType: `application/${isStrategic ? "strategic-merge-patch" : "merge-patch"}+json`,
      };
    }
    const body = Array.from({ length: 1 + this.#below(3) }, () => this.#jsonPatchStep(choices));
    return { ...common, path: this.#query(path, written), body, contentType: "application/json-patch+json" };
  }

  #jsonPatchStep(choices: readonly FieldChoices[]): Fields {
    const [first] = this.#values(choices, 1, true);
    const [second] = this.#values(choices, 1, true);
    const path = pointerOf(first?.path ?? []);
    const value = first?.value ?? null;
    return this.#pick<() => Fields>([
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

  #subresource(place: Place): Operation {
    const { kind } = place;
    const { status } = kind;
    if (kind.hasScale === true && this.#chance(0.35)) return this.#scale(place);
    if (status === undefined) return this.#change(place);
    const choices = this.#chance(0.85) ? status : this.#choicesOf(kind);
    if (this.#chance(0.05))
      return { method: "GET", path: `${objectOf(place)}/status`, kind, object: objectOf(place) };
    return this.#chance(0.4)
      ? this.#change(place, "/status", choices)
      : this.#patch(place, "/status", choices);
  }

  #scale(place: Place): Operation {
    const { kind } = place;
    const path = `${objectOf(place)}/scale`;
    const common = { kind, object: objectOf(place), ...this.#agent() };
    if (this.#chance(0.2)) return { method: "GET", path, ...common };
    const replicas = this.#pick<unknown>([0, 1, 2, 3, 3, 12]);
    const written = ["dryRun", "fieldManager"];
    if (this.#chance(0.4)) {
      const fields: FieldValue[] = [{ path: ["spec", "replicas"], value: replicas }];
      if (this.#chance(0.3))
        fields.push({ path: ["metadata", "resourceVersion"], value: this.#version(place) });
      return { method: "PUT", path: this.#query(path, written), changes: { of: path, fields }, ...common };
    }
    if (kind.isCustom !== true && this.#chance(0.3)) {
      return {
        method: "PATCH",
        path: this.#query(`${path}?fieldManager=${this.#pick(managers)}${this.#pick(["", "&force=true"])}`, [
          "dryRun",
        ]),
        body: {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: {
            name: place.name,
            ...(kind.isClusterScoped === true ? {} : { namespace: place.namespace }),
          },
          spec: { replicas },
        },
        contentType: "application/apply-patch+yaml",
        ...common,
      };
    }
    return {
      method: "PATCH",
      path: this.#query(path, written),
      body: { spec: { replicas } },
      contentType: "application/merge-patch+json",
      ...common,
    };
  }

  #delete(place: Place): Operation {
    const object = objectOf(place);
    const preconditions = this.#chance(0.25)
      ? {
          preconditions: this.#pick([
            { uid: `@uid(${object})` },
            { resourceVersion: this.#version(place) ?? "1" },
            { uid: "x" },
          ]),
        }
      : {};
    const policy = this.#chance(0.4)
      ? { propagationPolicy: this.#pick(["Background", "Foreground", "Orphan", "Orphan", "x"]) }
      : {};
    const grace = this.#chance(0.2) ? { gracePeriodSeconds: this.#pick([0, 5, 0, -1]) } : {};
    const dry = this.#chance(0.08) ? { dryRun: this.#pick([["All"], ["x"]]) } : {};
    const more = this.#chance(0.05) ? { orphanDependents: true } : {};
    const options = { ...preconditions, ...policy, ...grace, ...dry, ...more };
    const isEmpty = Object.keys(options).length === 0;
    const body = { kind: "DeleteOptions", apiVersion: "v1", ...options };
    return {
      method: "DELETE",
      path: this.#chance(0.1)
        ? `${object}?propagationPolicy=${this.#pick(["Foreground", "Orphan", "x"])}`
        : object,
      kind: place.kind,
      ...(isEmpty ? {} : { body }),
      object,
    };
  }

  #deleteCollection({ kind, namespace }: Place): Operation {
    if (isShared(kind))
      return { method: "DELETE", path: `${collectionOf(kind)}?labelSelector=app%3Da`, kind };
    const query = this.#pick([
      "labelSelector=app%3Da",
      "labelSelector=app+in+(b,c)",
      "labelSelector=!app",
      "fieldSelector=metadata.name%3Done",
      "labelSelector=tier%3Dfront&dryRun=All",
      "labelSelector=app%3Db&propagationPolicy=Orphan",
      "labelSelector=-x-",
      "fieldSelector=x%3Dy",
    ]);
    return { method: "DELETE", path: `${collectionOf(kind, namespace)}?${query}`, kind };
  }

  #read(place: Place): Operation {
    const { kind, namespace } = place;
    const accept = this.#chance(0.1)
      ? { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" }
      : {};
    if (this.#chance(0.3)) return { method: "GET", path: objectOf(place), kind, object: objectOf(place) };
    if (isShared(kind)) {
      return {
        method: "GET",
        path: `${collectionOf(kind)}?labelSelector=app${this.#pick(["", "%3Da"])}`,
        kind,
        ...accept,
      };
    }
    const isEverywhere = kind.isCustom === true && this.#chance(0.3);
    const collection = isEverywhere ? collectionOf(kind) : collectionOf(kind, namespace);
    const selector = this.#pick([
      "",
      "labelSelector=app%3Da",
      "labelSelector=app",
      "labelSelector=!app",
      "labelSelector=app!%3Da,tier",
      "labelSelector=app+notin+(a,b)",
      "labelSelector=app%3D%3D",
      "labelSelector=app+in+()",
      "labelSelector=a+b",
      `fieldSelector=${encodeURIComponent(this.#pick(["metadata.name=one", "metadata.namespace=first", "metadata.x=1", ...(kind.selectors ?? [])]))}`,
    ]);
    const limit = this.#pick([
      "",
      "",
      "",
      "limit=1",
      "limit=2",
      "limit=500",
      "limit=x",
      "limit=-1",
      "resourceVersion=0",
      "resourceVersion=x",
    ]);
    const query = [selector, limit].filter((each) => each !== "").join("&");
    return { method: "GET", path: query === "" ? collection : `${collection}?${query}`, kind, ...accept };
  }

  /** What no client should send. */
  #odd(place: Place): Operation {
    const { kind, namespace } = place;
    const collection = collectionOf(kind, namespace);
    const object = objectOf(place);
    const body = this.#object(place, 1);
    const merge = "application/merge-patch+json";
    if (kind.isCustom !== true && this.#chance(0.1)) {
      return this.#pick<() => Operation>([
        () => ({ method: "PUT", path: object, kind, body: withValue(body, ["kind"], "Other"), object }),
        () => ({ method: "PUT", path: collection, kind, body }),
        () => ({ method: "POST", path: object, kind, body }),
        () => ({ method: "GET", path: `${object}/nothing`, kind, object }),
      ])();
    }
    return this.#pick<() => Operation>([
      () => ({ method: "POST", path: collection, kind, body: "{" }),
      () => ({ method: "POST", path: collection, kind, body: "" }),
      () => ({ method: "POST", path: collection, kind, body: [] }),
      () => ({ method: "POST", path: collection, kind, body: { ...body, kind: "Other" } }),
      () => ({ method: "POST", path: collection, kind, body: { ...body, apiVersion: "other/v1" } }),
      () => ({ method: "POST", path: collection, kind, body: withValue(body, ["kind"], undefined) }),
      () => ({
        method: "POST",
        path: collection,
        kind,
        body: withValue(body, ["metadata", "name"], undefined),
      }),
      () => ({ method: "POST", path: collection, kind, body: withValue(body, ["metadata", "name"], "A_b") }),
      () => ({ method: "POST", path: collection, kind, body, contentType: "text/plain" }),
      () => ({ method: "POST", path: `${collection}?fieldValidation=x`, kind, body }),
      () => ({ method: "POST", path: `${collection}?dryRun=x`, kind, body }),
      () => ({ method: "POST", path: `${collection}?fieldManager=${"m".repeat(129)}`, kind, body }),
      () => ({
        method: "PUT",
        path: object,
        kind,
        body: withValue(body, ["metadata", "name"], "other"),
        object,
      }),
      () => ({
        method: "PUT",
        path: object,
        kind,
        body: withValue(body, ["metadata", "name"], undefined),
        object,
      }),
      () => ({ method: "PATCH", path: object, kind, body: "x", contentType: merge, object }),
      () => ({ method: "PATCH", path: object, kind, body: [], contentType: merge, object }),
      () => ({ method: "PATCH", path: object, kind, body: {}, contentType: "application/json", object }),
      () => ({
        method: "PATCH",
        path: object,
        kind,
        body: { metadata: { name: "other" } },
        contentType: merge,
        object,
      }),
      () => ({ method: "PATCH", path: object, kind, body: { kind: "Other" }, contentType: merge, object }),
      () => ({
        method: "PATCH",
        path: object,
        kind,
        body: { spec: "x", data: "y" },
        contentType: merge,
        object,
      }),
      () => ({
        method: "PATCH",
        path: object,
        kind,
        body: { op: "add" },
        contentType: "application/json-patch+json",
        object,
      }),
      () => ({
        method: "PATCH",
        path: object,
        kind,
        body: [{ op: "x", path: "/a" }],
        contentType: "application/json-patch+json",
        object,
      }),
      () => ({ method: "PATCH", path: `${object}?force=true`, kind, body: {}, contentType: merge, object }),
      () => ({ method: "DELETE", path: object, kind, body: "{", object }),
      () => ({ method: "DELETE", path: object, kind, body: { kind: "Other", apiVersion: "v1" }, object }),
      () => ({ method: "GET", path: `${collection}?continue=x`, kind }),
    ])();
  }

  /** An object with some fields changed from the sample. */
  #object(place: Place, changes: number): Fields {
    const start = { ...identityOf(place), ...place.kind.sample };
    return filled(start, this.#values(this.#choicesOf(place.kind), changes, false));
  }

  #choicesOf(kind: RandomKind): readonly FieldChoices[] {
    return this.#chance(0.3) ? metadataFields : kind.fields;
  }

  /** Values for some of the fields. */
  #values(choices: readonly FieldChoices[], count: number, mayRemove: boolean): FieldValue[] {
    return Array.from({ length: count }, () => {
      const { path, right, wrong = [] } = this.#pick(choices);
      if (mayRemove && this.#chance(0.12)) return { path, value: undefined };
      const from = (this.#chance(0.12) && wrong.length > 0) || right.length === 0 ? wrong : right;
      return { path, value: from.length === 0 ? undefined : this.#pick(from) };
    });
  }

  #version(place: Place): string | undefined {
    const of = objectOf(place);
    return this.#pick([
      `@version(${of},0)`,
      `@version(${of},0)`,
      `@version(${of},1)`,
      "1",
      "x",
      "",
      undefined,
    ]);
  }

  #query(path: string, allowed: readonly string[]): string {
    const parts: string[] = [];
    if (allowed.includes("dryRun") && this.#chance(0.08)) parts.push("dryRun=All");
    if (allowed.includes("fieldManager") && this.#chance(0.6))
      parts.push(`fieldManager=${this.#pick(managers)}`);
    if (allowed.includes("fieldValidation") && this.#chance(0.25)) {
      parts.push(`fieldValidation=${this.#pick(["Strict", "Warn", "Ignore"])}`);
    }
    return parts.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${parts.join("&")}`;
  }

  #agent(): { readonly userAgent?: string } {
    return this.#chance(0.2) ? { userAgent: `${this.#pick(managers)}/v1` } : {};
  }

  #pick<T>(choices: readonly T[]): T {
    return pick(this.#random, choices);
  }

  #below(limit: number): number {
    return below(this.#random, limit);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}

interface Place {
  readonly kind: RandomKind;
  readonly namespace: string;
  readonly name: string;
}

/** Whether a server keeps objects of its own in the collection. */
function isShared({ isClusterScoped, isCustom }: RandomKind): boolean {
  return isClusterScoped === true && isCustom !== true;
}

function objectOf({ kind, namespace, name }: Place): string {
  const collection = collectionOf(kind, namespace);
  return `${collection}/${name === "@name" ? `@name(${collection})` : name}`;
}

function identityOf(place: Place): Fields {
  const { kind, namespace, name } = place;
  const full = name === "@name" ? `@name(${collectionOf(kind, namespace)})` : name;
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: full, ...(kind.isClusterScoped === true ? {} : { namespace }) },
  };
}

/** An object with values in some fields. */
export function filled(object: Fields, values: readonly FieldValue[]): Fields {
  return values.reduce<unknown>((sofar, { path, value }) => withValue(sofar, path, value), object) as Fields;
}

/** A merge patch that sets the values: null where nothing shall be, and no places in lists. */
function mergePatch(values: readonly FieldValue[]): Fields {
  const settled = values.map(({ path, value }) => ({ path, value: value === undefined ? null : value }));
  return filled({}, settled);
}

function pointerOf(path: Path): string {
  return path.map((each) => `/${String(each).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
