// The OpenAPI v2 document. It names no type: what it would say is in the v3 documents, and every write is validated here.
// Clients ask for it all the same before they send what they do not find in v3 (kubectl: a file with a `v1 List`, a kind that
// nobody knows), fail without one, and validate nothing by themselves where it does not name a type.
import { serverVersion } from "./server-version.ts";

/** Asked for by clients of Kubernetes' own library: the message `Document` of github.com/google/gnostic, openapiv2/OpenAPIv2.proto. */
const protobufType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The document in the form that an Accept header asks for: JSON unless that names the protobuf form. */
export function openApiV2(accept: string): { readonly text: string; readonly contentType: string } {
  const info = { title: "Kubernetes", version: serverVersion.gitVersion };
  // Older clients write an @ before the version.
  const isProtobuf = accept.toLowerCase().replaceAll("@", ".").includes(protobufType);
  return isProtobuf
    ? {
        text: text(1, "2.0") + text(2, text(1, info.title) + text(2, info.version)),
        contentType: protobufType,
      }
    : {
        text: JSON.stringify({ swagger: "2.0", info, paths: {}, definitions: {} }),
        contentType: "application/json",
      };
}

/** A field that is a text or a message, of less than 128 bytes of ASCII. https://protobuf.dev/programming-guides/encoding/ */
function text(field: number, value: string): string {
  return String.fromCharCode((field << 3) | 2, value.length) + value;
}
