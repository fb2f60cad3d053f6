// One served API type: what the registry, the verbs, discovery and the representations need to know of it.
// Built-in ones are declared in builtin/, custom ones come from a CRD in custom/.
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ApiObject, Fields } from "./api-object.ts";
import type { DefaultsOptions } from "../../schema/apply-defaults.ts";
import type { StructuralSchema } from "../../schema/structural-schema.ts";
import type { StatusCause } from "../../schema/status-cause.ts";
import type { ApiUser } from "./requests/users.ts";
import type { SelectableFields } from "./selectors/selectable-fields.ts";

/** A body read into the shape of a type. */
export interface IncomingShape {
  readonly object: ApiObject;
  /** Paths of fields that the type does not have. */
  readonly unknownFields: readonly string[];
  /** Texts about values of the wrong type. */
  readonly typeErrors: readonly string[];
}

/** Where the scale subresource finds its numbers, as JSON paths like `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One column of a table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 show only with `-o wide`. */
  readonly priority?: number;
  /** The cell of an object. `now` is in milliseconds. */
  cell(object: ApiObject, now: number): unknown;
}

/** The write that an object is settled in. */
export interface SettledWrite {
  readonly user: ApiUser;
  readonly subresource: string | undefined;
  /** As `metav1.Time`. */
  readonly now: string;
  /** Makes a uid. */
  newUid(): string;
}

/** What a create or update does to the objects of one type besides the general rules. */
export interface TypeBehaviour {
  /** Adds the defaults, in place; `keepNulls` as in src/schema/apply-defaults.ts. */
  setDefaults?(object: ApiObject, options?: DefaultsOptions): void;
  /** Settles what the client may not decide, in place: `previous` is absent on create. */
  prepare?(object: ApiObject, previous: ApiObject | undefined, write: SettledWrite): void;
  /** Faults of the object; `previous` is absent on create. */
  validate?(
    object: ApiObject,
    previous: ApiObject | undefined,
    subresource: string | undefined,
  ): readonly StatusCause[];
  /** Said to who writes a valid object; `previous` is absent on create. */
  warnings?(object: ApiObject, previous: ApiObject | undefined): readonly string[];
  /**
   * Takes what only one object of the cluster may have, before the object is validated; faults, or a refusal of another kind that
   * is thrown. `previous` is absent on create.
   */
  claim?(object: ApiObject, previous: ApiObject | undefined): readonly StatusCause[];
  /** The current object with that of the next one which only a subresource may write; absent: it has no such subresource. */
  writtenPart?(subresource: string | undefined, next: ApiObject, current: ApiObject): ApiObject | undefined;
  /**
   * Whether something is filled in only where the new object, as `prepare` leaves it, is read from the storage: then the first update
   * stores it again, even if it changes nothing.
   */
  isCompletedByReading?(object: ApiObject): boolean;
  /** The object as it is read from the storage, if that is another one: then the next update stores it again, even if it changes nothing. */
  asRead?(object: ApiObject): ApiObject;
  /** The status of a new object is taken as it is sent; else it is empty. */
  readonly keepsGivenStatus?: boolean;
  /** Whether the change from `previous` raises the generation; absent: the type counts no generations. */
  raisesGeneration?(object: ApiObject, previous: ApiObject): boolean;
  /** What is then settled away counts for that, too. */
  readonly countsBeforeSettling?: boolean;
  /** Seconds of grace that a deletion gives, which has asked for some or not; 0 deletes at once. */
  gracePeriod?(object: ApiObject, asked: number | undefined): number;
  /** Said of a deletion without a policy, which orphans the dependents of this type; absent: it deletes them. */
  readonly orphaningWarning?: string;
  /** A deletion without a policy orphans the dependents and says nothing of it. */
  readonly orphansSilently?: boolean;
  /** Metadata is held to what all types ask for: of a new object after all else, and with any finalizers. Default false. */
  readonly hasPlainMetadata?: boolean;
  /** Nothing depends on an object, whatever a deletion asks for. Default false. */
  readonly hasNoDependents?: boolean;
  /** The storage of a type of which the object of the same name is deleted as soon as one of this type is gone. */
  readonly deletesNamesake?: string;
  /** Whether something other than finalizers keeps an object that is being deleted. */
  isHeld?(object: ApiObject): boolean;
  /** Settles what the start of a deletion changes besides its timestamp, in place. */
  prepareDeletion?(object: ApiObject): void;
  /** Whoever deletes an object sets no more than the time: neither a period of grace nor a generation. */
  readonly marksOnlyTime?: boolean;
  /** Annotations that an object has of which nothing else is known, as in bookmarks. */
  readonly unsetAnnotations?: Readonly<Record<string, string>>;
  /** A PUT of an absent object creates it. */
  readonly createOnUpdate?: boolean;
  /** A PUT without resourceVersion is refused. */
  readonly needsResourceVersion?: boolean;
}

/** Conversion by a webhook, which has to be asked. */
export interface VersionConversion {
  /** Asks for all of these at once, where answers can be awaited; nothing is asked for what is known. Errors: StatusError. */
  askNow(objects: readonly ApiObject[]): void;
  /** Whether these can be read without asking. */
  isReady(objects: readonly ApiObject[]): boolean;
  /** Asks ahead for these, so that they can be read. Errors: StatusError. */
  prepare(objects: readonly ApiObject[]): Promise<void>;
  /** Says how an object that was just stored is served. */
  remember(object: ApiObject, served: ApiObject): void;
}

/** A type as it is served under one group and version. */
export interface ServedType extends ResourceType {
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The key space in storage: types with the same one are versions of each other. */
  readonly storageKey: string;
  /** Defined by a CRD. */
  readonly custom: boolean;
  readonly schema: StructuralSchema;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  /** More subresources, for discovery: name and kind, for instance `log`. */
  readonly otherSubresources?: readonly {
    readonly name: string;
    readonly kind: string;
    /** The group and version of the kind; default those of the type. */
    readonly of?: { readonly group: string; readonly version: string };
    readonly verbs: readonly string[];
  }[];
  /** What can be done with it; default what can be done with what is stored. */
  readonly verbs?: readonly string[];
  /** Only create is served and nothing is stored, as for access reviews. */
  readonly review?: boolean;
  readonly behaviour: TypeBehaviour;
  readonly columns: readonly Column[];
  /** What a row of its table says of the whole object; default nothing. */
  readonly rowConditions?: (object: ApiObject) => readonly object[];
  /** What field selectors may use besides metadata.name and metadata.namespace. */
  readonly selectable?: SelectableFields;
  /** Sent as a warning with every answer. */
  readonly deprecation?: string;
  /** A CRD that is being deleted refuses creations. */
  readonly terminating?: boolean;
  /** Reads a body: drops and reports what the type does not have. The given object is not changed. */
  shape(body: Fields): IncomingShape;
  /** Where objects of other versions are converted by a webhook. */
  readonly conversion?: VersionConversion;
  /** A stored object in this version. */
  fromStorage(object: ApiObject): ApiObject;
  /** Whether objects of this version are stored in another one. Default false. */
  readonly isConverted?: boolean;
  /** An object of this version as it is stored. */
  toStorage(object: ApiObject): ApiObject;
}

/** Whether the type has a subresource of this name. */
export function hasSubresource(type: ServedType, name: string): boolean {
  if (name === "status") return type.hasStatus;
  if (name === "scale") return type.scale !== undefined;
  return type.otherSubresources?.some((each) => each.name === name) ?? false;
}
