// Admission: who is asked before a write is stored, in Kubernetes' order. First the mutating policies, then the mutating webhooks,
// one after the other by their names, once more for those that want to see what later ones have changed; after validation the policies, then
// the validating webhooks, all at once. Nothing here changes the storage.
import { equal } from "../../../schema/json-value.ts";
import type { Authorizer } from "../access/access-attributes.ts";
import type { ApiObject, Fields } from "../api-object.ts";
import { answered } from "../awaited-answers.ts";
import type { ServedType } from "../served-type.ts";
import { internalError, StatusError } from "../status-error.ts";
import type { Random } from "../../../ports/random.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { TypeRegistry } from "../type-registry.ts";
import { admissionRequest, type AdmissionAttributes } from "./admission-attributes.ts";
import { askPolicies, readPolicies, type AdmissionPolicy } from "./admission-policies.ts";
import { mutateByPolicy, readMutatingPolicies, type MutatingPolicy } from "./mutating-policies.ts";
import { askWebhook, isWanted, readWebhooks, type AdmissionWebhook } from "./admission-webhooks.ts";
import { matchedType, type MatchCriteria } from "./matching.ts";
import { patchedObject } from "./patched-object.ts";
import { Registered } from "./registered.ts";
import { isAboutResource } from "./webhook-rules.ts";

/** What admission made of a write. */
export interface Admitted {
  readonly object: Fields | undefined;
  readonly warnings: readonly string[];
}

/** Reads a patched object into the shape that the write needs. Errors: TypeError about a value of the wrong type. */
export type DecodeObject = (object: Fields) => Fields;

const group = "admissionregistration.k8s.io";

/** What admission looks up. */
export interface AdmissionSource {
  readonly store: ObjectStore;
  readonly registry: TypeRegistry;
  readonly random: Random;
  readonly authorizer: Authorizer;
}

/** The admission of one API server. */
export class Admission {
  readonly #mutating: Registered<AdmissionWebhook>;
  readonly #validating: Registered<AdmissionWebhook>;
  readonly #policies: Registered<AdmissionPolicy>;
  readonly #mutatingPolicies: Registered<MutatingPolicy>;

  readonly #source: AdmissionSource;

  constructor(source: AdmissionSource) {
    const { store } = source;
    this.#source = source;
    this.#mutating = new Registered(store, [`mutatingwebhookconfigurations.${group}`], readWebhooks);
    this.#validating = new Registered(store, [`validatingwebhookconfigurations.${group}`], readWebhooks);
    const spacesOf = (word: string): readonly string[] =>
      ["policies", "policybindings"].map((each) => `${word}admission${each}.${group}`);
    this.#policies = new Registered(store, spacesOf("validating"), readPolicies);
    this.#mutatingPolicies = new Registered(store, spacesOf("mutating"), readMutatingPolicies);
  }

