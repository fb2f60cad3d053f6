// The public entry of the library: sectioned, named exports and nothing else. Kubernetes' own kinds are in
// `xstate-operator/kinds` (src/kinds/index.ts).

// Declaring an operator
export { defineKind } from "./kinds/define-kind.ts";
export type { CustomResource, InstanceOf, Kind } from "./kinds/define-kind.ts";
export type { KindOptions } from "./kinds/kind-options.ts";
export type { KindChange } from "./kinds/kind-change.ts";
export { validateChange } from "./kinds/validate-change.ts";
export type { LifecycleSpecField, LifecycleStatusField } from "./kinds/custom-resource.ts";
export { crdOf } from "./kinds/crd.ts";
export type { LifecycleOptions } from "./lifecycle/graph/compile-lifecycle.ts";
export { defineController } from "./controller/declaration/define-controller.ts";
export type { ControllerDefinition } from "./controller/declaration/define-controller.ts";
export type {
  ApplicationOptions,
  ControllerOptions,
  Watched,
} from "./controller/declaration/controller-options.ts";
export { jobTask } from "./controller/application/job-task.ts";
export type { JobManifest, JobTaskCall, JobTaskOptions } from "./controller/application/job-task.ts";
export type { FieldFightOptions } from "./controller/detectors/field-fight-options.ts";
export type { HotLoopOptions } from "./controller/detectors/hot-loop-options.ts";
export { defineOperator } from "./controller/declaration/define-operator.ts";
export type { OperatorDefinition, OperatorOptions } from "./controller/declaration/define-operator.ts";

// Drawing a lifecycle
export { setupLifecycle } from "../machines/lifecycle-machine.ts";
export { specChanged } from "../machines/lifecycle-events.ts";
export type { LifecycleArguments, LifecycleContext, LifecycleEvent } from "../machines/lifecycle-events.ts";
export type { Observation } from "./lifecycle/observation.ts";
export type {
  CompensationCall,
  TaskCall,
  TaskDefinition,
  TaskObservation,
} from "./lifecycle/tasks/task-definition.ts";

// Hooks, results and resources
export type { HookContext } from "./reconcile/hook-context.ts";
export type { ErrorContext, StepContext } from "./reconcile/engines/step-context.ts";
export type { FreeStyleHook } from "./reconcile/engines/free-style.ts";
export type { StepperHooks } from "./reconcile/engines/stepper.ts";
export { fromManifest, kubernetesResource } from "./reconcile/resources/kubernetes-resource.ts";
export { fromTemplate, renderTemplate } from "./reconcile/resources/template.ts";
export type {
  FinalizeReport,
  MutableResource,
  Resource,
  ResourceReport,
} from "./reconcile/resources/resource.ts";
export { Registry } from "./reconcile/resources/registry.ts";
export { GiveUpError } from "./reconcile/outcome/give-up.ts";
export { Results } from "./reconcile/outcome/results.ts";
export { StatusDraft } from "./reconcile/status/status-draft.ts";

// Objects and conditions
export type {
  AnyManifest,
  AnyObject,
  ClusterObject,
  Json,
  KubeObject,
  Manifest,
  ManifestOf,
  NamespacedObject,
  ObjectMeta,
  OwnerReference,
} from "./meta/object.ts";
export { formatKey, keyOf, parseKey } from "./meta/object-key.ts";
export type { ClusterKey, NamespacedKey, ObjectKey } from "./meta/object-key.ts";
export { apiVersionOf } from "./meta/resource-type.ts";
export { controllerReferenceOf } from "./meta/controller-reference.ts";
export { metadataOnly } from "./meta/metadata-only.ts";
export type { ResourceType } from "./meta/resource-type.ts";
export { findCondition, setCondition } from "./meta/condition.ts";
export type { Condition } from "./meta/condition.ts";

// Talking to an API server
export { createKubeClient } from "./client/http-client.ts";
export { loadConnection } from "./client/kube-config.ts";
export type { KubeClient, Patch, WatchEvent } from "./client/kube-client.ts";
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
} from "./client/api-error.ts";

