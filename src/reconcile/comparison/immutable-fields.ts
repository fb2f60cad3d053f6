// Which refusals say that a field cannot be changed once it is set, and what is said of them.
import { isInvalid, type ApiError, type StatusDetails } from "../../client/api-error.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type { Difference } from "./intent-comparison.ts";

/** In the words of kube-apiserver's own checks, and of most rules of custom types. */
const immutable =
  /immutable|\b(?:may|can|must) ?not (?:be )?(?:changed?|updated|modified)|\bcannot change\b|\bupdates to .* (?:are|is) forbidden/i;

/** Whether an API server's message says that what exists cannot be changed. */
export function isImmutable(message: string): boolean {
  return immutable.test(message);
}

/** Whether a write was refused because it would change what cannot be changed. */
export function isImmutableRefusal(error: unknown): error is ApiError {
  return isInvalid(error) && causesOf(error).some(({ message = "" }) => isImmutable(message));
}

/** What is said of such a refusal. */
export interface ImmutableChange {
  /** `Kind/name`. */
  readonly kindName: string;
  readonly refusal: ApiError;
  /** All places at which the live object is not as declared. */
  readonly differences: readonly Difference[];
  /** Whether values may be shown. */
  readonly isSecret: boolean;
}

const namedFields = 3;
const longestValue = 80;

/** The fields that cannot be changed, with what they are and what they shall be. */
export function describeImmutable({ refusal, differences, isSecret }: ImmutableChange): string {
  const blamed = causesOf(refusal).filter(({ message = "" }) => isImmutable(message));
  const found = differences.filter(({ path }) => blamed.some((cause) => isBlamed(path, cause)));
  const changed = found.length > 0 ? found : differences;
  if (changed.length === 0) return blamed.map(({ field = "" }) => field).join(", ");
  const named = changed.slice(0, namedFields).map(({ path, live, declared }) => {
    return isSecret ? path : `${path} from ${shown(live)} to ${shown(declared)}`;
  });
  const more = changed.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The error of a change that the server cannot make. Its remedy says what can be done instead. */
export function immutableError(change: ImmutableChange): OperatorError {
  const { kindName, refusal } = change;
  return new OperatorError(
    "RESOURCE_IMMUTABLE",
    `${kindName} cannot be changed in place: ${describeImmutable(change)}`,
    {
      cause: refusal,
      remedy:
        "Declare what it was, give the child another name, or set recreate: true on the resource: it is then deleted, with all " +
        "that belongs to it, and created again.",
    },
  );
}

type Cause = NonNullable<StatusDetails["causes"]>[number];

/** Whether a difference lies in the field that is blamed, and is not one of those that may be changed beside it. */
function isBlamed(path: string, { field = "", message = "" }: Cause): boolean {
  const place = field.replaceAll(/\[\d+\]/g, "");
  const isWithin = path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
  if (!isWithin) return false;
  const [, changeable = ""] = /fields other than (.*) are forbidden/.exec(message) ?? [];
  const next = path.slice(place.length + 1).split(/[.[]/)[0];
  return !changeable.includes(`'${next}'`);
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

function causesOf({ details }: ApiError): readonly Cause[] {
  return details.causes ?? [];
}
