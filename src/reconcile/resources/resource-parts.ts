// The three parts of a Kubernetes resource, as an author writes them.
import type { KubeObject, ManifestOf } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ListKeys } from "../comparison/list-types.ts";
import type { WriteMode } from "./object-writer.ts";
import type { StepReport } from "./resource.ts";

/** Options of `kubernetesResource`. */
export interface KubernetesResourceOptions<TObject extends KubeObject, TCR extends KubeObject> {
  /** The type of the object: a kind of yours or of Kubernetes. */
  readonly type: ResourceType<TObject>;
  /** The namespace is the custom resource's when absent. */
  readonly key: ObjectKey;
  /**
   * What is compared between the declared and the live object, and hashed; default everything that is declared. Called with
   * both; must be pure. The owner reference is compared in any case.
   */
  readonly hashedFields?: (object: ManifestOf<TObject>) => unknown;
  /**
   * The first part: what does not depend on the custom resource; from code, or by `fromTemplate`. `live` is the live object,
   * if it exists; frozen. It is for decisions, not for copying: what is declared comes from the parts alone. Default nothing.
   */
  readonly mutateWithInitialData?: (
    object: Writable<ManifestOf<TObject>>,
    context: { readonly live: TObject | undefined },
  ) => Promise<void> | void;
  /** The second part: what depends on the custom resource. May ask for another look. Default nothing. */
  readonly mutateWithCR?: (
    object: Writable<ManifestOf<TObject>>,
    cr: TCR,
    context: { readonly live: TObject | undefined },
  ) => Promise<StepReport> | StepReport;
  /** False: no owner reference is set; the object is then deleted by `CRFinalizer` or by hand. Default true. */
  readonly ownerReference?: boolean;
  /**
   * True: an object of that name that somebody else has made is taken over, with what is declared; nobody else may control
   * it. Default false: it is left alone, and the run gives up with `RESOURCE_NOT_OURS`.
   */
  readonly adopt?: boolean;
  /**
   * Fields that are declared for the creation only, as dotted paths through maps (`spec.replicas`): afterwards they belong to
   * the clients that change them, an autoscaler for instance, and are let go of without a change of their value. Default none.
   */
  readonly keep?: readonly string[];
  /**
   * True: a change of a field that cannot be changed in place deletes the object, with all that belongs to it, and creates it again
   * when it is gone. Default false: it is an error, `RESOURCE_IMMUTABLE`.
   */
  readonly recreate?: boolean;
  /** Default whatever costs the API server least; who owns which field comes out as by `apply`. */
  readonly write?: WriteMode;
  /**
   * Keys of lists of a custom type, by the end of their path, where what is declared may come in any order. That others have
   * elements of such a list is learned from the server; Kubernetes' own types are known. Default none.
   */
  readonly listKeys?: ListKeys;
}

/** A type whose fields can be written, all the way down. */
export type Writable<T> = T extends readonly (infer TElement)[]
  ? Writable<TElement>[]
  : T extends object
    ? { -readonly [TField in keyof T]: Writable<T[TField]> }
    : T;
