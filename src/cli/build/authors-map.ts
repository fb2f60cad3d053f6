// The source map of a built operator with the author's modules alone. Node reads the map when it starts, and keeps it: with those of
// all packages that takes as much memory as two thirds of the operator. Pure.
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

/** A source map, version 3, as far as it is read. */
export interface SourceMapText {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
  readonly mappings: string;
}

/**
 * The map without the places of other sources: what follows a place that is kept, and is none itself, is marked as nobody's, as a reader
 * takes what has no place for a part of the place before it. Names are left out: those of functions are not changed by a build.
 */
export function authorsMap(map: SourceMapText, isAuthors: (source: string) => boolean): object {
  const kept = map.sources.flatMap((source, index) => (isAuthors(source) ? [index] : []));
  const places = new Map(kept.map((source, index) => [source, index]));
  let inside = false;
  const lines = decode(map.mappings).map((line) =>
    line.flatMap((segment): SourceMapSegment[] => {
      const [column, source, row, place] = segment;
      const index = source === undefined ? undefined : places.get(source);
      const wasInside = inside;
      inside = index !== undefined;
      if (index !== undefined) return [[column, index, row ?? 0, place ?? 0]];
      return wasInside ? [[column]] : [];
    }),
  );
  return {
    version: 3,
    sources: kept.map((index) => map.sources[index]),
    sourcesContent: kept.map((index) => map.sourcesContent?.[index] ?? null),
    names: [],
    mappings: encode(lines),
  };
}
