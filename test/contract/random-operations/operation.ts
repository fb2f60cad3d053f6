// Operations on an API server, as data: what a server itself gives out (versions, uids, names that it completes) is named in them,
// and filled in for each server by recorded-server.ts.
import { collectionOf, withValue, type Fields, type Path, type RandomKind } from "./random-kind.ts";

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
  /** A list as a watch, up to the bookmark at its end. Default false. */
  readonly isStream?: boolean;
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

/** Where an object is, whether or not it exists. */
export interface Place {
  readonly kind: RandomKind;
  readonly namespace: string;
  /** `@name`: the one that the server has completed last. */
  readonly name: string;
}

/** The path of the object. */
export function objectOf({ kind, namespace, name }: Place): string {
  const collection = collectionOf(kind, namespace);
  return `${collection}/${name === "@name" ? `@name(${collection})` : name}`;
}

/** What every body of the object says. */
export function identityOf(place: Place): Fields {
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
