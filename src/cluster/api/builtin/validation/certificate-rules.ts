// What CertificateSigningRequests must be. The signature of a request is not verified.
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import { labelNameFault, pathSegmentFault } from "../../../../meta/name-rules.ts";
import { all, each, fields, oneOf, optional, required, type Rule } from "./rule.ts";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

const request: Rule = (value, at) => {
  const text = Buffer.from(textOf(value), "base64").toString("latin1");
  const block = /-----BEGIN ([^-]+)-----[\s\S]+?-----END \1-----/.exec(text)?.[1];
  if (block === "CERTIFICATE REQUEST" || block === "NEW CERTIFICATE REQUEST") return [];
  return [invalidValue(at, value ?? null, "PEM block type must be CERTIFICATE REQUEST")];
};

const unique: Rule = (value, at) => {
  const items = listOf(value);
  return items.flatMap((item, index) =>
    items.indexOf(item) < index ? [duplicateValue(`${at}[${index}]`, item)] : [],
  );
};

const signer: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  const parts = name.split("/");
  if (parts.length !== 2) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(at, name, detail)];
  }
  if (name === "kubernetes.io/legacy-unknown") {
    return [invalidValue(at, name, "the legacy signerName is not allowed via this API version")];
  }
  const [domain = "", path = ""] = parts;
  const labels = domain.split(".");
  const faults = labels.flatMap((label) => {
    const fault = labelNameFault(label);
    return fault === undefined ? [] : [`validating label ${JSON.stringify(label)}: ${fault}`];
  });
  if (labels.length < 2) faults.push("should be a domain with at least two segments separated by dots");
  if (faults.length > 0) return faults.map((fault) => invalidValue(at, domain, fault));
  const pathFault = path === "" ? undefined : pathSegmentFault(path);
  return pathFault === undefined ? [] : [invalidValue(at, path, pathFault)];
};

const conditions: Rule = (value, at) => {
  const causes: StatusCause[] = [];
  const seen = new Set<string>();
  fieldsList(value).forEach((condition, index) => {
    const field = `${at}[${index}]`;
    const type = textOf(condition["type"]);
    const status = textOf(condition["status"]);
    if (type === "") causes.push(requiredValue(`${field}.type`));
    const isFixed = ["Approved", "Denied", "Failed"].includes(type);
    const allowed = isFixed ? ["True"] : ["False", "True", "Unknown"];
    if (status === "") causes.push(requiredValue(`${field}.status`));
    else if (!allowed.includes(status)) causes.push(unsupportedValue(`${field}.status`, status, allowed));
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (opposite !== undefined && seen.has(opposite)) {
      causes.push(invalidValue(at, type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (seen.has(type)) causes.push(duplicateValue(`${field}.type`, type));
    seen.add(type);
  });
  return causes;
};

/** `CertificateSigningRequest`. */
export const certificateRules: Rule = fields({
  spec: fields({
    request,
    usages: all(required(), each(oneOf(...usages)), unique),
    signerName: signer,
    expirationSeconds: optional((value, at) =>
      Number(value) >= 600
        ? []
        : [invalidValue(at, value, "may not specify a duration less than 600 seconds (10 minutes)")],
    ),
  }),
  status: (value, at, parent) => conditions(fieldsOf(value)["conditions"], `${at}.conditions`, parent),
});
