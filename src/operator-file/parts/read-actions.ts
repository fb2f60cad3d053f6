// What is done at once: a patch of an object, a deletion, an Event, a call of a service. For effects of moves, for tasks, and for what
// undoes a task.
import { isNotFound } from "../../client/api-error.ts";
import { isAlreadyExists } from "../../client/api-error.ts";
import { KubernetesEvent } from "../../kinds/builtin/events.ts";
import type { Json, KubeObject, ManifestOf } from "../../meta/object.ts";
import type { Permission } from "../../meta/permission.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { EffectForm, HttpForm } from "../form/file-form.ts";
import { checkReason } from "../checks/check-names.ts";
import type { KnownTypes } from "./known-types.ts";
import { compileHttp, http } from "./read-calls.ts";
import { compileKey } from "./read-values.ts";
import {
  compileName,
  compileTemplate,
  inside,
  type TemplatePlace,
  type Values,
} from "../expressions/template.ts";

/** The kinds of what is done at once, and is a task as well. */
export const actionNames = ["patch", "delete", "event"] as const;

const effectNames = [...actionNames, "http"] as const;

/** Something that is done at once. */
export interface WrittenAction {
  readonly permissions: readonly Permission[];
  /** Does it; the same once more does no harm. `id` is the same each time that it is one and the same. */
  readonly run: (context: HookContext<KubeObject>, values: Values, id: string) => Promise<void>;
}

/** Compiles what is done; undefined when it is not exactly one thing, which is reported. */
export function compileAction(
  form: EffectForm,
  place: TemplatePlace,
  types: KnownTypes,
  operator: string,
): WrittenAction | undefined {
  const given = effectNames.filter((name) => form[name] !== undefined);
  if (given.length !== 1) {
    place.reader.report({
      code: "ACTION_INVALID",
      path: place.path,
      message: given.length === 0 ? "nothing is done here" : `${given.join(" and ")} are two things to do`,
      remedy: `Write one of ${effectNames.join(", ")}.`,
    });
    return undefined;
  }
  if (form.patch !== undefined) return patchOf(form.patch, inside(place, "patch"), types, operator);
  if (form.delete !== undefined) return deletionOf(form.delete, inside(place, "delete"), types);
  if (form.http !== undefined) return callOf(form.http, inside(place, "http"));
  return form.event === undefined ? undefined : eventOf(form.event, inside(place, "event"), operator);
}

function patchOf(
  form: Required<EffectForm>["patch"],
  place: TemplatePlace,
  types: KnownTypes,
  operator: string,
): WrittenAction | undefined {
  const key = compileKey(form, place, types);
  const body = compileTemplate(form.patch, inside(place, "patch"));
  if (key === undefined) return undefined;
  const { type, keyOf } = key;
  return {
    permissions: [{ type, verbs: ["patch"] }],
    run: async (context, values) => {
      const { client, signal } = context;
      await client.patch(
        type,
        keyOf(context, values),
        { type: "merge", body: body(values) as Json as object },
        { fieldManager: operator, signal },
      );
    },
  };
}

function deletionOf(
  form: Required<EffectForm>["delete"],
  place: TemplatePlace,
  types: KnownTypes,
): WrittenAction | undefined {
  const key = compileKey(form, place, types);
  if (key === undefined) return undefined;
  const { type, keyOf } = key;
  return {
    permissions: [{ type, verbs: ["delete"] }],
    run: async (context, values) => {
      const { client, signal } = context;
      try {
        await client.delete(type, keyOf(context, values), { propagationPolicy: "Background", signal });
      } catch (error: unknown) {
        if (!isNotFound(error)) throw error;
      }
    },
  };
}

/** A call that is answered at once; asked again with the same key where no answer came. */
function callOf(form: HttpForm, place: TemplatePlace): WrittenAction {
  const call = compileHttp(form, place);
  return {
    permissions: [],
    run: async ({ cr, signal }, values, id) => {
      await http.send({
        method: "POST",
        ...call(values),
        idempotencyKey: `${cr.metadata.uid}.${id}`,
        signal,
      });
    },
  };
}

function eventOf(form: Required<EffectForm>["event"], place: TemplatePlace, operator: string): WrittenAction {
  const message = compileName(form.message, inside(place, "message"));
  const { reason, type = "Normal" } = form;
  checkReason(reason, inside(place, "reason"));
  return {
    permissions: [{ type: KubernetesEvent, verbs: ["create"] }],
    run: async ({ cr, client, clock, signal }, values, id) => {
      const { name, namespace = "default", uid } = cr.metadata;
      const { resourceVersion } = cr.metadata;
      const event: ManifestOf<KubernetesEvent> = {
        apiVersion: apiVersionOf(KubernetesEvent),
        kind: KubernetesEvent.kind,
        // One of the same name is the same Event.
        metadata: { name: `${name}.${id.toLowerCase()}`.slice(0, 253), namespace },
        eventTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
        type,
        reason,
        note: message(values).slice(0, 1_024),
        action: reason,
        reportingController: operator,
        reportingInstance: operator,
        regarding: {
          apiVersion: cr.apiVersion,
          kind: cr.kind,
          name,
          namespace: cr.metadata.namespace ?? "",
          uid,
          resourceVersion,
        },
      };
      try {
        await client.create(KubernetesEvent, event, { signal });
      } catch (error: unknown) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
  };
}
