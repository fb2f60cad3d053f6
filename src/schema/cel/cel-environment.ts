// The CEL that Kubernetes' validation rules are written in: the standard functions and Kubernetes' libraries.
// Cloned for every rule-bearing schema node, which then adds its own types.
import { Environment } from "@marcbachmann/cel-js";
import { registerComprehensionMacros } from "./comprehension-macros.ts";
import { registerFormatFunctions } from "./format-functions.ts";
import { registerListFunctions } from "./list-functions.ts";
import { registerNetworkFunctions } from "./network-functions.ts";
import { registerOptionalMacros } from "./optional-macros.ts";
import { registerQuantityFunctions } from "./quantity.ts";
import { registerSemverFunctions } from "./semver-functions.ts";
import { registerConversions } from "./conversions.ts";
import { registerStringFunctions } from "./string-functions.ts";
import { registerTextFormat } from "./text-format.ts";

const base = new Environment({
  unlistedVariablesAreDyn: false,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
});
registerComprehensionMacros(base);
registerOptionalMacros(base);
registerFormatFunctions(base);
registerListFunctions(base);
registerStringFunctions(base);
registerTextFormat(base);
registerConversions(base);
registerQuantityFunctions(base);
registerNetworkFunctions(base);
registerSemverFunctions(base);

/** A new environment with every function and no variable. */
export function createCelEnvironment(): Environment {
  return base.clone();
}
