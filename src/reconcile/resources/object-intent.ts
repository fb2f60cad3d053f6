// What one Kubernetes object shall be: rendered from the author's parts, hashed, and compared with the live object by the list rules of
// its type. What the server has made of an intent is remembered here, so that it does not count as drift.
// bound-kubernetes-resource.ts renders by this and decides what follows from it.
import type { KubeObject, Manifest, ManifestOf, OwnerReference } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow } from "../../ports/clock.ts";
import { TerminalError } from "../../ports/operator-error.ts";
import type { Secret } from "../../kinds/builtin/core.ts";
import { withEncodedStringData } from "../../kinds/builtin/secret-value.ts";
import { differencesOf, type Difference } from "../comparison/intent-comparison.ts";
import { storedHash } from "../comparison/intent-hash.ts";
import type { KnownIntent } from "../comparison/known-intents.ts";
import { withoutFields } from "../comparison/kept-fields.ts";
import type { TypeLists } from "../comparison/learned-lists.ts";
import { isBuiltinGroup, type ListRules } from "../comparison/list-types.ts";
import type { KubernetesResourceOptions, Writable } from "./resource-parts.ts";
import { kindNameOf, resourceIndexOf } from "./resource.ts";
import type { ResourceScope } from "./resource-scope.ts";

/** What is to be written. */
export interface Rendered {
  readonly manifest: Manifest;
  /** The same with the fields that are left to others once the object exists. */
  readonly creation: Manifest;
  readonly hash: string;
}

/** What is to be written, and how it compares. */
export interface Intent extends Rendered {
  readonly differences: readonly Difference[];
}

/** The intent of one object in one run. */
export class ObjectIntent<TObject extends KubeObject, TCR extends KubeObject> {
  /** By which lists are compared and merged. */
  readonly rules: ListRules;
  /** What is known of the lists of a custom type. */
  readonly #lists: TypeLists | undefined;
  readonly #options: KubernetesResourceOptions<TObject, TCR>;
  readonly #scope: ResourceScope<TCR>;
  readonly #key: ObjectKey;
  readonly #owner: OwnerReference | undefined;
  /** By which intents are hashed: known from the start. */
  readonly #hashRules: ListRules;
  /** What is known of the intent that was rendered last. */
  #known: KnownIntent | undefined;

  /** `key`: the object's, within its scope. `owner`: the reference that it gets; undefined for none. */
  constructor(
    options: KubernetesResourceOptions<TObject, TCR>,
    scope: ResourceScope<TCR>,
    { key, owner }: { readonly key: ObjectKey; readonly owner: OwnerReference | undefined },
  ) {
    const { type, listKeys } = options;
    this.#options = options;
    this.#scope = scope;
    this.#key = key;
    this.#owner = owner;
    const builtin = isBuiltinGroup(type.group);
    this.#hashRules = { builtin, kind: type.kind, ...(listKeys === undefined ? {} : { listKeys }) };
    this.#lists = builtin ? undefined : scope.memory.lists.of(type);
    this.rules = this.#lists === undefined ? this.#hashRules : { ...this.#hashRules, learned: this.#lists };
  }

