// How a kind is called in paths and on the command line, and which names the API server would refuse.
import { OperatorError } from "../ports/operator-error.ts";

/** The names of a kind, as an author may give them. */
export interface KindNames {
  /** The API group, a domain of your own: `data.example.com`. */
  readonly group: string;
  /** The version of the schema: `v1alpha1`, `v1`. */
  readonly version: string;
  /** As in manifests, in PascalCase: `Database`. */
  readonly kind: string;
  /** As in paths and roles; default the usual English plural: `databases`. */
  readonly plural?: string;
  /** Default the kind in lower case: `database`. */
  readonly singular?: string;
  /** Further names for kubectl, as `db`; default none. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds for `kubectl get CATEGORY`, as `all`; default none. */
  readonly categories?: readonly string[];
}

/** The names of a kind, complete. */
export type CompiledKindNames = Required<KindNames>;

const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;
const pascalCase = /^[A-Z][A-Za-z0-9]{0,62}$/;

/** Completes and checks the names of a kind. Errors: `KIND_INVALID`. */
export function compileKindNames(names: KindNames): CompiledKindNames {
  const singular = names.singular ?? names.kind.toLowerCase();
  const compiled = {
    group: names.group,
    version: names.version,
    kind: names.kind,
    plural: names.plural ?? pluralOf(singular),
    singular,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
  };
  check(
    compiled.group,
    "group",
    subdomain,
    'a domain in lower case with a dot, for instance "data.example.com"',
  );
  checkVersionName(compiled.version);
  check(compiled.kind, "kind", pascalCase, 'a word in PascalCase, for instance "Database"');
  const short = 'a word of lower case letters, digits and dashes, for instance "databases"';
  check(compiled.plural, "plural", label, short);
  check(compiled.singular, "singular", label, short);
  for (const name of compiled.shortNames) check(name, "short name", label, short);
  for (const name of compiled.categories) check(name, "category", label, short);
  return compiled;
}

/** Errors: `KIND_INVALID` for a name that cannot be that of a version. */
export function checkVersionName(name: string): void {
  check(name, "version", label, 'a word such as "v1", "v1beta2"');
}

/** The usual English plural of a lower-case word: `database` → `databases`, `policy` → `policies`, `proxy` → `proxies`. */
export function pluralOf(singular: string): string {
  if (/(s|x|z|ch|sh)$/.test(singular)) return `${singular}es`;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}

/** What an option is called whose items are named. */
const optionOf: Readonly<Record<string, string>> = { "short name": "shortNames", category: "categories" };

function check(name: string, what: string, pattern: RegExp, expected: string): void {
  if (pattern.test(name) && name.length <= 253) return;
  throw new OperatorError("KIND_INVALID", `"${name}" cannot be the ${what} of a kind`, {
    fields: { name, option: optionOf[what] ?? what, ...(what === "kind" ? { kind: name } : {}) },
    remedy: `Use ${expected}.`,
  });
}
