// Content negotiation: what the Accept and Content-Type headers ask for.
import { StatusError } from "../status-error.ts";

/** How an answer is to be represented. */
export interface Representation {
  readonly as: "object" | "table" | "partial";
  readonly yaml: boolean;
}

/** A media type with its parameters. */
export interface MediaType {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const offered = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** The media types of an Accept header, in the order in which they are preferred. */
export function parseAccept(header: string | undefined): readonly MediaType[] {
  return (header ?? "*/*")
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

/** Streams are sent in these types only. */
const streamed = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** The representation of the objects in a stream. Errors: 406 when nothing acceptable is offered. */
export function chooseStreamRepresentation(accept: string | undefined): Representation {
  const chosen = chooseRepresentation(accept);
  if (!chosen.yaml) return chosen;
  const message = `only the following media types are accepted: ${streamed.join(", ")}`;
  throw new StatusError(406, "NotAcceptable", message);
}

/** The representation that a resource request gets. Errors: 406 when nothing acceptable is offered. */
export function chooseRepresentation(accept: string | undefined): Representation {
  for (const { type, parameters } of parseAccept(accept)) {
    const yaml = type === "application/yaml";
    if (!yaml && type !== "application/json" && type !== "application/*" && type !== "*/*") continue;
    const as = parameters["as"];
    const isMeta = parameters["g"] === "meta.k8s.io" && parameters["v"] === "v1";
    if (as === undefined || as === "") return { as: "object", yaml };
    if (as === "Table" && isMeta) return { as: "table", yaml };
    if ((as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") && isMeta) {
      return { as: "partial", yaml };
    }
  }
  const message = `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`;
  throw new StatusError(406, "NotAcceptable", message, {});
}
