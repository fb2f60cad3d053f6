// What other API servers have said of themselves when they were asked last, by the name of the APIService: kept up to date in
// src/cluster/api/aggregation, read where discovery and OpenAPI are answered.
import type { Fields } from "../api-object.ts";

/** What the server of a group and version serves. */
export interface ExtensionResources {
  /** In the form of aggregated discovery. */
  readonly resources: readonly unknown[];
  /** False: it could not be asked. */
  readonly isCurrent: boolean;
}

/** The documents of all of them. */
export class ExtensionDocuments {
  readonly resources = new Map<string, ExtensionResources>();
  /** The index of OpenAPI v3, by its paths. */
  readonly openApiV3 = new Map<string, Readonly<Record<string, unknown>>>();
  /** Paths and definitions of OpenAPI v2. */
  readonly openApiV2 = new Map<string, { readonly paths: Fields; readonly definitions: Fields }>();

  /** An APIService is gone. */
  forget(name: string): void {
    this.resources.delete(name);
    this.forgetOpenApi(name);
  }

  /** Its server describes nothing, or not any more. */
  forgetOpenApi(name: string): void {
    this.openApiV3.delete(name);
    this.openApiV2.delete(name);
  }
}
