/** Where an object has what its getters read from. */
const source = Symbol("source");

interface Sourced<TSource> {
  [source]: TSource;
}

/**
 * Makes what gives objects properties that are worked out whenever they are asked for, from a source of each object. They are own and
 * enumerable, so that a copy of the object has their values.
 *
 * All objects share the functions. The getters of an object literal are functions of its own, which V8 keeps with all that they refer
 * to until it collects everything: most of what a short-lived object leaves behind.
 */
export function sharedGetters<TSource, TValues extends object>(readers: {
  readonly [K in keyof TValues]: (from: TSource) => TValues[K];
}): <T extends object>(object: T, from: TSource) => T & TValues {
  const descriptors = Object.fromEntries(
    Object.entries(readers as Readonly<Record<string, (from: TSource) => unknown>>).map(([name, read]) => [
      name,
      {
        enumerable: true,
        get(this: Sourced<TSource>): unknown {
          return read(this[source]);
        },
      },
    ]),
  );
  return <T extends object>(object: T, from: TSource) => {
    const sourced = object as T & Sourced<TSource>;
    sourced[source] = from;
    return Object.defineProperties(sourced, descriptors) as unknown as T & TValues;
  };
}

/**
 * Makes what gives objects a property that is worked out, from a source of each object, when it is asked for first, and kept from then on.
 * It is own and enumerable; an object of which nobody asks for it has never had it worked out.
 */
export function keptGetter<TName extends string, TValue, TSource>(
  name: TName,
  workOut: (from: TSource) => TValue,
): <T extends object>(object: T, from: TSource) => T & Readonly<Record<TName, TValue>> {
  const descriptor = {
    configurable: true,
    enumerable: true,
    get(this: Sourced<TSource>): TValue {
      const value = workOut(this[source]);
      Object.defineProperty(this, name, { configurable: true, enumerable: true, value });
      return value;
    },
  };
  // Neither a copy of the object nor a comparison sees the source.
  return <T extends object>(object: T, from: TSource) =>
    Object.defineProperty(Object.defineProperty(object, source, { value: from }), name, descriptor) as T &
      Readonly<Record<TName, TValue>>;
}
