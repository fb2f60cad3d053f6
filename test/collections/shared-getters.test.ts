import { expect, it } from "vitest";
import { keptGetter, sharedGetters } from "../../src/collections/shared-getters.ts";

const withDouble = sharedGetters<{ value: number }, { double: number }>({ double: ({ value }) => value * 2 });

it("works a property out whenever it is asked for, from the source of its object", () => {
  const sources = [{ value: 1 }, { value: 2 }];
  const [one, two] = sources.map((source) => withDouble({ name: "n" }, source));
  expect([one?.double, two?.double]).toEqual([2, 4]);
  (sources[1] ?? { value: 0 }).value = 5;
  expect([one?.double, two?.double, two?.name]).toEqual([2, 10, "n"]);
});

it("gives a copy the values, and shares its functions among all objects", () => {
  const first = withDouble({}, { value: 1 });
  const second = withDouble({}, { value: 2 });
  expect({ ...second }).toMatchObject({ double: 4 });
  const getterOf = (object: object): unknown => Object.getOwnPropertyDescriptor(object, "double")?.get;
  expect(getterOf(first)).toBe(getterOf(second));
});

it("works a property out once, and only where it is asked for", () => {
  const asked: string[] = [];
  const withLength = keptGetter("length", ({ name }: { name: string }) => {
    asked.push(name);
    return name.length;
  });
  const [one, two] = ["one", "three"].map((name) => withLength({ at: name }, { name }));
  expect(asked).toEqual([]);
  expect([two?.length, two?.length, { ...two }]).toEqual([5, 5, { at: "three", length: 5 }]);
  expect(JSON.stringify(one)).toBe('{"at":"one","length":3}');
  expect(asked).toEqual(["three", "one"]);
});

it("shows its source neither to a copy nor to a comparison", () => {
  const withLength = keptGetter("length", ({ name }: { name: string }) => name.length);
  const given = withLength({ at: 1 }, { name: "three" });
  expect(given).toStrictEqual({ at: 1, length: 5 });
  expect(Reflect.ownKeys({ ...withLength({ at: 1 }, { name: "four" }) })).toEqual(["at", "length"]);
});
