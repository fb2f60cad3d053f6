// Content negotiation: what the Accept and Content-Type headers ask for.
import { fieldOf } from "../../../schema/json-value.ts";
import { StatusError } from "../status-error.ts";

/** The versions of meta.k8s.io, in which other forms of objects are. */
export type MetaVersion = "v1" | "v1beta1";

/** How an answer is to be represented. */
export interface Representation {
  readonly as: "object" | "table" | "partial" | "partialList";
  readonly yaml: boolean;
  /** What another form than the object is in. */
  readonly version: MetaVersion;
}

/** A media type with its parameters. */
export interface MediaType {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const offered = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The media types of an Accept header, in the order in which they are preferred. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  return (header === undefined || header === "" ? "*/*" : header)
    .split(",")
    .map((part) => parseMediaType(part))
    .map((media, index) => ({ media, index, quality: Number(media.parameters["q"] ?? "1") }))
    .sort((a, b) => b.quality - a.quality || a.index - b.index)
    .map(({ media }) => media);
}

/** A media type like `application/json;as=Table;v=v1;g=meta.k8s.io`. */
export function parseMediaType(text: string): MediaType {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim());
  const pairs = parameters.map((parameter) => {
    const [name = "", value = ""] = parameter.split("=", 2);
    return [name, value] as const;
  });
  return { type: type.toLowerCase(), parameters: Object.fromEntries(pairs) };
}

/** The type of a body; undefined where Go reads none in the header. Without one it is JSON. */
export function bodyTypeOf(header: string | undefined): string | undefined {
  if (header === undefined || header === "") return "application/json";
  const [, type = "", given = ""] = /^([^;]*)(.*)$/.exec(header) ?? [];
  const names = new Set<string>();
  let rest = given.trim();
  while (rest !== "" && rest !== ";") {
    const [whole = "", name = ""] = parameter.exec(rest) ?? [];
    if (whole === "" || names.has(name.toLowerCase())) return undefined;
    names.add(name.toLowerCase());
    rest = rest.slice(whole.length).trim();
  }
  return type.trim().toLowerCase();
}

const parameter = /^;\s*([^\s"(),/:;<=>?@[\\\]{}]+)\s*=\s*(?:[^\s"(),/:;<=>?@[\\\]{}]+|"(?:[^"\\]|\\.)*")/;

/** Streams are sent in these types only. */
const streamed = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** The representation of the objects in a stream. Errors: 406 when nothing acceptable is offered. */
export function chooseStreamRepresentation(accept: string | undefined, custom: boolean): Representation {
  const chosen = chooseRepresentation(accept, custom, streamed);
  if (!chosen.yaml) return chosen;
  throw notAcceptable(streamed);
}

/** The representation that a resource request gets; `others`: what else is offered. Errors: 406 when nothing acceptable is offered. */
export function chooseRepresentation(
  accept: string | undefined,
  custom: boolean,
  others: readonly string[] = [],
): Representation {
  const accepted = parseAccept(accept);
  // Requests for types of its own are sorted out before they are looked at; only there half a wildcard is none.
  if (!custom && !accepted.some(({ type }) => type === "*/*" || offered.includes(type))) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${[...offered, ...others].join(", ")}`;
    throw new StatusError(406, "NotAcceptable", message, {});
  }
  for (const { type, parameters } of accepted) {
    const yaml = type === "application/yaml";
    if (!yaml && !isJson(type)) continue;
    const { as = "", g: group, v: version } = parameters;
    if (as === "") return { as: "object", yaml, version: "v1" };
    const form = fieldOf(forms, as);
    if (form === undefined || group !== "meta.k8s.io") continue;
    if (version === "v1" || version === "v1beta1") return { as: form, yaml, version };
  }
  throw notAcceptable(offered);
}

const forms: Readonly<Record<string, Representation["as"]>> = {
  Table: "table",
  PartialObjectMetadata: "partial",
  PartialObjectMetadataList: "partialList",
};

/** Whether what has no other form, such as a Status, is to be sent as YAML. */
export function isYamlAsked(accept: string | undefined): boolean {
  const plain = parseAccept(accept).find(
    ({ type, parameters }) =>
      (parameters["as"] ?? "") === "" && (type === "application/yaml" || isJson(type)),
  );
  return plain?.type === "application/yaml";
}

function isJson(type: string): boolean {
  return type === "application/json" || type === "application/*" || type === "*/*";
}

function notAcceptable(types: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${types.join(", ")}`;
  return new StatusError(406, "NotAcceptable", message);
}