  /** Whether a write to a type may concern anybody. Costs nothing while nobody is registered. */
  concerns(type: ServedType, subresource: string | undefined): boolean {
    const mutating = this.#mutating.all();
    const validating = this.#validating.all();
    const policies = [...policiesAbout(type, this.#mutatingPolicies), ...policiesAbout(type, this.#policies)];
    if (mutating.length === 0 && validating.length === 0 && policies.length === 0) return false;
    // What decides about admission is not decided on by it, lest nobody could correct it.
    if (type.group === group) return false;
    const types = this.#source.registry.ofStorage(type.storageKey);
    return [...mutating, ...validating, ...policies].some(({ criteria }) =>
      criteria.rules.some((rule) =>
        types.some(({ group: name, plural }) => isAboutResource(rule, { group: name, plural, subresource })),
      ),
    );
  }

  /**
   * Asks the mutating policies, then the mutating webhooks; where one has changed the object, the server settles it once more, and those
   * that want to see that are asked again. Errors: StatusError for a refusal.
   */
  async mutate(
    attributes: AdmissionAttributes,
    decode: DecodeObject,
    settle: (object: Fields) => Fields = (object) => object,
  ): Promise<Admitted> {
    const warnings: string[] = [];
    let current = attributes.object;
    let isChanged = false;
    const mutators = [
      ...policiesAbout(attributes.type, this.#mutatingPolicies).map((policy) =>
        this.#byPolicy(policy, decode),
      ),
      ...this.#mutating.all().map((webhook) => this.#byWebhook(webhook, decode, warnings)),
    ];
    /** Those that were called and want to be called again if others change the object. */
    let reinvocable = new Set<Mutator>();
    let again = new Set<Mutator>();
    for (const isSecond of [false, true]) {
      if (isSecond) {
        if (!isChanged || current === undefined) break;
        const settled = settle(current);
        if (!equal(settled, current)) again = new Set([...again, ...reinvocable]);
        current = settled;
      }
      for (const mutator of mutators) {
        if (isSecond && !again.has(mutator)) continue;
        const outcome = await mutator.change({ ...attributes, object: current });
        if (outcome === "passed by") continue;
        const changed = outcome ?? current;
        if (!equal(changed, current)) {
          again = new Set([...again, ...reinvocable]);
          reinvocable = new Set();
          isChanged = true;
          current = changed;
        }
        if (mutator.reinvoked) reinvocable.add(mutator);
      }
    }
    return { object: current, warnings };
  }

  #byWebhook(webhook: AdmissionWebhook, decode: DecodeObject, warnings: string[]): Mutator {
    return {
      reinvoked: webhook.reinvoked,
      change: async (attributes) => {
        const outcome = await this.#change(webhook, attributes, warnings);
        return outcome === undefined || outcome === "passed by" ? outcome : decodeWith(decode, outcome);
      },
    };
  }

  #byPolicy(policy: MutatingPolicy, decode: DecodeObject): Mutator {
    return {
      reinvoked: policy.reinvoked,
      change: async (attributes) => {
        const seen = await seenBy(this.#source, policy, attributes);
        if (seen?.object === undefined) return "passed by";
        const { type, object, request } = seen;
        const decoded = type === attributes.type ? decode : (each: Fields): Fields => each;
        const changed = mutateByPolicy(this.#source, policy, attributes, { type, object, request }, decoded);
        return type === attributes.type
          ? changed
          : decode(await convert(type, attributes.type, changed as ApiObject));
      },
    };
  }

  /** Asks the policies, then the validating webhooks; their warnings. Errors: StatusError for a refusal. */
  async validate(attributes: AdmissionAttributes): Promise<readonly string[]> {
    const seen = async (policy: AdmissionPolicy): Promise<Fields | undefined> =>
      (await seenBy(this.#source, policy, attributes))?.request;
    const policies = policiesAbout(attributes.type, this.#policies);
    const warnings = [...(await askPolicies(this.#source, policies, attributes, seen))];
    const refusals: unknown[] = [];
    const matching = await Promise.all(
      this.#validating
        .all()
        .map(async (webhook) => ({ webhook, seen: await seenBy(this.#source, webhook, attributes) })),
    );
    const wanted = matching.filter(
      ({ webhook, seen }) => seen !== undefined && isWanted(this.#source, webhook, attributes, seen.request),
    );
    await Promise.all(
      wanted.map(async ({ webhook, seen }) => {
        try {
          await askWebhook(this.#source, webhook, seen?.request ?? {}, { mutating: false, warnings });
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    if (refusals.length > 0) throw withWarnings(refusals[0], warnings);
    return warnings;
  }

  /** The object as a webhook changes it; undefined: it changes nothing. */
  async #change(
    webhook: AdmissionWebhook,
    attributes: AdmissionAttributes,
    warnings: string[],
  ): Promise<Fields | undefined | "passed by"> {
    const seen = await seenBy(this.#source, webhook, attributes);
    if (seen === undefined || !isWanted(this.#source, webhook, attributes, seen.request)) return "passed by";
    try {
      const answer = await askWebhook(this.#source, webhook, seen.request, { mutating: true, warnings });
      if (answer?.patch === undefined || seen.object === undefined) return undefined;
      const { subresource } = attributes;
      const isWhole = subresource === undefined || subresource === "status";
      const patched = patchedObject(seen.type, seen.object, answer.patch, isWhole);
      return seen.type === attributes.type
        ? patched
        : await convert(seen.type, attributes.type, patched as ApiObject);
    } catch (error) {
      throw withWarnings(error, warnings);
    }
  }
}

/** Policies do not decide on reviews, lest nobody could be known or allowed anything any more. */
function policiesAbout<T>({ review }: ServedType, registered: Registered<T>): readonly T[] {
  return review === true ? [] : registered.all();
}

/** Who may change a write: a policy or a webhook. */
interface Mutator {
  /** Whether it is asked again when others have changed the object after it. */
  readonly reinvoked: boolean;
  /** The object as it is left; undefined: nothing is changed. */
  readonly change: (attributes: AdmissionAttributes) => Promise<Fields | undefined | "passed by">;
}

interface SeenWrite {
  readonly type: ServedType;
  readonly object: Fields | undefined;
  readonly request: Fields;
}

/** The write as a webhook or a policy sees it; undefined: it is none of its business. */
async function seenBy(
  source: AdmissionSource,
  { criteria }: { readonly criteria: MatchCriteria },
  attributes: AdmissionAttributes,
): Promise<SeenWrite | undefined> {
  const type = matchedType(source, criteria, attributes);
  if (type === undefined) return undefined;
  const { object, oldObject, kind, subresource } = attributes;
  const isWhole = subresource === undefined || subresource === "status";
  if (type === attributes.type || !isWhole) return { type, object, request: admissionRequest(attributes) };
  const shown = {
    type,
    kind: { group: type.group, version: type.version, kind: kind.kind },
    object: object === undefined ? undefined : await convert(attributes.type, type, object as ApiObject),
    oldObject: oldObject === undefined ? undefined : await convert(attributes.type, type, oldObject),
  };
  return { type, object: shown.object, request: admissionRequest(attributes, shown) };
}

/** An object in another version of its type. */
function convert(from: ServedType, to: ServedType, object: ApiObject): Promise<ApiObject> {
  return answered(() => to.fromStorage(from.toStorage(object)));
}

function decodeWith(decode: DecodeObject, object: Fields): Fields {
  try {
    return decode(object);
  } catch (error) {
    throw error instanceof TypeError ? internalError(error.message) : error;
  }
}

function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (error instanceof StatusError) error.warnings = [...error.warnings, ...warnings];
  return error;
}
