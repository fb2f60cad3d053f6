// The Secrets that the runs of each custom resource have read, and the Kubernetes Events about it without their values.
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { KubeObject } from "../../meta/object.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { noSecrets, type SecretKeeper } from "../../ports/secret-keeper.ts";
import { SecretValues } from "../../reconcile/secrets/secret-values.ts";

/** Custom resources whose Secrets are remembered between two runs: an error may be told after the run that read them. */
const remembered = 1_000;

/** What the runs of one controller have read. */
export class RunSecrets {
  readonly #byOwner = new BoundedMap<string, SecretValues>(remembered);
  readonly #keeper: SecretKeeper;
  readonly #words: ReadonlySet<string>;

  /** `keeper` knows what others have read; `words` are no secret whatever a Secret says. */
  constructor(keeper: SecretKeeper = noSecrets, words: ReadonlySet<string> = new Set()) {
    this.#keeper = keeper;
    this.#words = words;
  }

  /** The Secrets read for a custom resource. */
  of({ kind, metadata: { uid, name, namespace = "" } }: KubeObject): SecretValues {
    const isPublic = (found: string): boolean =>
      this.#words.has(found) || found === kind || found === name || found === namespace;
    const secrets = this.#byOwner.get(uid) ?? new SecretValues(isPublic, this.#keeper);
    this.#byOwner.set(uid, secrets);
    return secrets;
  }

  /** A text about a custom resource without the values of what was read for it. */
  mask(uid: string, text: string): string {
    return this.#byOwner.get(uid)?.mask(text) ?? this.#keeper.mask(text);
  }
}

/** A recorder whose Events hold no value of a Secret that was read for their object. */
export function withoutSecrets(events: EventRecorder, secrets: RunSecrets): EventRecorder {
  return {
    record: (regarding, event) =>
      events.record(regarding, { ...event, note: secrets.mask(regarding.metadata.uid, event.note) }),
    flush: (signal) => events.flush(signal),
    get dropped() {
      return events.dropped;
    },
  };
}
