// What Endpoints must be: addresses that others can reach, and ports.
import { invalidValue, requiredValue } from "../../../../schema/status-cause.ts";
import { labelNameFaults, qualifiedNameFaults, subdomainFaults } from "../../../../meta/name-rules.ts";
import { fieldsList, fieldsOf, listOf, textOf } from "../../api-object.ts";
import { ipFault, looseAddress, reachFaults, type IsOfPod } from "./ip-rules.ts";
import {
  all,
  each,
  fields,
  filled,
  isEmpty,
  optional,
  portNumber,
  protocol,
  text,
  type Rule,
} from "./rule.ts";

const port: Rule = fields({
  name: filled(text(labelNameFaults)),
  port: portNumber,
  protocol,
  appProtocol: optional(text(qualifiedNameFaults)),
});

function addressRule(isOfPod: IsOfPod): Rule {
  /** The real server asks twice whether it is one. */
  const reachable: Rule = (value, at) => {
    const ip = textOf(value);
    const address = looseAddress(ip);
    const faults = address === undefined ? ["must be a valid IP address"] : reachFaults(address, isOfPod);
    return faults.map((fault) => invalidValue(at, ip, fault));
  };
  return all(
    fields({
      ip: (value, at, parent) => text(ipFault)(textOf(value), at, parent),
      hostname: filled(text(labelNameFaults)),
      nodeName: optional(text(subdomainFaults)),
    }),
    fields({ ip: reachable }),
  );
}

/** `Endpoints` of v1. */
export function endpointsRules(isOfPod: IsOfPod): Rule {
  const address = addressRule(isOfPod);
  return fields({
    subsets: each(
      (value, at) => {
        const { addresses, notReadyAddresses } = fieldsOf(value);
        const isAddressed = listOf(addresses).length > 0 || listOf(notReadyAddresses).length > 0;
        return isAddressed ? [] : [requiredValue(at, "must specify `addresses` or `notReadyAddresses`")];
      },
      fields({
        addresses: each(address),
        notReadyAddresses: each(address),
        ports: all(each(port), (value, at) =>
          listOf(value).length < 2
            ? []
            : fieldsList(value).flatMap(({ name }, index) =>
                isEmpty(name) ? [requiredValue(`${at}[${index}].name`)] : [],
              ),
        ),
      }),
    ),
  });
}
