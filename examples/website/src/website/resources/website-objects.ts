// What a website owns: a ConfigMap with its page and a Deployment that serves it, made of templates.
import { readFileSync } from "node:fs";
import { renderTemplate } from "xstate-operator";
import type { Website } from "../website.ts";

// Written out, so that `build` finds them.
const files = [new URL("page.yaml", import.meta.url), new URL("server.yaml", import.meta.url)];
const templates = files.map((file) => readFileSync(file, "utf8"));

/** The objects of a website, for the state that it is in. */
export function websiteObjects({ metadata, spec, status }: Website) {
  const state = status?.lifecycle?.state ?? "Start";
  const page = state === "Maintenance" ? "<h1>Closed for maintenance</h1>" : spec.page;
  const replicas = state === "Stopping" || state === "End" ? 0 : spec.replicas;
  return templates.map((yaml) => renderTemplate(yaml, { ...metadata, page, replicas }));
}
