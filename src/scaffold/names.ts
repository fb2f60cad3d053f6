// Names in generated code: what follows from the name of a kind, and which names Kubernetes and TypeScript accept.
import { OperatorError } from "../ports/operator-error.ts";

/** `HorizontalPodAutoscaler` as `horizontal-pod-autoscaler`, `CSIDriver` as `csi-driver`; other signs become dashes. */
export function kebabCase(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** `cache-config` and `CacheConfig` as `cacheConfig`. */
export function camelCase(text: string): string {
  return kebabCase(text).replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** What cannot name a variable or a function of a module. */
const reserved = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
    "false finally for function if implements import in instanceof interface let new null package private protected " +
    "public return static super switch this throw true try typeof undefined var void while with yield"
  ).split(" "),
);

/** A name for a variable or a function: one that the language or this file uses already becomes longer. */
export function variableName(text: string, taken: ReadonlySet<string> = new Set()): string {
  const name = camelCase(text).replace(/^(?=\d)/, "_");
  return reserved.has(name) || taken.has(name) ? `${name}Object` : name;
}

/** What is wrong with an answer, or undefined: each says what is expected. */
type Check = (text: string) => string | undefined;

function matching(pattern: RegExp, longest: number, expected: string): Check {
  return (text) => (pattern.test(text) && text.length <= longest ? undefined : expected);
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** What the code that is written for a kind imports under this very name. */
const imported = new Set(["BindableResource", "Deployment", "InstanceOf", "OperatorOnCluster"]);
const isPascalCase = matching(
  /^[A-Z][A-Za-z0-9]*$/,
  63,
  "a word in PascalCase of at most 63 letters and digits, for example Memcached",
);

/** Whether a text is a kind, group, version or package name. */
export const checks = {
  kind: (text) =>
    imported.has(text) ? `another word, as the code of each kind imports a "${text}"` : isPascalCase(text),
  group: matching(
    new RegExp(`^${label}(\\.${label})+$`),
    253,
    "a DNS name with a dot, in lower case, for example cache.example.com",
  ),
  version: matching(/^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/, 63, "v1, v1beta1, v1alpha1 or the like"),
  name: matching(
    new RegExp(`^${label}$`),
    63,
    "a DNS label: lower-case letters, digits and dashes, at most 63, for example memcached-operator",
  ),
} as const satisfies Record<string, Check>;

/** Refuses an answer that is not of the form. Errors: `ANSWER_INVALID`. */
export function refuseInvalid(what: keyof typeof checks, value: string): void {
  const expected = checks[what](value);
  if (expected === undefined) return;
  throw new OperatorError("ANSWER_INVALID", `the ${what} cannot be "${value}"`, {
    remedy: `Write ${expected}.`,
  });
}
