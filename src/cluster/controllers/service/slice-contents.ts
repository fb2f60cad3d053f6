// How the endpoints of a service are spread over its EndpointSlices: at most a hundred in each, and each stays where it is. Pure.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/endpointslice/reconciler.go
import { equal } from "../../../schema/json-value.ts";
import type { EndpointSlice } from "../../../kinds/builtin/discovery.ts";
import type { Endpoint, EndpointPort } from "../../../kinds/builtin/parts.ts";

/** The most endpoints of a slice. */
const most = 100;

/** Endpoints that have the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** What a slice is to contain. */
export interface SliceContent extends EndpointGroup {
  /** The slice that is there; undefined for one that is to be made. */
  readonly present: EndpointSlice | undefined;
}

/** What the slices of a service are to contain; those of `present` that are not among them are to go. */
export function sliceContents(
  groups: readonly EndpointGroup[],
  present: readonly EndpointSlice[],
): readonly SliceContent[] {
  const left = new Set(present);
  const contents = groups.flatMap((group) => {
    const same = [...left].filter(({ ports }) => equal(ports ?? [], group.ports));
    const spread = spreadOver(group.endpoints, same);
    return spread.map(({ slice, endpoints }) => {
      if (slice !== undefined) left.delete(slice);
      return { present: slice, ports: group.ports, endpoints };
    });
  });
  // What is not needed any more is filled again, rather than deleted beside one that is made.
  return contents.map((content) => {
    const [spare] = content.present === undefined ? left : [];
    if (spare === undefined) return content;
    left.delete(spare);
    return { ...content, present: spare };
  });
}

interface Filled {
  readonly slice: EndpointSlice | undefined;
  readonly endpoints: readonly Endpoint[];
}

/** Endpoints that are in a slice stay there; the others fill what has room, the fullest first, and then new ones. */
function spreadOver(endpoints: readonly Endpoint[], slices: readonly EndpointSlice[]): readonly Filled[] {
  const waiting = new Map(endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  const kept = slices.map((slice): Filled => {
    const here = (slice.endpoints ?? []).flatMap((endpoint) => take(waiting, keyOf(endpoint))).slice(0, most);
    return { slice, endpoints: here };
  });
  const used = kept.filter(({ endpoints: here }) => here.length > 0);
  // One that has become empty is as good as any.
  const byRoom =
    used.length === 0 ? kept.slice(0, 1) : used.toSorted((a, b) => b.endpoints.length - a.endpoints.length);
  const rest = [...waiting.values()];
  const filled: Filled[] = byRoom.map(({ slice, endpoints: here }) => ({
    slice,
    endpoints: sorted([...here, ...rest.splice(0, most - here.length)]),
  }));
  if (filled.length === 0 && rest.length === 0) return [{ slice: undefined, endpoints: [] }];
  while (rest.length > 0) filled.push({ slice: undefined, endpoints: sorted(rest.splice(0, most)) });
  return filled;
}

function take(from: Map<string, Endpoint>, key: string): readonly Endpoint[] {
  const found = from.get(key);
  from.delete(key);
  return found === undefined ? [] : [found];
}

/** A pod that is made again under its name is another endpoint. */
function keyOf({ addresses, targetRef }: Endpoint): string {
  return targetRef?.uid ?? addresses.join();
}

function sorted(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const nameOf = ({ targetRef }: Endpoint): string => targetRef?.name ?? "";
  return endpoints.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
