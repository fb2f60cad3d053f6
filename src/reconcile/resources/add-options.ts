// What `registry.add` takes besides resources: the states that they belong to, and what they are written after.
import { TerminalError } from "../../ports/operator-error.ts";
import { readStates, type ApplicationStates } from "./application-states.ts";
import type { Registrable } from "./resource.ts";
import type { KubeObject } from "../../meta/object.ts";

/** The last argument of `registry.add`. */
export interface AddOptions<TCR extends KubeObject = KubeObject, TState extends string = string> {
  /**
   * Paths of the lifecycle's states (`Running`, `Running:Backup`), any of which may be active; a state stands for all that are
   * inside it. The resources are created, changed and kept in these states, and deleted in all others. Default: all states.
   */
  readonly in?: readonly TState[];
  /**
   * What has to be there first, as it was registered itself, in this call or another: the resources are written only once that exists as
   * declared in this run, and are deleted before it. Default: the order of registration, in which a failure holds up nothing else.
   */
  readonly after?: readonly Registrable<TCR>[];
}

/** The options of one call, as they are kept. */
interface ReadOptions {
  readonly states: readonly string[] | undefined;
  readonly after: readonly object[];
}

/** Whether this is the options of `registry.add`, not something to register. */
export function isAddOptions(value: object): value is AddOptions {
  const isOptions = "in" in value || "after" in value;
  return isOptions && !("apiVersion" in value) && !("bind" in value) && !("kindName" in value);
}

/**
 * The options of a call.
 *
 * **Errors**: `RESOURCE_STATES_INVALID` for states that the lifecycle does not have, and for an option that there is not;
 * `RESOURCE_ORDER_INVALID` for an `after` that is no list of resources. Both give up.
 */
export function readAddOptions(options: object, application: ApplicationStates | undefined): ReadOptions {
  const { after = [], ...others } = options as { readonly after?: unknown };
  if (!Array.isArray(after) || after.some((each) => typeof each !== "object" || each === null)) {
    throw new TerminalError(
      "RESOURCE_ORDER_INVALID",
      "registry.add was given an after that is no list of resources",
      {
        remedy:
          "Name what is registered, not its name: const config = configMap(cr); registry.add(config); registry.add(set, { after: [config] }).",
      },
    );
  }
  const isOrderOnly = "after" in options && Object.keys(others).length === 0;
  return {
    states: isOrderOnly ? undefined : readStates(others, application),
    after: after as readonly object[],
  };
}
