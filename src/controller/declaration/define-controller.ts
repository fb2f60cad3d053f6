// The declaration of one controller: a kind, what it owns, and the author's hooks. Inert: nothing starts here.
import type { LifecycleNames } from "../../../machines/lifecycle-names.ts";
import type { CustomResource, Scope } from "../../kinds/custom-resource.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { isKind } from "../../kinds/is-kind.ts";
import type { KubeObject } from "../../meta/object.ts";
import { isMetadataOnly } from "../../meta/metadata-only.ts";
import { typeKeyOf } from "../../meta/resource-type.ts";
import { refuseErrors, type Problem } from "../../ports/problem.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { shown } from "../../ports/shown.ts";
import { checkControllerOptions } from "./check-controller-options.ts";
import type { ControllerOptions } from "./controller-options.ts";

/** A declared controller, ready to be run by an operator. The type of its resource served its author and is forgotten. */
export interface ControllerDefinition {
  /** The kind that it reconciles. */
  readonly kind: Kind<KubeObject>;
  /** What was given to `defineController`. */
  readonly options: ControllerOptions<KubeObject>;
}

/** Whether a value is a controller that {@link defineController} has made. */
export function isController(value: unknown): value is ControllerDefinition {
  const { kind, options } = (value ?? {}) as { readonly kind?: unknown; readonly options?: unknown };
  return isKind(kind) && typeof options === "object" && options !== null;
}

function admits({ validate, validateDelete, mutate }: Readonly<Record<string, unknown>>): boolean {
  return validate !== undefined || validateDelete !== undefined || mutate !== undefined;
}

/** The kind of a type that is read whole in one place and as metadata in another: one cache cannot be both. */
function declaredBothWays(
  options: Pick<ControllerOptions<never>, "owns" | "reads" | "watches">,
): string | undefined {
  const { owns = [], reads = [], watches = [] } = options;
  const types = [...owns, ...reads, ...watches.map(({ type }) => type)];
  const whole = new Set(types.filter((type) => !isMetadataOnly(type)).map((type) => typeKeyOf(type)));
  return types.find((type) => isMetadataOnly(type) && whole.has(typeKeyOf(type)))?.kind;
}

/**
 * Declares the controller of a kind.
 *
 * **Errors**: `CONTROLLER_INVALID` when both engines are chosen, when an application is given to a kind without a
 * lifecycle (or the reverse), when options are unknown or have a wrong form, or when tasks or actions that the lifecycle
 * names are missing: each is listed.
 */
export function defineController<
  TCR extends CustomResource<unknown, unknown, Scope>,
  TNames extends LifecycleNames,
>(kind: Kind<TCR, TNames>, options: NoInfer<ControllerOptions<TCR, TNames>>): ControllerDefinition {
  refuseOptions(kind, options);
  const refuse = (what: string, remedy: string): never => {
    throw new OperatorError("CONTROLLER_INVALID", `the controller of ${kind.kind} ${what}`, { remedy });
  };
  if (options.steps !== undefined && options.freeStyle !== undefined) {
    refuse(
      "has both steps and freeStyle",
      "Choose one engine: steps for the Stepper, freeStyle for one function.",
    );
  }
  const { application } = options;
  if (application !== undefined && kind.lifecycle === undefined) {
    refuse("has an application, but its kind has no lifecycle", "Give defineKind a lifecycle.");
  }
  if (application === undefined && kind.lifecycle !== undefined) {
    refuse(
      "has no application, but its kind has a lifecycle",
      "Give defineController an application with observe.",
    );
  }
  const { webhooks } = options;
  if (webhooks !== undefined && !admits({ ...webhooks })) {
    refuse("has webhooks without a function", "Write validate, validateDelete or mutate, or leave them out.");
  }
  const twice = declaredBothWays(options);
  if (twice !== undefined) {
    refuse(
      `declares ${twice} whole and as metadata only`,
      "Leave out metadataOnly where objects are read whole.",
    );
  }
  // An operator holds controllers of different resources, which have no type in common; each is only ever given its own.
  return { kind, options } as unknown as ControllerDefinition;
}

function refuseOptions(kind: unknown, options: unknown): void {
  if (!isKind(kind)) {
    throw new OperatorError("CONTROLLER_INVALID", `defineController was given ${shown(kind)} as its kind`, {
      remedy: "Write defineController(Kind, { … }), with a kind made by defineKind.",
    });
  }
  refuseErrors(
    options === undefined || options === null ? [noOptions(kind)] : checkControllerOptions(kind, options),
    {
      code: "CONTROLLER_INVALID",
      subject: `the controller of ${kind.kind}`,
      fields: { kind: kind.kind, machine: kind.lifecycle?.id },
      remedy: "Correct each line.",
    },
  );
}

function noOptions({ kind, lifecycle }: Kind<KubeObject>): Problem {
  return {
    code: "OPTION_MISSING",
    severity: "error",
    message: `defineController was given a kind, ${kind}, and no options`,
    remedy: `Write defineController(${kind}, { ${lifecycle === undefined ? "steps: { … }" : "application: { observe }"} }).`,
  };
}
