// What a generated object is, and what all of them carry.
/** One object of a manifest, plain data in the order in which it is to be read. */
export interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** The labels of everything that belongs to an operator. */
export function labelsOf(operator: string): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/name": operator, "app.kubernetes.io/component": "operator" };
}
