// What a custom resource has below it, as it is written: entries of `children`, and the objects in them.
import type { AnyManifest, KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { BindableResource } from "../../reconcile/resources/resource.ts";
import type { ChildForm } from "../form/file-form.ts";
import type { Render, TemplatePlace, Values } from "../expressions/template.ts";

/** An entry of `children`, ready to be registered. */
export interface WrittenChild {
  /** The types of its objects. */
  readonly types: readonly ResourceType[];
  /** The states that it belongs to; undefined for all. */
  readonly states: readonly string[] | undefined;
  /** Whether which objects there are depends on expressions: what they leave out is deleted. */
  readonly varies: boolean;
  /** Whether its objects are deleted before their owner is. */
  readonly isDeleted: boolean;
  readonly form: ChildForm;
  /** Its objects as they are written, without those that a tool makes. */
  readonly manifests: readonly WrittenManifest[];
  /**
   * Its objects for these variables; a promise where a tool makes them. Not `isCalledFor`: they are to be deleted, if they are there, and nothing
   * but their names is made; those whose names cannot be made are left out. **Errors**: `EXPRESSION_FAILED`, and the tool's.
   */
  readonly resources: (
    values: Values,
    context: HookContext<KubeObject>,
    isCalledFor?: boolean,
  ) => readonly BindableResource[] | Promise<readonly BindableResource[]>;
}

/** One object with expressions, and where it is written. */
export interface WrittenManifest {
  readonly type: ResourceType;
  readonly place: TemplatePlace;
  /** As it is written, with expressions. */
  readonly name: string;
  /** As it is written, with expressions; absent for the custom resource's. */
  readonly namespace?: string;
  /** Whether its name depends on more than the custom resource's own. */
  readonly isNamedByExpression: boolean;
  readonly render: Render<AnyManifest>;
  /** The part of it that says which object it is. */
  readonly renderName: Render<AnyManifest>;
}
