// The form of a file that declares an operator, as types. The schemas that hold a file to them are in form-schemas.ts; what expressions,
// names and manifests mean is read elsewhere in this folder.
import type { HelmChartOptions } from "../../charts/helm-chart.ts";
import type { LifecycleOptions } from "../../lifecycle/graph/compile-lifecycle.ts";
import type { TaskDefinition } from "../../lifecycle/tasks/task-definition.ts";
import type { KindNames } from "../../kinds/kind-names.ts";
import type { ManifestResourceOptions } from "../../reconcile/resources/kubernetes-resource.ts";
import type { Duration } from "../../ports/duration.ts";
import type { Json } from "../../meta/object.ts";
import type { PrinterColumn, ScaleSubresource } from "../../kinds/builtin/apiextensions.ts";
import type { StructuralSchema } from "../../kinds/builtin/json-of.ts";
import type { KindValidation } from "../../kinds/kind-validation.ts";

/** A text, or one with `${ … }` in it. */
export type Template = Json;

/** A whole file. */
export interface OperatorForm {
  readonly operator: string;
  readonly formerNames?: readonly string[];
  /** Types that are neither Kubernetes' own nor of this file, where their plural is not the usual one or they have no namespace. */
  readonly types?: readonly TypeForm[];
  readonly kinds: readonly (string | KindForm)[];
}

/** An API type that manifests and reads name. */
export interface TypeForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string;
  readonly namespaced?: boolean;
}

/** A kind with everything that belongs to it. */
export interface KindForm extends KindNames, Pick<LifecycleOptions, "defaultDesiredState" | "specEdits"> {
  readonly scope?: "Namespaced" | "Cluster";
  readonly description?: string;
  readonly spec?: StructuralSchema;
  readonly status?: StructuralSchema;
  readonly printerColumns?: readonly PrinterColumn[];
  readonly validations?: readonly KindValidation[];
  readonly scale?: ScaleSubresource;
  readonly finalize?: boolean;
  /** Other versions in which the kind is served. */
  readonly versions?: Readonly<Record<string, VersionForm>>;
  /** The version in which objects are stored; default the kind's own. */
  readonly storage?: string;
  /** XState's configuration, or the path of a file with it. */
  readonly lifecycle?: string | object;
  readonly guards?: Readonly<Record<string, string>>;
  readonly delays?: Readonly<Record<string, string>>;
  /** What changes in the machine's context, by the names of actions. */
  readonly actions?: Readonly<Record<string, Readonly<Record<string, Template>>>>;
  /** What is done after a move, by the names of actions. */
  readonly effects?: Readonly<Record<string, EffectForm>>;
  /** Objects of the cluster by names, for children, the observer and the status. */
  readonly read?: Readonly<Record<string, ReadForm>>;
  /** Types of which a change reconciles the resource that an expression names. */
  readonly watches?: readonly WatchForm[];
  readonly children?: readonly ChildForm[];
  readonly observe?: ObserveForm;
  /** Fields of the status. */
  readonly statusFields?: Readonly<Record<string, Template>>;
  readonly tasks?: Readonly<Record<string, TaskForm>>;
  readonly workers?: number;
  readonly timeout?: Duration;
  readonly maxCreations?: number;
}

/** Another version of a kind. */
export interface VersionForm extends Pick<KindForm, "status" | "printerColumns" | "validations" | "scale"> {
  readonly spec: StructuralSchema;
  readonly served?: boolean;
  readonly deprecated?: boolean | string;
  /** `up` makes an object of the kind's own version of one of this version, `down` the reverse. */
  readonly convert?: { readonly up: ConvertedForm; readonly down: ConvertedForm };
}

/** An object of another version; `spec` and `status` in its expressions are those of the object that is converted. */
export interface ConvertedForm {
  readonly spec: Template;
  /** Default: the fields that both versions have. */
  readonly status?: Template;
}

/** What the custom resource has below it. */
export interface ChildForm extends Pick<
  ManifestResourceOptions,
  "adopt" | "recreate" | "ownerReference" | "keep"
