// A machine's configuration and where it is, as a tree of states to be shown. Pure.

/** One edge as it is written. */
export interface OutlineEdge {
  readonly label: string;
  readonly targets: readonly string[];
}

/** One state. */
export interface OutlineState {
  readonly name: string;
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history";
  readonly active: boolean;
  readonly edges: readonly OutlineEdge[];
  readonly states: readonly OutlineState[];
}

type Fields = Readonly<Record<string, unknown>>;

/** States of a list; more of them nobody reads. */
const listed = 500;

/** How many states may still be read. */
interface Budget {
  left: number;
}

/** The states of a machine; `value` is XState's own state value. Never throws, whatever was sent. */
export function outlineOf(
  config: unknown,
  value: unknown,
  budget: Budget = { left: listed },
): readonly OutlineState[] {
  return Object.entries(fieldsOf(fieldsOf(config)["states"])).flatMap(([name, node]) => {
    if (budget.left <= 0) return [];
    budget.left -= 1;
    return [stateOf(name, fieldsOf(node), partOf(value, name), budget)];
  });
}

/** The state value as a line: nested states joined by dots, parallel ones by commas. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  return Object.entries(fieldsOf(value))
    .map(([name, inner]) => {
      const below = valueText(inner);
      return below === ""
        ? name
        : below
            .split(", ")
            .map((each) => `${name}.${each}`)
            .join(", ");
    })
    .join(", ");
}

/** What of a value is below a state: undefined when the state is not active. */
function partOf(value: unknown, name: string): unknown {
  if (typeof value === "string") return value === name ? {} : undefined;
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function stateOf(name: string, node: Fields, part: unknown, budget: Budget): OutlineState {
  const states = outlineOf(node, part, budget);
  const { type } = node;
  const known = type === "final" || type === "history" || type === "parallel" ? type : undefined;
  return {
    name,
    type: known ?? (states.length > 0 ? "compound" : "atomic"),
    active: part !== undefined,
    edges: edgesOf(node),
    states,
  };
}

function edgesOf(node: Fields): OutlineEdge[] {
  const on = Object.entries(fieldsOf(node["on"])).flatMap(([event, to]) => edges(event, to));
  const after = Object.entries(fieldsOf(node["after"])).flatMap(([delay, to]) => edges(`after ${delay}`, to));
  const invokes = listOf(node["invoke"]).flatMap((each) => {
    const { id, src, onDone, onError } = fieldsOf(each);
    const name = text(id) || text(src) || "task";
    return [...edges(`${name} done`, onDone), ...edges(`${name} failed`, onError)];
  });
  return [...on, ...after, ...invokes, ...edges("done", node["onDone"]), ...edges("always", node["always"])];
}

function edges(label: string, written: unknown): OutlineEdge[] {
  return listOf(written).map((each) => {
    if (typeof each === "string") return { label, targets: [each] };
    const { target, guard } = fieldsOf(each);
    const condition = text(guard) || text(fieldsOf(guard)["type"]);
    const targets = listOf(target).filter((one) => typeof one === "string");
    return { label: condition === "" ? label : `${label} [${condition}]`, targets };
  });
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
