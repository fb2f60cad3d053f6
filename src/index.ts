/**
 * What operators are declared with and run by. What is used apart has an entry of its own: the client, Kubernetes' own kinds,
 * tasks that are Jobs, other ready-made tasks, resources of one's own, metrics, the statecharts, the embedded cluster, the testing kit.
 *
 * @module xstate-operator
 */

// Kinds
export { defineKind } from "./kinds/define-kind.ts";
export type { InstanceOf, Kind } from "./kinds/define-kind.ts";
export type { KindChange } from "./kinds/kind-change.ts";
export type { KindOptions } from "./kinds/kind-options.ts";
export type { KindValidation } from "./kinds/kind-validation.ts";
export type {
  Conversion,
  ConvertedFrom,
  ConvertedTo,
  SpecsByVersion,
  StatusOption,
  VersionOptions,
  VersionsOf,
} from "./kinds/versions/version-options.ts";
export type { CustomResource, LifecycleSpecField, LifecycleStatusField } from "./kinds/custom-resource.ts";
export { crdOf } from "./kinds/crd.ts";
export type { CrdOptions } from "./kinds/crd.ts";
export type { WebhookAddress } from "./meta/webhook-address.ts";
export { validateChange } from "./kinds/validate-change.ts";

// Lifecycles, observations and tasks
export { setupLifecycle } from "../machines/lifecycle-machine.ts";
export { readMachine } from "./machine-file/read-machine.ts";
export type { MachineSetup } from "./machine-file/read-machine.ts";
export { specChanged } from "../machines/lifecycle-events.ts";
export type { MigratedSnapshot, Migrations } from "./lifecycle/graph/migrate.ts";
export type { ObservationOf } from "./kinds/kind-lifecycle.ts";
export type { Observation } from "./lifecycle/observation.ts";
export type {
  CompensationCall,
  TaskCall,
  TaskDefinition,
  TaskObservation,
  TaskProgress,
} from "./lifecycle/tasks/task-definition.ts";

// Controllers and operators
export { defineController } from "./controller/declaration/define-controller.ts";
export type { ControllerDefinition } from "./controller/declaration/define-controller.ts";
export type { ApplicationOptions, ControllerOptions } from "./controller/declaration/controller-options.ts";
export { defineOperator } from "./controller/declaration/define-operator.ts";
export type { OperatorDefinition } from "./controller/declaration/define-operator.ts";

// Admission webhooks
export type {
  AdmissionCall,
  DeleteCall,
  Refusal,
  Refusals,
  WebhookOptions,
  WriteCall,
} from "./webhook/admission/webhook-options.ts";

// Hooks, and what they are given
export type { HookContext } from "./reconcile/hook-context.ts";
export type { ApplicationView } from "./reconcile/resources/resource.ts";
export type { StepContext } from "./reconcile/engines/step-context.ts";
export type { StepperHooks } from "./reconcile/engines/engine.ts";
export type { Registry } from "./reconcile/resources/registry.ts";
export type { Results } from "./reconcile/outcome/results.ts";
export type { StatusDraft } from "./reconcile/status/status-draft.ts";

// Resources
export { fromManifest, kubernetesResource } from "./reconcile/resources/kubernetes-resource.ts";
export { fromTemplate, renderTemplate } from "./reconcile/resources/template.ts";

// Objects and conditions
export type { KubeObject, Manifest, ManifestOf } from "./meta/object.ts";
export { keyOf } from "./meta/object-key.ts";
export type { ObjectKey } from "./meta/object-key.ts";
export type { ResourceType } from "./meta/resource-type.ts";
export type { Permission } from "./meta/permission.ts";
export { metadataOnly } from "./meta/metadata-only.ts";
export { controllerReferenceOf } from "./meta/controller-reference.ts";
export { findCondition, setCondition } from "./meta/condition.ts";
export type { Condition } from "./meta/condition.ts";

// Errors and problems
export { GiveUpError } from "./reconcile/outcome/failure-meaning.ts";
export { isOperatorError, OperatorError, RequeueError, TerminalError } from "./ports/operator-error.ts";
export type { Problem } from "./ports/problem.ts";

// Running
export { runOperator } from "./manager/run-operator.ts";
export type { RunOptions } from "./manager/run-options.ts";
export type { CertificateFiles } from "./manager/serving-certificate.ts";
export type { LeaseOptions } from "./election/election-options.ts";
export type { OperatorStreams } from "./controller/operator-streams.ts";
export type { Transition } from "./controller/application/transition.ts";
export type { Role as LifecycleRole, StateMeaning } from "./lifecycle/graph/roles.ts";
export type { Change } from "./cache/informer.ts";
export type { OperatorHealth } from "./ports/operator-health.ts";
export { createLogger } from "./manager/pino-logger.ts";
export type { LoggerOptions } from "./manager/pino-logger.ts";
export type { Logger } from "./ports/logger.ts";
export { sleep } from "./ports/clock.ts";
export type { Clock } from "./ports/clock.ts";
export { systemClock } from "./ports/system-clock.ts";
export type { Duration } from "./ports/duration.ts";
