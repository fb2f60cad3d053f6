// Names in a file that no API server takes, whatever the expressions in them say: of objects, namespaces, labels, pods, variables.
import {
  labelNameFault,
  labelValueFault,
  nameFault,
  qualifiedNameFault,
  subdomainFault,
} from "../../meta/name-rules.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { isJsonObject } from "../../schema/json-value.ts";
import { inside, type TemplatePlace } from "../expressions/template.ts";
import { hasExpression, withSample } from "../expressions/template-text.ts";

/** What a text is to be, and what is wrong with one, in the API server's words. */
interface NameRule {
  /** Completes "… cannot be". */
  readonly what: string;
  readonly fault: (text: string) => string | undefined;
}

/** Checks the name of an object of a type. */
export function checkObjectName(name: string, type: ResourceType, place: TemplatePlace): void {
  checkName(name, place, { what: `the name of a ${type.kind}`, fault: (text) => nameFault(type, text) });
}

/** Checks the name of a namespace. */
export function checkNamespace(name: string, place: TemplatePlace): void {
  checkName(name, place, { what: "a namespace", fault: labelNameFault });
}

/** Checks the name of a pod. */
export function checkPodName(name: string, place: TemplatePlace): void {
  checkName(name, place, { what: "the name of a Pod", fault: subdomainFault });
}

/** Checks the name of a container. */
export function checkContainerName(name: string, place: TemplatePlace): void {
  checkName(name, place, { what: "the name of a container", fault: labelNameFault });
}

/** Checks labels, as far as they are written as names and values. */
export function checkLabels(labels: unknown, place: TemplatePlace): void {
  for (const [name, value] of Object.entries(isJsonObject(labels) ? labels : {})) {
    const here = inside(place, name);
    checkName(name, here, { what: "the name of a label", fault: qualifiedNameFault });
    if (typeof value !== "string") continue;
    checkName(value, here, { what: "the value of a label", fault: labelValueFault });
  }
}

/** Checks the names of annotations. */
export function checkAnnotations(annotations: unknown, place: TemplatePlace): void {
  for (const name of Object.keys(isJsonObject(annotations) ? annotations : {})) {
    // The server compares them in lower case.
    const fault = (text: string): string | undefined => qualifiedNameFault(text.toLowerCase());
    checkName(name, inside(place, name), { what: "the name of an annotation", fault });
  }
}

/** Checks the reason of an Event. */
export function checkReason(reason: string, place: TemplatePlace): void {
  if (reason.length <= mostOfReason) return;
  place.reader.report({
    code: "NAME_INVALID",
    path: place.path,
    message: `the reason of an Event has ${reason.length} characters, and at most ${mostOfReason} are taken`,
    remedy: "Write one word in PascalCase, and the rest into the message.",
  });
}

const mostOfReason = 128;

/** What CEL keeps for itself, and what it takes for a value. */
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Whether a word can be a variable of expressions that is not one yet; else that is reported. */
export function checkVariable(name: string, place: TemplatePlace, code: string): boolean {
  const isTaken = place.scope.names.includes(name);
  const isWord =
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.has(name) && !Object.hasOwn(Object.prototype, name);
  if (isWord && !isTaken) return true;
  place.reader.report({
    code,
    path: place.path,
    message: isTaken ? `"${name}" is a variable already` : `"${name}" cannot be the name of a variable`,
    remedy: isTaken
      ? "Give it another name."
      : "Write letters, digits and _ with a letter first, and no word that CEL has taken.",
  });
  return false;
}

/** Characters of a name that are shown. */
const mostShown = 80;

/** Any expression may say a letter: if that does not make a name, nothing does. */
const letter = "x";

function checkName(text: string, { reader, path }: TemplatePlace, { what, fault }: NameRule): void {
  const found = fault(withSample(text, () => letter));
  if (found === undefined) return;
  const [rule = ""] = found.split(/,? \((?:e\.g\.|regex)/);
  const anyway = hasExpression(text) ? ", whatever its expressions say" : "";
  reader.report({
    code: "NAME_INVALID",
    path,
    message: `"${text.length > mostShown ? `${text.slice(0, mostShown)}…` : text}" cannot be ${what}${anyway}: ${rule}`,
    remedy: "Give it another name.",
  });
}
