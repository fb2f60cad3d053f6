// The lifecycle of a kind in a file: XState's configuration, inline or in a file of its own, with the guards, delays, changes of the
// context and inputs that its names stand for.
import { dirname, resolve } from "node:path";
import { setupLifecycle, type LifecycleMachine } from "../../machines/lifecycle-machine.ts";
import type { LifecycleArguments, LifecycleContext } from "../../machines/lifecycle-events.ts";
import { checkForm, withoutNothing } from "../machine-file/machine-form.ts";
import { offsetOfProblem } from "../machine-file/place-of-problem.ts";
import { machineOf } from "../machine-file/read-machine.ts";
import type { Json } from "../meta/object.ts";
import type { Duration } from "../ports/duration.ts";
import { durationOf } from "../ports/duration.ts";
import { messageOf } from "../ports/operator-error.ts";
import type { Problem } from "../ports/problem.ts";
import { isJsonArray, isJsonObject } from "../schema/json-value.ts";
import type { CelScope } from "../schema/cel/cel-scope.ts";
import type { KindForm } from "./file-form.ts";
import { FileReader, readNamedFile, type Path } from "./file-reader.ts";
import {
  compileCondition,
  compileExpression,
  compileTemplate,
  inside,
  type Render,
  type TemplatePlace,
  type Values,
} from "./template.ts";

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
  scope: CelScope,
): WrittenLifecycle | undefined {
  const before = kindReader.problems.length;
  const source = sourceOf(kindReader, [...kindPath, "lifecycle"], form.lifecycle);
  const names: Names = { guards: {}, delays: {}, inputs: {} };
  const place: TemplatePlace = { reader: kindReader, path: kindPath, scope };
  const actions = readNames(form, names, place);
  if (source === undefined || kindReader.problems.length > before) return undefined;
  const { reader, path } = source;
  const written = { id: form.kind.toLowerCase(), version: "1", ...(source.config as object) };
  const config = withIds(withExpressions(written, names, { reader, path, scope }));
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
  kindReader.problems.push(...problems);
  const isWrong = problems.some(({ severity }) => severity === "error");
  return machine === undefined || isWrong ? undefined : { machine, placed };
}

function placeIn(reader: FileReader, path: Path, offset: number | undefined): string {
  return offset === undefined ? reader.placeOf(path) : reader.placeAtOffset(offset);
}

/** The configuration of a machine, and where it is written. */
function sourceOf(
  kindReader: FileReader,
  path: Path,
  lifecycle: KindForm["lifecycle"],
): { readonly reader: FileReader; readonly path: Path; readonly config: unknown } | undefined {
  if (lifecycle === undefined) return undefined;
  if (typeof lifecycle !== "string") return checked(kindReader, path, lifecycle);
  const file = resolve(dirname(kindReader.file), lifecycle);
  const text = readNamedFile(kindReader, path, file);
  if (text === undefined) return undefined;
  const reader = new FileReader(text, file, kindReader);
  return reader.value === undefined ? undefined : checked(reader, [], reader.value);
}

function checked(
  reader: FileReader,
  path: Path,
  config: unknown,
): { readonly reader: FileReader; readonly path: Path; readonly config: unknown } | undefined {
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
    const says = compileCondition(text, inside(place, "guards", name));
    names.guards[name] = (given) => says?.(valuesOf(given)) ?? false;
  }
  for (const [name, text] of Object.entries(delays)) {
    // One that is wrong is known all the same: it is reported once.
    names.delays[name] = delayOf(text, inside(place, "delays", name)) ?? (() => "1m");
  }
  return Object.fromEntries(
    Object.entries(actions).map(([name, fields]) => {
      const render = compileTemplate(fields, inside(place, "actions", name));
      return [name, (given: Given) => render(valuesOf(given)) as LifecycleContext];
    }),
  );
}

function delayOf(text: string, place: TemplatePlace): ((given: Given) => Duration) | undefined {
  if (durationOf(text) !== undefined) return () => text;
  const render = compileExpression(text, place, {
    types: ["string", "google.protobuf.Duration"],
    what: "a delay",
    example: "duration('10m')",
  });
  return render === undefined ? undefined : (given) => render(valuesOf(given)) as Duration;
}

/** The variables of a machine's functions. */
function valuesOf({ context, event }: Given): Values {
  const { spec, facts, error, ...rest } = event;
  const said = error === undefined ? {} : { error: messageOf(error) };
  return { spec, facts, context, event: { ...rest, ...said } };
}

/** The configuration with a name in place of each expression: of guards and delays the expression's own text. */
function withExpressions(value: unknown, names: Names, place: TemplatePlace): unknown {
  if (isJsonArray(value)) {
    return value.map((each, index) => withExpressions(each, names, inside(place, String(index))));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const here = inside(place, name);
      if (name === "guard" && isExpression(each)) return [name, guardName(each, names, here)];
      if (name === "after" && isJsonObject(each)) return [name, withDelays(each, names, here)];
      if (name === "input" && place.path.includes("invoke")) return [name, inputName(each, names, here)];
      return [name, withExpressions(each, names, here)];
    }),
  );
}

/** A task that is invoked at one place only needs no id: its records go by its name. */
function withIds(config: unknown): unknown {
  const invoked: string[] = [];
  const visit = (value: unknown, change: (invoke: Readonly<Record<string, unknown>>) => unknown): unknown => {
    if (isJsonArray(value)) return value.map((each) => visit(each, change));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        if (name !== "invoke") return [name, visit(each, change)];
        const invokes = isJsonArray(each) ? each : [each];
        return [name, invokes.map((invoke) => (isJsonObject(invoke) ? change(invoke) : invoke))];
      }),
    );
  };
  visit(config, (invoke) => invoked.push(String(invoke["src"])));
  return visit(config, (invoke) => {
    const isOnly = invoked.filter((src) => src === invoke["src"]).length === 1;
    return isOnly ? { id: invoke["src"], ...invoke } : invoke;
  });
}

function isExpression(value: unknown): value is string {
  return typeof value === "string" && value.trimStart().startsWith("${");
}

/** What is between the braces. */
function bare(text: string): string {
  return text.trim().slice(2, -1).trim();
}

function guardName(text: string, names: Names, place: TemplatePlace): string {
  const says = compileCondition(text, place);
  names.guards[bare(text)] = (given) => says?.(valuesOf(given)) ?? false;
  return bare(text);
}

function withDelays(after: Readonly<Record<string, unknown>>, names: Names, place: TemplatePlace): object {
  return Object.fromEntries(
    Object.entries(after).map(([delay, edges]) => {
      const inner = withExpressions(edges, names, inside(place, delay));
      if (!isExpression(delay)) return [delay, inner];
      names.delays[bare(delay)] = delayOf(delay, inside(place, delay)) ?? (() => "1m");
      return [bare(delay), inner];
    }),
  );
}

function inputName(value: unknown, names: Names, place: TemplatePlace): string {
  const render: Render = compileTemplate(value, place);
  const name = `input ${Object.keys(names.inputs).length + 1}`;
  names.inputs[name] = (given) => render(valuesOf(given)) as Json;
  return name;
}