// Running
export { runOperator } from "./manager/run-operator.ts";
export type { OperatorView, RunOptions } from "./manager/run-options.ts";
export type { LeaderElectionOptions } from "./election/election-options.ts";
export type { ShardingOptions } from "./sharding/sharding-options.ts";
export { createLogger } from "./manager/pino-logger.ts";
export { createPrometheusMetrics } from "./manager/prometheus-metrics.ts";
export type { PrometheusMetrics } from "./manager/prometheus-metrics.ts";

// Ports and errors
export { sleep } from "./ports/clock.ts";
export type { Clock } from "./ports/clock.ts";
export type { Duration } from "./ports/duration.ts";
export type { Logger } from "./ports/logger.ts";
export type { OperatorHealth } from "./ports/operator-health.ts";
export type {
  Counter,
  CounterSeries,
  Gauge,
  Histogram,
  HistogramOptions,
  HistogramSeries,
  Labels,
  MetricOptions,
  Metrics,
} from "./ports/metrics.ts";
export { isOperatorError, OperatorError, RequeueError, TerminalError } from "./ports/operator-error.ts";
export { systemClock } from "./ports/system-clock.ts";

// Types that the signatures above name
export type { LifecycleSetup, LifecycleSetupOptions } from "../machines/lifecycle-machine.ts";
export type { ChangedSpec, LifecycleFacts } from "../machines/lifecycle-events.ts";
export type { DrawnLifecycle, LifecycleNames } from "../machines/lifecycle-names.ts";
export type { ApiErrorFacts, StatusCause, StatusDetails } from "./client/api-error.ts";
export type { Connection } from "./client/connection.ts";
export type { KubeClientOptions } from "./client/http-client.ts";
export type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  ListScope,
  ObjectList,
  RawRequest,
  RequestOptions,
  WatchOptions,
  WriteOptions,
} from "./client/kube-client.ts";
export type { LoadConnectionOptions } from "./client/kube-config.ts";
export type { ChangeRefusal } from "./kinds/change-refusals.ts";
export type { CrdManifest } from "./kinds/crd.ts";
export type { CommonStatus, Scope } from "./kinds/custom-resource.ts";
export type { KindNames } from "./kinds/kind-names.ts";
export type { KindValidation } from "./kinds/kind-options.ts";
export type { SpecEditPolicy } from "./lifecycle/graph/compile-lifecycle.ts";
export type { MigratedSnapshot, Migration, Migrations } from "./lifecycle/graph/migrate.ts";
export type { Problem } from "./ports/problem.ts";
export type { Renames } from "./lifecycle/graph/rename.ts";
export type { LogLevel } from "./manager/pino-logger.ts";
export type { ClusterMeta, ManagedFieldsEntry, ManifestMeta, NamespacedMeta } from "./meta/object.ts";
export type { TimerHandle } from "./ports/clock.ts";
export type { LogFields } from "./ports/logger.ts";
export type { OperatorErrorOptions } from "./ports/operator-error.ts";
export type {
  ControllerHealth,
  HeldKey,
  OperatorStage,
  ReconcileFailure,
  WatchHealth,
} from "./ports/operator-health.ts";
export type { Random } from "./ports/random.ts";
export type { ApplicationView } from "./reconcile/application-view.ts";
export type {
  BatchFailure,
  BatchOptions,
  BatchReport,
  CreationOptions,
} from "./reconcile/resources/batch.ts";
export type { Hook, StatusHook } from "./reconcile/engines/engine.ts";
export type { ListQuery } from "./reconcile/hook-context.ts";
export type { ManifestResourceOptions } from "./reconcile/resources/kubernetes-resource.ts";
export type { ListKeys } from "./reconcile/comparison/list-types.ts";
export type { ManifestDraft } from "./reconcile/resources/manifest-draft.ts";
export type { WriteMode } from "./reconcile/resources/object-writer.ts";
export type { Operation, OperationCode } from "./reconcile/outcome/operation.ts";
export type { Registrable } from "./reconcile/resources/registry.ts";
export type { KubernetesResourceOptions, MutationContext } from "./reconcile/resources/resource-parts.ts";
export type { BindableResource, StepReport } from "./reconcile/resources/resource.ts";
export type { ReconcileResult } from "./reconcile/outcome/reconcile-result.ts";
export type { ErrorDetails, OperationDetails } from "./reconcile/outcome/results.ts";
export type { ConditionInput, StatusFields } from "./reconcile/status/status-draft.ts";
export type { TemplateValues } from "./reconcile/resources/template.ts";
