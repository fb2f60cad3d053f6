// The lifecycle of a kind in a file: XState's configuration, inline or in a file of its own, with the guards, delays, changes of the
// context and inputs that its names stand for.
import { dirname, resolve } from "node:path";
import { setupLifecycle, type LifecycleMachine } from "../../../machines/lifecycle-machine.ts";
import type { LifecycleArguments, LifecycleContext } from "../../../machines/lifecycle-events.ts";
import { checkForm, withoutNothing } from "../../machine-file/machine-form.ts";
import { offsetOfProblem } from "../../machine-file/place-of-problem.ts";
import { machineOf } from "../../machine-file/read-machine.ts";
import type { Json } from "../../meta/object.ts";
import type { Duration } from "../../ports/duration.ts";
import { durationOf } from "../../ports/duration.ts";
import { messageOf } from "../../ports/operator-error.ts";
import type { Problem } from "../../ports/problem.ts";
import type { CelScope } from "../../schema/cel/cel-scope.ts";
import type { KindForm } from "../form/file-form.ts";
import { FileReader, readNamedFile, type Path } from "../file/file-reader.ts";
import { reportShort } from "../checks/check-durations.ts";
import { nameExpressions } from "../expressions/named-expressions.ts";
import {
  compileCondition,
  compileExpression,
  compileTemplate,
  inside,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

type Given = LifecycleArguments<unknown>;

/** What the names of a machine stand for. */
interface Names {
  readonly guards: Record<string, (given: Given) => boolean>;
  readonly delays: Record<string, (given: Given) => Duration>;
  readonly inputs: Record<string, (given: Given) => Json>;
}

/** A machine, and where its parts are written. */
export interface WrittenLifecycle {
  readonly machine: LifecycleMachine;
  /** A finding about the machine with its place. */
  readonly placed: (problem: Problem) => Problem;
}

/** The machine of a kind; undefined without one, or when something is wrong with it, which is reported. */
export function readLifecycle(
  kindReader: FileReader,
  kindPath: Path,
  form: KindForm,
  source: LifecycleSource | undefined,
  scope: CelScope,
): WrittenLifecycle | undefined {
  const before = kindReader.problems.length;
  const names: Names = { guards: {}, delays: {}, inputs: {} };
  const place: TemplatePlace = { reader: kindReader, path: kindPath, scope };
  const actions = readNames(form, names, place);
  if (source === undefined || kindReader.problems.length > before) return undefined;
  const { reader, path } = source;
  const written = { id: form.kind.toLowerCase(), version: "1", ...(source.config as object) };
  const { config, ...named } = nameExpressions(written);
  const at = (below: Path): TemplatePlace => ({ reader, path: [...path, ...below], scope });
  for (const { what, text, path: below } of named.bare) {
    reader.report({
      code: "EXPRESSION_MISSING",
      path: [...path, ...below],
      message: `"${text}" is neither ${what} nor an expression`,
      remedy: `Write '\${ ${text.replaceAll(/^[\s{$(.]+|[\s})]+$/g, "")} }', if it is meant as one.`,
    });
  }
  for (const [name, each] of Object.entries(named.guards)) {
    names.guards[name] = conditionOf(each.value as string, at(each.path));
  }
  for (const [name, each] of Object.entries(named.delays)) {
    names.delays[name] = delayOf(each.value as string, at(each.path));
  }
  for (const [name, each] of Object.entries(named.inputs)) {
    names.inputs[name] = inputOf(each.value, at(each.path));
  }
  if (named.bare.length > 0) return undefined;
  for (const { text, path: below } of named.short)
    reportShort(Number(text), { reader, path: [...path, ...below] });
  const offsets = reader.offsetsBelow(path);
  const setup = setupLifecycle().extend({
    guards: names.guards,
    delays: names.delays,
    inputs: names.inputs,
    actions,
    effects: Object.keys(form.effects ?? {}),
    tasks: Object.keys(form.tasks ?? {}),
  });
  const placed = (problem: Problem): Problem => ({
    ...problem,
    where: problem.where ?? placeIn(reader, path, offsetOfProblem(offsets, problem)),
  });
  const { machine, problems } = machineOf(
    { config: config as object, problems: [], offsets, placed },
    (made) => setup.createMachine(made) as LifecycleMachine,
  );
  kindReader.add(...problems);
  const isWrong = problems.some(({ severity }) => severity === "error");
  return machine === undefined || isWrong ? undefined : { machine, placed };
}

function placeIn(reader: FileReader, path: Path, offset: number | undefined): string {
  return offset === undefined ? reader.placeOf(path) : reader.placeAtOffset(offset);
}

/** The configuration of a machine, and where it is written. */
export interface LifecycleSource {
  readonly reader: FileReader;
  readonly path: Path;
  readonly config: unknown;
}

/** What the machine remembers: what its context begins with, and what actions add to it. */
export function contextNamesOf({ config }: LifecycleSource, { actions = {} }: KindForm): readonly string[] {
  const { context } = config as { readonly context?: object | null };
  const changed = Object.values(actions).flatMap((fields) => Object.keys(fields));
  return [...new Set([...Object.keys(context ?? {}), ...changed])];
}

/** The configuration of a kind's machine; undefined without one, or when something is wrong with its form, which is reported. */
export function findLifecycle(
  kindReader: FileReader,
  path: Path,
  lifecycle: KindForm["lifecycle"],
): LifecycleSource | undefined {
  if (lifecycle === undefined) return undefined;
  if (typeof lifecycle !== "string") return checked(kindReader, path, lifecycle);
  const file = resolve(dirname(kindReader.file), lifecycle);
  const text = readNamedFile(kindReader, path, file);
  if (text === undefined) return undefined;
  const reader = new FileReader(text, file, kindReader);
  return reader.value === undefined ? undefined : checked(reader, [], reader.value);
}

function checked(reader: FileReader, path: Path, config: unknown): LifecycleSource | undefined {
  const misfits = checkForm(config);
  for (const { path: below, problem } of misfits) {
    const { code, message, remedy } = problem;
    reader.report({ code, path: [...path, ...below], message, remedy });
  }
  return misfits.length > 0 ? undefined : { reader, path, config: withoutNothing(config) };
}

/** Guards, delays and changes of the context by their names. */
function readNames(
  { guards = {}, delays = {}, actions = {} }: KindForm,
  names: Names,
  place: TemplatePlace,
): Readonly<Record<string, (given: Given) => LifecycleContext>> {
  for (const [name, text] of Object.entries(guards)) {
    names.guards[name] = conditionOf(text, inside(place, "guards", name));
  }
  for (const [name, text] of Object.entries(delays)) {
    names.delays[name] = delayOf(text, inside(place, "delays", name));
  }
  return Object.fromEntries(
    Object.entries(actions).map(([name, fields]) => [name, changeOf(fields, inside(place, "actions", name))]),
  );
}

/** A guard. */
export function conditionOf(text: string, place: TemplatePlace): (given: Given) => boolean {
  const says = compileCondition(text, place);
  return (given) => says?.(valuesOf(given)) ?? false;
}

/** A delay. One that is wrong is known all the same: it is reported once. */
export function delayOf(text: string, place: TemplatePlace): (given: Given) => Duration {
  if (durationOf(text) !== undefined) return () => text;
  const render = compileExpression(text, place, {
    types: ["string", "google.protobuf.Duration"],
    what: "a delay",
    example: "duration('10m')",
  });
  return render === undefined ? () => "1m" : (given) => render(valuesOf(given)) as Duration;
}

/** What changes in the context. */
export function changeOf(
  fields: Readonly<Record<string, unknown>>,
  place: TemplatePlace,
): (given: Given) => LifecycleContext {
  const render = compileTemplate(fields, place);
  return (given) => render(valuesOf(given)) as LifecycleContext;
}

/** What a task is given. */
export function inputOf(value: unknown, place: TemplatePlace): (given: Given) => Json {
  const render = compileTemplate(value, place);
  return (given) => render(valuesOf(given)) as Json;
}

/** The variables of a machine's functions. */
function valuesOf({ context, event }: Given): Values {
  const { spec, facts, error } = event;
  const said = error === undefined ? {} : { error: messageOf(error) };
  // In TypeScript both are the event's.
  return { spec, facts, context, event: { ...event, ...said } };
}
