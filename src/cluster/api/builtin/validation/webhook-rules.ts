// What webhook configurations must be, in the words of kube-apiserver.
import { matchConditionFaults } from "../../admission/admission-expressions.ts";
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
  type StatusCause,
} from "../../../../schema/status-cause.ts";
import { fieldsList, fieldsOf, isFields, listOf, textOf } from "../../api-object.ts";
import {
  labelNameFault,
  labelValueFault,
  qualifiedNameFaults,
  subdomainFault,
} from "../../../../meta/name-rules.ts";
import { all, each, fields, optional, type Rule } from "./rule.ts";

const oneOf = (...supported: readonly string[]): Rule =>
  optional((value, at) =>
    supported.includes(String(value)) ? [] : [unsupportedValue(at, value, supported)],
  );

/** A selector of labels. */
export const labelSelectorRule: Rule = (value, at) => {
  const { matchLabels, matchExpressions } = fieldsOf(value);
  const causes: StatusCause[] = [];
  for (const [key, label] of Object.entries(fieldsOf(matchLabels))) {
    causes.push(...qualifiedNameFaults(key).map((fault) => invalidValue(`${at}.matchLabels`, key, fault)));
    const valueFault = labelValueFault(textOf(label));
    if (valueFault !== undefined) causes.push(invalidValue(`${at}.matchLabels`, label, valueFault));
  }
  fieldsList(matchExpressions).forEach((expression, index) => {
    const field = `${at}.matchExpressions[${index}]`;
    const operator = textOf(expression["operator"]);
    const values = listOf(expression["values"]);
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        const detail = "must be specified when `operator` is 'In' or 'NotIn'";
        causes.push(requiredValue(`${field}.values`, detail));
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
        causes.push({
          reason: "FieldValueForbidden",
          field: `${field}.values`,
          message: `Forbidden: ${detail}`,
        });
      }
    } else causes.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
    const key = textOf(expression["key"]);
    causes.push(...qualifiedNameFaults(key).map((fault) => invalidValue(`${field}.key`, key, fault)));
    values.forEach((each, place) => {
      const fault = labelValueFault(textOf(each));
      if (fault !== undefined) causes.push(invalidValue(`${field}.values[${place}]`, each, fault));
    });
  });
  return causes;
};

/** A rule of a webhook or a policy: what is written, and how. */
export const operationRule: Rule = (value, at) => {
  const rule = fieldsOf(value);
  const causes: StatusCause[] = [];
  const listed = (name: string, what: string): readonly string[] => {
    const items = listOf(rule[name]).map(String);
    if (items.length === 0) causes.push(requiredValue(`${at}.${name}`));
    if (items.length > 1 && items.includes("*")) {
      causes.push(invalidValue(`${at}.${name}`, items, `if '*' is present, must not specify other ${what}`));
    }
    return items;
  };
  const supported = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
  listed("operations", "operations").forEach((operation, index) => {
    if (supported.includes(operation)) return;
    causes.push(unsupportedValue(`${at}.operations[${index}]`, operation, supported));
  });
  listed("apiGroups", "API groups");
  listed("apiVersions", "API versions").forEach((version, index) => {
    if (version === "") causes.push(requiredValue(`${at}.apiVersions[${index}]`));
  });
  causes.push(...resourceFaults(listOf(rule["resources"]).map(String), `${at}.resources`));
  causes.push(...oneOf("*", "Cluster", "Namespaced")(rule["scope"], `${at}.scope`, rule));
  return causes;
};

function resourceFaults(resources: readonly string[], at: string): StatusCause[] {
  if (resources.length === 0) return [requiredValue(at)];
  const causes: StatusCause[] = [];
  const invalid = (detail: string): void => {
    causes.push(invalidValue(at, resources, detail));
  };
  resources.forEach((resource, index) => {
    if (resource === "") causes.push(requiredValue(`${at}[${index}]`));
  });
  if (resources.includes("*/*") && resources.length > 1) {
    invalid("if '*/*' is present, must not specify other resources");
  }
  const hasOthers = resources.some((each_) => each_ !== "*" && !each_.includes("/"));
  if (resources.includes("*") && hasOthers) {
    invalid("if '*' is present, must not specify other resources without subresources");
  }
  return causes;
}

const form = "desired format: https://host[/path]";

