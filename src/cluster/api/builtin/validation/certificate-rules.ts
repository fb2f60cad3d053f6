// What CertificateSigningRequests must be. The signature of a request is not verified.
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, listOf, textOf } from "../../api-object.ts";
import { labelNameFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
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
  const isShort = labels.length < 2;
  const least = "should be a domain with at least two segments separated by dots";
  return [
    ...(domain.length > longestDomain ? [tooLong(at, longestDomain)] : []),
    ...firstFaults(labels, labelNameFaults).map((fault) => invalidValue(at, domain, fault)),
    ...(isShort ? [invalidValue(at, domain, least)] : []),
    ...firstFaults(path.split("."), subdomainFaults).map((fault) => invalidValue(at, path, fault)),
    ...(name.length > longestSigner ? [tooLong(at, longestSigner)] : []),
  ];
};

const longestDomain = 253;
const longestSigner = 571;

/** What is wrong with the first label that anything is wrong with. */
function firstFaults(
  labels: readonly string[],
  faultsOf: (label: string) => readonly string[],
): readonly string[] {
  const label = labels.find((each_) => faultsOf(each_).length > 0);
  if (label === undefined) return [];
  return faultsOf(label).map((fault) => `validating label ${JSON.stringify(label)}: ${fault}`);
}

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

/** What was signed: certificates, and nothing else. */
const certificate: Rule = (value, at) => {
  const text = Buffer.from(textOf(value), "base64").toString("latin1");
  if (text === "") return [];
  const blocks = [...text.matchAll(/-----BEGIN ([^-]+)-----[\s\S]+?-----END \1-----/g)].map(
    ([, type]) => type,
  );
  const other = blocks.find((type) => type !== "CERTIFICATE");
  const fault =
    other === undefined
      ? blocks.length === 0
        ? "must contain at least one CERTIFICATE PEM block"
        : undefined
      : `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(other)}`;
  return fault === undefined ? [] : [invalidValue(at, "<certificate data>", fault)];
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
  status: fields({ conditions, certificate }),
});