> {
  readonly in?: string | readonly string[];
  readonly when?: string;
  readonly each?: Readonly<Record<string, string>>;
  /** One object. */
  readonly manifest?: Template;
  /** The path of a file with one or more. */
  readonly file?: string;
  /** What a Helm chart makes. */
  readonly chart?: ChartForm;
  /** What a kustomization makes. */
  readonly kustomization?: KustomizationForm;
}

/** What is rendered by a tool. */
export interface RenderedForm extends Pick<HelmChartOptions, "program" | "timeout"> {
  /** The path of its folder. */
  readonly path: string;
  /** What its objects are: the operator's rights follow from them. */
  readonly types: readonly Pick<TypeForm, "apiVersion" | "kind">[];
  /** Default the custom resource's. */
  readonly namespace?: string;
}

/** A Helm chart. */
export interface ChartForm
  extends RenderedForm, Pick<HelmChartOptions, "hooks" | "kubeVersion" | "apiVersions"> {
  /** The release's name; default the custom resource's. */
  readonly release?: string;
  readonly values?: Template;
}

/** A kustomization. */
export interface KustomizationForm extends RenderedForm {
  readonly overlay?: Template;
}

/** One object that is read. */
export interface GetForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** The objects of a type. */
export interface ListForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A call of a service. */
export interface HttpForm {
  readonly url: string;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Template;
  readonly timeout?: Duration;
}

/** A command in a container. */
export interface CommandForm {
  readonly pod: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly command: readonly string[];
  readonly timeout?: Duration;
}

/** Where the value of a name comes from. */
export interface ReadForm {
  readonly get?: GetForm;
  readonly list?: ListForm;
  readonly http?: HttpForm;
  readonly exec?: CommandForm;
}

/** Objects whose changes concern a resource: `object` is the one that has changed. */
export interface WatchForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly when?: string;
  /** The resource's name. */
  readonly name: string;
  /** Default the object's own. */
  readonly namespace?: string;
}

/** How the application is observed. */
export interface ObserveForm {
  readonly poll?: Duration;
  readonly timeout?: Duration;
  readonly read?: Readonly<Record<string, ReadForm>>;
  /** The first one that applies is what is observed. */
  readonly states?: readonly { readonly state: string; readonly when?: string }[];
  readonly facts?: Readonly<Record<string, Template>>;
  readonly message?: string;
}

/** What is done at once. */
export interface ActionForm {
  readonly patch?: PatchForm;
  readonly delete?: GetForm;
  readonly event?: EventForm;
}

/** What is done after a move, or to undo a task. */
export interface EffectForm extends ActionForm {
  readonly http?: HttpForm;
}

/** What takes its time; exactly one of the kinds of work. */
export interface TaskForm extends ActionForm, Pick<TaskDefinition<never>, "timeout" | "retry" | "poll"> {
  readonly job?: JobForm;
  readonly apply?: readonly Template[];
  readonly deleteOnCancel?: boolean;
  readonly wait?: WaitForm;
  readonly http?: HttpTaskForm;
  readonly exec?: ExecTaskForm;
  readonly compensate?: EffectForm;
}

/** A Job for each attempt. */
export interface JobForm {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Template;
}

/** Work of a service. What the answer to `status` says is its phase, or what `read` makes of it. */
export interface HttpTaskForm {
  readonly start: HttpForm;
  readonly status?: HttpForm;
  readonly cancel?: HttpForm;
  readonly read?: Template;
}

/** Work of commands in a container. */
export interface ExecTaskForm {
  readonly pod: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly start: readonly string[];
  readonly status?: readonly string[];
  readonly cancel?: readonly string[];
  readonly read?: Template;
}

/** Something that is waited for. */
export interface WaitForm {
  readonly read?: Readonly<Record<string, ReadForm>>;
  readonly until: string;
  /** What makes it fail at once. */
  readonly failed?: string;
  readonly message?: string;
  /** What it hands to the machine. */
  readonly output?: Template;
}

/** A merge patch of one object. */
export interface PatchForm extends GetForm {
  readonly patch: Template;
}

/** An Event about the custom resource. */
export interface EventForm {
  readonly type?: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}