function urlFaults(text: string, at: string): StatusCause[] {
  if (text === "") {
    return [
      invalidValue(at, text, `'https' is the only allowed URL scheme; ${form}`),
      invalidValue(at, text, `host must be specified; ${form}`),
    ];
  }
  if (!URL.canParse(text.replace(/^([a-z]+:)\/\/\//i, "$1//host/"))) {
    return [requiredValue(at, `url must be a valid URL; ${form}`)];
  }
  const isHostless = /^[a-z]+:\/\/\//i.test(text);
  const url = new URL(isHostless ? text.replace("///", "//host/") : text);
  const causes: StatusCause[] = [];
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== "https") {
    causes.push(invalidValue(at, scheme, `'https' is the only allowed URL scheme; ${form}`));
  }
  if (isHostless) causes.push(invalidValue(at, "", `host must be specified; ${form}`));
  if (url.username !== "") {
    const given = url.password === "" ? url.username : `${url.username}:${url.password}`;
    causes.push(invalidValue(at, given, "user information is not permitted in the URL"));
  }
  if (url.hash !== "") {
    causes.push(invalidValue(at, url.hash.slice(1), "fragments are not permitted in the URL"));
  }
  if (url.search !== "") {
    causes.push(invalidValue(at, url.search.slice(1), "query parameters are not permitted in the URL"));
  }
  return causes;
}

function pathFaults(path: string, at: string): StatusCause[] {
  if (path === "" || path === "/") return [];
  const causes: StatusCause[] = [];
  if (path === "//") causes.push(invalidValue(at, path, "segment[0] may not be empty"));
  if (!path.startsWith("/")) causes.push(invalidValue(at, path, "must start with a '/'"));
  const steps = path.replace(/\/$/, "").split("/").slice(1);
  if (steps.length === 0) causes.push(invalidValue(at, path, "segment[0] may not be empty"));
  steps.forEach((step, index) => {
    if (step === "") causes.push(invalidValue(at, path, `segment[${index}] may not be empty`));
    else {
      const fault = subdomainFault(step);
      if (fault !== undefined) causes.push(invalidValue(at, path, `segment[${index}]: ${fault}`));
    }
  });
  return causes;
}

/** Where a webhook is called. */
export const clientConfigRule: Rule = (value, at) => {
  const { url, service } = fieldsOf(value);
  if ((typeof url === "string") === isFields(service)) {
    return [requiredValue(at, "exactly one of url or service is required")];
  }
  if (typeof url === "string") return urlFaults(url, `${at}.url`);
  const reference = fieldsOf(service);
  const causes: StatusCause[] = [];
  for (const name of ["name", "namespace"]) {
    if (textOf(reference[name]) === "") causes.push(requiredValue(`${at}.service.${name}`));
  }
  const { port = 443, path = "" } = reference;
  if (typeof port !== "number" || port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    causes.push(invalidValue(`${at}.service.port`, port, detail));
  }
  return [...causes, ...pathFaults(textOf(path), `${at}.service.path`)];
};

const nameRule: Rule = (value, at) => {
  const name = textOf(value);
  if (name === "") return [requiredValue(at)];
  const parts = name.split(".");
  const fault =
    subdomainFault(name) ??
    (parts.length < 3 ? "should be a domain with at least three segments separated by dots" : undefined) ??
    parts.map(labelNameFault).find((each_) => each_ !== undefined);
  return fault === undefined ? [] : [invalidValue(at, name, fault)];
};

const versionsRule: Rule = (value, at) => {
  const versions = listOf(value);
  const known = ["v1", "v1beta1"];
  if (versions.length === 0) return [requiredValue(at, "must specify one of v1, v1beta1")];
  const twice = versions.flatMap((version, index) =>
    versions.indexOf(version) < index ? [invalidValue(`${at}[${index}]`, version, "duplicate version")] : [],
  );
  if (versions.some((each_) => known.includes(String(each_)))) return twice;
  return [...twice, invalidValue(at, versions, "must include at least one of v1, v1beta1")];
};

const sideEffectsRule: Rule = (value, at) => {
  if (value === undefined) return [requiredValue(at, "must specify one of None, NoneOnDryRun")];
  return oneOf("None", "NoneOnDryRun")(value, at, {});
};

const timeoutRule: Rule = optional((value, at) =>
  Number(value) >= 1 && Number(value) <= 30
    ? []
    : [invalidValue(at, value, "the timeout value must be between 1 and 30 seconds")],
);

const uniqueNames: Rule = (value, at) => {
  const names = new Set<string>();
  return fieldsList(value).flatMap(({ name }, index) => {
    const isKnown = names.has(textOf(name));
    names.add(textOf(name));
    return isKnown ? [duplicateValue(`${at}[${index}].name`, name)] : [];
  });
};

/** `MutatingWebhookConfiguration` and `ValidatingWebhookConfiguration`. */
export const webhookConfigurationRules: Rule = fields({
  webhooks: all(
    each(
      fields({
        name: nameRule,
        rules: each(operationRule),
        failurePolicy: oneOf("Fail", "Ignore"),
        matchPolicy: oneOf("Equivalent", "Exact"),
        sideEffects: sideEffectsRule,
        timeoutSeconds: timeoutRule,
        namespaceSelector: labelSelectorRule,
        objectSelector: labelSelectorRule,
        admissionReviewVersions: versionsRule,
        clientConfig: clientConfigRule,
        reinvocationPolicy: oneOf("IfNeeded", "Never"),
        matchConditions: (value, at) => matchConditionFaults(value, at),
      }),
    ),
    uniqueNames,
  ),
});
