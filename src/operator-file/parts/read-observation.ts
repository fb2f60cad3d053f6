// How the application of a kind in a file is observed: what is read, and which state follows from it.
import type { Observation } from "../../lifecycle/observation.ts";
import type { Json, KubeObject } from "../../meta/object.ts";
import type { Permission } from "../../meta/permission.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { meantBy } from "../../ports/misspelling.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import type { ObserveForm } from "../form/file-form.ts";
import type { KnownTypes } from "./known-types.ts";
import { compileReads } from "./read-values.ts";
import {
  compileCondition,
  compileName,
  compileTemplate,
  inside,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

/** The observer of a kind. */
export interface WrittenObserver {
  readonly observe: (context: HookContext<KubeObject>) => Promise<Observation> | Observation;
  readonly reads: readonly ResourceType[];
  readonly permissions: readonly Permission[];
}

/** Reads the observer of a kind; what is wrong with it is reported. `valuesIn` is what is read for the whole kind. */
export function readObserver(
  form: ObserveForm,
  place: TemplatePlace,
  types: KnownTypes,
  kind: Kind<KubeObject>,
  valuesIn: (context: HookContext<KubeObject>) => Values,
): WrittenObserver {
  const reads = compileReads(form.read ?? {}, inside(place, "read"), types);
  const here: TemplatePlace = { ...place, scope: reads.scope };
  const states = (form.states ?? []).map(({ state, when }, index) => {
    const entry = inside(here, "states", String(index));
    refuseUnknownWord(state, inside(entry, "state"), kind);
    return {
      state,
      applies: when === undefined ? undefined : compileCondition(when, inside(entry, "when")),
    };
  });
  const facts = Object.entries(form.facts ?? {}).map(
    ([name, value]) => [name, compileTemplate(value, inside(here, "facts", name))] as const,
  );
  const message = form.message === undefined ? undefined : compileName(form.message, inside(here, "message"));
  return {
    reads: reads.types,
    permissions: reads.permissions,
    observe: (context) => {
      const read = reads.read(context, valuesIn(context));
      return read instanceof Promise ? read.then(seenIn) : seenIn(read);
    },
  };

  function seenIn(values: Values): Observation {
    const seen = states.find(({ applies }) => applies?.(values) !== false);
    const known = facts.flatMap(([name, render]) => {
      const value = render(values);
      return value === undefined ? [] : [[name, value as Json] as const];
    });
    return {
      ...(seen === undefined ? {} : { state: seen.state }),
      ...(known.length === 0 ? {} : { facts: Object.fromEntries(known) }),
      ...(message === undefined ? {} : { message: message(values) }),
    };
  }
}

/** A word that is no state and that no edge takes would be observed for nothing. */
function refuseUnknownWord(
  word: string,
  { reader, path }: TemplatePlace,
  { lifecycle }: Kind<KubeObject>,
): void {
  const { states = [], index } = lifecycle ?? {};
  const taken = (index?.graph.edges ?? []).flatMap(({ event }) =>
    event.startsWith("observed.") ? [event.slice("observed.".length)] : [],
  );
  const known = [...new Set([...states, ...taken])];
  if (known.includes(word)) return;
  const meant = meantBy(word, known);
  reader.report({
    code: "OBSERVATION_UNKNOWN",
    path,
    message: `"${word}" is no state, and no edge takes observed.${word}`,
    remedy: meant === undefined ? `Known are: ${known.join(", ")}.` : `Did you mean "${meant}"?`,
  });
}
