// Checks of the options of defineController, for authors without a compiler: their form, and whether the
// application has what the kind's lifecycle asks for, and nothing that it never asks for.
import type { Kind } from "../../kinds/define-kind.ts";
import { checkNames } from "../../lifecycle/checks/check-names.ts";
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import { optionProblems } from "../../options/option-problems.ts";
import {
  callable,
  duration,
  falseOr,
  flag,
  having,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  required,
  text,
  valueOf,
  whole,
} from "../../options/option-schemas.ts";
import { durationOf } from "../../ports/duration.ts";
import type { Problem } from "../../ports/problem.ts";
import { taskPolicyShape, type TaskDefinition } from "../../lifecycle/tasks/task-definition.ts";
import type { KubeObject } from "../../meta/object.ts";
import { permissionVerbs, type Permission } from "../../meta/permission.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { StepperHooks } from "../../reconcile/engines/engine.ts";
import type { WebhookOptions } from "../../webhook/admission/webhook-options.ts";
import type { ApplicationOptions, ControllerOptions, Watched } from "./controller-options.ts";
import { fieldFightOptions } from "../detectors/field-fight-options.ts";
import { hotLoopOptions } from "../detectors/hot-loop-options.ts";

const resourceType = valueOf(isResourceType, {
  expected: "a Kubernetes type",
  remedy: "Import it from xstate-operator, for instance Deployment, or make it by defineKind.",
});

const watched = optionsOf<Watched>()({
  type: required(resourceType, "Write the type whose changes trigger a reconcile."),
  mapTo: required(callable, "Write mapTo: (object) => [the keys of the custom resources concerned]."),
});

const permission = optionsOf<Permission>()({
  type: required(resourceType, "Write the type that is read or written."),
  verbs: required(listOf(oneOf(...permissionVerbs)), 'Write the verbs, for instance ["delete"].'),
  subresource: text.optional(),
  names: listOf(text).optional(),
});

const hooks = optionsOf<StepperHooks<KubeObject>>()({
  CRChecker: callable.optional(),
  ObjectsGetter: callable.optional(),
  Mutator: callable.optional(),
  Updater: callable.optional(),
  SuccessManager: callable.optional(),
  CRFinalizer: callable.optional(),
  ErrorManager: callable.optional(),
});

const task = optionsOf<TaskDefinition<HookContext<KubeObject>>>()({
  ...taskPolicyShape,
  start: required(callable, "Write start: it begins the work and returns soon."),
  observe: callable.optional(),
  cancel: callable.optional(),
  compensate: callable.optional(),
  permissions: listOf(permission).optional(),
});

const application = optionsOf<ApplicationOptions<KubeObject>>()({
  observe: required(
    callable,
    'Write observe: it looks at the application, and returns { state: "Running" }.',
  ),
  tasks: recordOf(task).optional(),
  create: callable.optional(),
  update: callable.optional(),
  delete: callable.optional(),
  actions: recordOf(callable).optional(),
  statusOf: callable.optional(),
  poll: duration.optional(),
  observeTimeout: duration.optional(),
});

const wholeSeconds = valueOf(
  (value) => {
    const time = durationOf(value) ?? 0;
    return time >= 1_000 && time <= 30_000 && time % 1_000 === 0;
  },
  { expected: "whole seconds, from 1 s to 30 s", remedy: 'Write a duration, for instance "5s".' },
);

const webhooks = optionsOf<WebhookOptions<KubeObject>>()({
  validate: valueOf((value) => value === true || typeof value === "function", {
    expected: "a function, or true",
    remedy:
      "Write validate: ({ object, oldObject }) => [{ field, message }], or true for what the kind checks.",
  }).optional(),
  validateDelete: callable.optional(),
  mutate: callable.optional(),
  failurePolicy: oneOf("Fail", "Ignore").optional(),
  timeout: wholeSeconds.optional(),
});

const source = having(
  ["start"],
  "a source of reconciles",
  "Give it a client of sidecars, by createSidecarClient({ … }).",
);

const controllerOptions = optionsOf<ControllerOptions<KubeObject>>()({
  owns: listOf(resourceType).optional(),
  reads: listOf(resourceType).optional(),
  watches: listOf(watched).optional(),
  sources: listOf(source).optional(),
  permissions: listOf(permission).optional(),
  steps: hooks.optional(),
  freeStyle: callable.optional(),
  webhooks: webhooks.optional(),
  basic: flag.optional(),
  application: application.optional(),
  maxCreations: whole(0).optional(),
  workers: whole(1).optional(),
  timeout: duration.optional(),
  hotLoop: falseOr(hotLoopOptions).optional(),
  fieldFights: falseOr(fieldFightOptions).optional(),
});

/** What is wrong with the options of a controller, and with what its application has for the kind's lifecycle. */
export function checkControllerOptions(
  { lifecycle }: Kind<KubeObject>,
  options: unknown,
): readonly Problem[] {
  const wrong = optionProblems(controllerOptions, options ?? {}, "defineController");
  const given = (options as ControllerOptions<KubeObject> | null | undefined)?.application;
  const { tasks = {}, actions = {} } = typeof given === "object" && given !== null ? given : {};
  if (lifecycle === undefined || given === undefined) return wrong;
  const known = { tasks: Object.keys(tasks), actions: Object.keys(actions) };
  const missing = checkNames(lifecycle, known).filter(({ severity }) => severity === "error");
  return [...wrong, ...missing, ...checkUnused(lifecycle, known)];
}

function checkUnused(
  { index: { graph } }: Lifecycle,
  known: { readonly tasks: readonly string[]; readonly actions: readonly string[] },
): Problem[] {
  const invoked = graph.nodes.flatMap(({ invokes }) => invokes.map(({ src }) => src));
  const asked = [
    ...graph.nodes.flatMap(({ entry, exit }) => [...entry, ...exit]),
    ...graph.edges.flatMap(({ actions }) => actions),
  ];
  const unused = (code: string, option: string, message: string, remedy: string): Problem => ({
    code,
    severity: "warning",
    option,
    message,
    remedy,
  });
  return [
    ...known.tasks
      .filter((name) => !invoked.includes(name))
      .map((name) =>
        unused(
          "TASK_UNUSED",
          `application.tasks.${name}`,
          `the task "${name}" is never started: no state of "${graph.id}" invokes it`,
          `Add it to a state: invoke: { id: "${name}", src: "${name}", onDone: …, onError: … }; or leave it out.`,
        ),
      ),
    ...known.actions
      .filter((name) => !asked.includes(name))
      .map((name) =>
        unused(
          "ACTION_UNUSED",
          `application.actions.${name}`,
          `the action "${name}" never runs: nothing in "${graph.id}" refers to it`,
          `Name it in entry, exit or the actions of an edge, and in the effects of setupLifecycle; or leave it out.`,
        ),
      ),
  ];
}

function isResourceType(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { group, version, kind, plural, namespaced } = value as Readonly<Record<string, unknown>>;
  const isNamed = [group, version, kind, plural].every((name) => typeof name === "string");
  return isNamed && typeof namespaced === "boolean";
}
