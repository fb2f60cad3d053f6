// The documents that say how tests are run, by kind: TestSuite, TestStep, TestAssert and TestFile, with the fields that kuttl's reference lists.
// Pure.
import type { z } from "zod";
import {
  anyObject,
  flag,
  hinted,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  text,
  whole,
} from "../../options/option-schemas.ts";
import type { LabelSelector } from "../../kinds/builtin/parts.ts";

/** A program that a test runs. */
export interface TestCommand {
  readonly command?: string;
  readonly script?: string;
  readonly namespaced?: boolean;
  readonly ignoreFailure?: boolean;
  readonly background?: boolean;
  readonly skipLogOutput?: boolean;
  /** Seconds; negative: no limit. Default the suite's. */
  readonly timeout?: number;
}

/** What is gathered of a step that failed. */
export interface Collector {
  readonly type?: string;
  readonly pod?: string;
  readonly namespace?: string;
  readonly container?: string;
  readonly selector?: string;
  readonly tail?: number;
  readonly command?: string;
}

/** Objects that a step deletes. */
export interface DeletedObjects {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** An object that expressions call by a name. */
export interface ReferredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly ref: string;
}

/** An expression in CEL. */
export interface TestExpression {
  readonly celExpr: string;
}

/** `kind: TestSuite`, the content of `kuttl-test.yaml`. */
export interface SuiteSettings {
  readonly crdDir?: string;
  readonly manifestDirs?: readonly string[];
  readonly testDirs?: readonly string[];
  readonly timeout?: number;
  readonly parallel?: number;
  readonly skipDelete?: boolean;
  readonly namespace?: string;
  readonly commands?: readonly TestCommand[];
  readonly suppress?: readonly string[];
  readonly artifactsDir?: string;
  readonly reportFormat?: string;
  readonly reportName?: string;
  readonly reportGranularity?: "step" | "test";
}

/** `kind: TestStep`. */
export interface StepSettings {
  readonly apply?: readonly string[];
  readonly assert?: readonly string[];
  readonly error?: readonly string[];
  readonly delete?: readonly DeletedObjects[];
  readonly commands?: readonly TestCommand[];
  readonly kubeconfig?: string;
  readonly kubeconfigLoading?: string;
  readonly context?: string;
}

/** `kind: TestAssert`. */
export interface AssertSettings {
  readonly timeout?: number;
  readonly commands?: readonly TestCommand[];
  readonly collectors?: readonly Collector[];
  readonly resourceRefs?: readonly ReferredObject[];
  readonly assertAll?: readonly TestExpression[];
  readonly assertAny?: readonly TestExpression[];
}

/** `kind: TestFile`. */
export interface FileSettings {
  readonly testRunSelector?: LabelSelector;
}

/** Their kinds. */
export type TestDocumentKind = "TestSuite" | "TestStep" | "TestAssert" | "TestFile";

const seconds = whole(0, 1_000_000, "seconds");
const secondsOrForever = whole(-1_000_000, 1_000_000, "seconds");

const command = optionsOf<TestCommand>()({
  command: text.optional(),
  script: text.optional(),
  namespaced: flag.optional(),
  ignoreFailure: flag.optional(),
  background: flag.optional(),
  skipLogOutput: flag.optional(),
  timeout: secondsOrForever.optional(),
});

const collector = optionsOf<Collector>()({
  type: text.optional(),
  pod: text.optional(),
  namespace: text.optional(),
  container: text.optional(),
  selector: text.optional(),
  tail: whole(-1).optional(),
  command: text.optional(),
});

const deleted = optionsOf<DeletedObjects>()({
  apiVersion: text,
  kind: text,
  name: text.optional(),
  namespace: text.optional(),
  labels: recordOf(text).optional(),
});

const referred = optionsOf<ReferredObject>()({
  apiVersion: text,
  kind: text,
  name: text,
  namespace: text.optional(),
  ref: hinted(text, { missing: "Write the name by which the expressions call it." }),
});

const expression = optionsOf<TestExpression>()({ celExpr: text });

/** The form of each kind, without apiVersion, kind and metadata. */
export const testForms: Readonly<Record<TestDocumentKind, z.ZodType>> = {
  TestSuite: optionsOf<SuiteSettings>()({
    crdDir: text.optional(),
    manifestDirs: listOf(text).optional(),
    testDirs: listOf(text).optional(),
    timeout: seconds.optional(),
    parallel: whole(1, 1_000).optional(),
    skipDelete: flag.optional(),
    namespace: text.optional(),
    commands: listOf(command).optional(),
    suppress: listOf(text).optional(),
    artifactsDir: text.optional(),
    reportFormat: text.optional(),
    reportName: text.optional(),
    reportGranularity: oneOf("step", "test").optional(),
  }),
  TestStep: optionsOf<StepSettings>()({
    apply: listOf(text).optional(),
    assert: listOf(text).optional(),
    error: listOf(text).optional(),
    delete: listOf(deleted).optional(),
    commands: listOf(command).optional(),
    kubeconfig: text.optional(),
    kubeconfigLoading: text.optional(),
    context: text.optional(),
  }),
  TestAssert: optionsOf<AssertSettings>()({
    timeout: seconds.optional(),
    commands: listOf(command).optional(),
    collectors: listOf(collector).optional(),
    resourceRefs: listOf(referred).optional(),
    assertAll: listOf(expression).optional(),
    assertAny: listOf(expression).optional(),
  }),
  TestFile: optionsOf<FileSettings>()({
    testRunSelector: anyObject("Write matchLabels or matchExpressions.").optional(),
  }),
};

/** Fields that kuttl knows and that mean nothing here: which cluster it would start, and what it would start it with. */
export const fieldsWithoutMeaning: Readonly<Record<TestDocumentKind, ReadonlySet<string>>> = {
  TestSuite: new Set([
    "attachControlPlaneOutput",
    "config",
    "controlPlaneArgs",
    "kindConfig",
    "kindContainers",
    "kindContext",
    "kindNodeCache",
    "skipClusterDelete",
    "startControlPlane",
    "startKIND",
    "fullName",
  ]),
  TestStep: new Set(["index", "unitTest"]),
  TestAssert: new Set(),
  TestFile: new Set(),
};
