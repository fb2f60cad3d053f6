// What an author says about admission: types alone.
import type { Duration } from "../../ports/duration.ts";
import type { KubeObject } from "../../meta/object.ts";

/** Why something is refused. */
export interface Refusal {
  /** A sentence for the user who made the request. */
  readonly message: string;
  /** The field that is wrong, from the object's root: `spec.storage.size`, `spec.ports[0].name`. Without one it is the whole request. */
  readonly field?: string;
  /** Default `FieldValueInvalid`. */
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate"
    | "FieldValueNotSupported";
}

/** What a webhook function may return; nothing, or an empty list, allows the request. */
export type Refusals = readonly Refusal[] | undefined | void;

/** The parts of a review that every webhook function is given. */
export interface AdmissionCall {
  /** Who makes the request. */
  readonly userInfo: {
    /** For instance `alice`, or `system:serviceaccount:shop:deployer`. */
    readonly username: string;
    /** Tells users of one name apart over time; absent where the authenticator knows none. */
    readonly uid?: string;
    /** For instance `system:authenticated`. */
    readonly groups: readonly string[];
    /** What else the authenticator says; absent when it says nothing. */
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** Nothing of the request is stored: the function must not change anything either. */
  readonly dryRun: boolean;
  /** Aborted when the API server does not wait any longer. */
  readonly signal: AbortSignal;
  /** Shows a sentence to the user, whatever becomes of the request; kubectl prints it. Cut off after 256 characters. */
  readonly warn: (message: string) => void;
}

/** What a function is given that judges or changes what is to be stored. */
export type WriteCall<TCR extends KubeObject> = AdmissionCall &
  (
    | { readonly operation: "CREATE"; readonly object: TCR; readonly oldObject: undefined }
    | { readonly operation: "UPDATE"; readonly object: TCR; readonly oldObject: TCR }
  );

/** What a function is given that judges a deletion. */
export type DeleteCall<TCR extends KubeObject> = AdmissionCall & {
  /** Tells it apart from the others. */
  readonly operation: "DELETE";
  /** What is to be deleted. */
  readonly oldObject: TCR;
};

/**
 * The admission webhooks of a kind: functions that the API server calls before it stores an object of the kind. Every replica serves
 * them, also one that does not lead, and before its caches are filled.
 */
export interface WebhookOptions<TCR extends KubeObject> {
  /**
   * Judges what is to be created or updated, after the schema and the rules of the kind. The kind's own `checkChange` and the checks in
   * its zod schema that the API server does not know are asked before; `true` asks them alone. Not called for an update of nothing but
   * metadata of an object that is being deleted: that must never be kept from its end. Default none of this.
   */
  readonly validate?: ((call: WriteCall<TCR>) => Refusals | Promise<Refusals>) | true;
  /** Judges deletions; default none is refused. While it cannot be called, nothing of the kind can be deleted, and no namespace that has some. */
  readonly validateDelete?: (call: DeleteCall<TCR>) => Refusals | Promise<Refusals>;
  /**
   * Changes what is to be created or updated, before it is validated: returns the changed object, or changes the one that it is given, a
   * copy. The object has the defaults of the schema but may not fit it yet; what is thrown because of that is answered with what is
   * wrong. Must be idempotent, and give for one object always the same.
   */
  readonly mutate?: (call: WriteCall<TCR>) => TCR | undefined | void | Promise<TCR | undefined | void>;
  /** What happens to a request when no replica answers; default "Fail": it is refused. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** How long the API server waits for an answer: whole seconds, 1 s to 30 s; default 10 s. */
  readonly timeout?: Duration;
}