  /** Asks the server, once, which lists of a custom type are keyed: before anything is compared. Undefined: nothing is to be waited for. */
  learnLists(): Promise<void> | undefined {
    if (this.#lists === undefined) return undefined;
    const scope = this.#scope;
    const ask = (path: string): Promise<unknown> =>
      scope.client.request({ method: "GET", path, signal: scope.signal });
    return this.#lists.learnSchema(ask, monotonicNow(scope.clock));
  }

  /** What the author's parts fill in. */
  draft(): Writable<ManifestOf<TObject>> {
    const { type } = this.#options;
    const start = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...this.#key } };
    return start as unknown as Writable<ManifestOf<TObject>>;
  }

  /** What is to be written, made of the draft that the author's parts have filled in. Errors: `RESOURCE_RENAMED`. */
  render(draft: Writable<ManifestOf<TObject>>): Rendered {
    const { keep, type } = this.#options;
    const creation = this.#complete(draft as unknown as Manifest);
    const manifest = keep === undefined ? creation : withoutFields(creation, keep);
    const { intents } = this.#scope.memory;
    this.#known = intents.of(resourceIndexOf(type, this.#key), this.#scopeOf(manifest), this.#hashRules);
    return { manifest, creation, hash: this.#known.hash };
  }

  /** Where the live object, written for this very intent, has drifted from it. */
  drift({ manifest, hash }: Rendered, live: TObject | undefined): readonly Difference[] {
    if (live === undefined || storedHash(live) !== hash) return [];
    const known = this.#known;
    if (known?.isMetBy(live) === true) return [];
    const found = this.compare(manifest, live);
    const left = this.#scope.memory.settled.unsettled(live.metadata.uid, hash, found);
    // More may be learned of lists, and an author's function may compare by more than it is given.
    const isFinal = this.#lists === undefined && this.#options.hashedFields === undefined;
    if (left.length === 0 && isFinal && Object.isFrozen(live)) known?.noteMetBy(live);
    return left;
  }

  /** Where the live object differs from a manifest. */
  compare(manifest: Manifest, live: TObject): readonly Difference[] {
    if (this.#options.hashedFields === undefined) return differencesOf(manifest, live, this.rules);
    const { ownerReferences } = manifest.metadata;
    return [
      ...differencesOf(this.#scopeOf(manifest), this.#scopeOf(live), this.rules),
      ...differencesOf(
        { metadata: { ownerReferences } },
        { metadata: { ownerReferences: live.metadata.ownerReferences } },
        this.rules,
      ),
    ];
  }

  /** Remembers what the server has made of an intent. */
  noteForm(made: TObject, { manifest, hash }: Rendered): void {
    const { memory } = this.#scope;
    const { uid } = made.metadata;
    this.#lists?.learn(made);
    memory.fights.wrote(uid, hash);
    memory.settled.remember(uid, hash, this.compare(manifest, made));
  }

  /** Checks that the parts left the identity alone, and adds what every object of ours has. */
  #complete(draft: Manifest): Manifest {
    const { type } = this.#options;
    const metadata: Partial<Manifest["metadata"]> = draft.metadata ?? {};
    const pairs: readonly (readonly [string, unknown, unknown])[] = [
      ["name", metadata.name, this.#key.name],
      ["namespace", metadata.namespace ?? undefined, this.#key.namespace],
      ["kind", draft.kind, type.kind],
      ["apiVersion", draft.apiVersion, apiVersionOf(type)],
    ];
    for (const [field, now, before] of pairs) {
      if (now === before) continue;
      throw new TerminalError(
        "RESOURCE_RENAMED",
        `a part of ${kindNameOf(type, this.#key)} changed its ${field} from "${String(before)}" to "${String(now)}"`,
        { remedy: "Name the object in key and type; the parts fill in the rest." },
      );
    }
    const { status: _status, ...declared } = draft as Manifest & { readonly status?: unknown };
    const encoded: Manifest = isSecret(type)
      ? withEncodedStringData<Manifest & SecretTexts>(declared)
      : declared;
    if (this.#owner === undefined) return encoded;
    const ownerReferences = [...(encoded.metadata.ownerReferences ?? []), this.#owner];
    return { ...encoded, metadata: { ...encoded.metadata, ownerReferences } };
  }

  /** What is compared and hashed of an object. */
  #scopeOf(object: Manifest | TObject): unknown {
    const { hashedFields } = this.#options;
    return hashedFields === undefined ? object : hashedFields(object as unknown as ManifestOf<TObject>);
  }
}

/** The live object as the parts are given it; it is noted when one of them asks for it. */
export class GivenLive<TObject> {
  readonly #live: TObject | undefined;
  readonly #onAsked: () => void;

  constructor(live: TObject | undefined, onAsked: () => void) {
    this.#live = live;
    this.#onAsked = onAsked;
  }

  get live(): TObject | undefined {
    this.#onAsked();
    return this.#live;
  }
}

/** Whether values of the type are not to be shown. */
export function isSecret({ group, kind }: ResourceType): boolean {
  return group === "" && kind === "Secret";
}

type SecretTexts = Pick<Secret, "data" | "stringData">;
