// The labels by which a namespace says how secure its pods have to be, read into levels. Pure.
// https://kubernetes.io/docs/concepts/security/pod-security-admission/
import { invalidValue, type StatusCause } from "../../../../schema/status-cause.ts";

const prefix = "pod-security.kubernetes.io/";
const levels = ["privileged", "baseline", "restricted"] as const;

/** How much is forbidden. */
export type SecurityLevel = (typeof levels)[number];

/** A level in the version of one minor of Kubernetes. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  /** Undefined: the latest one. */
  readonly minor: number | undefined;
}

/** What holds in a namespace. What is found for audits is written nowhere. */
export interface SecurityPolicy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** Labels that cannot be read. */
  readonly faults: readonly StatusCause[];
}

/** Reads the labels of a namespace. */
export function securityPolicyOf(labels: Readonly<Record<string, string>> = {}): SecurityPolicy {
  const faults: StatusCause[] = [];
  const refuse = (name: string, value: string, detail: string): void => {
    faults.push(invalidValue(`metadata.labels[${prefix}${name}]`, value, detail));
  };
  const read = (
    mode: string,
  ): { given: string | undefined; level: SecurityLevel | undefined; version?: number | "latest" } => {
    const given = labels[`${prefix}${mode}`];
    const level = levels.find((each) => each === given);
    if (given !== undefined && level === undefined)
      refuse(mode, given, `must be one of ${levels.join(", ")}`);
    const version = labels[`${prefix}${mode}-version`];
    if (version === undefined) return { given, level };
    const minor = /^v1\.(0|[1-9]\d*)$/.exec(version)?.[1];
    if (minor === undefined && version !== "latest") {
      refuse(`${mode}-version`, version, 'must be "latest" or "v1.x"');
    }
    return { given, level, version: minor === undefined ? "latest" : Number(minor) };
  };
  const [enforce, , warn] = [read("enforce"), read("audit"), read("warn")];
  const minorOf = (version: number | "latest" | undefined): number | undefined =>
    version === "latest" ? undefined : version;
  const isTold = warn.given !== undefined || enforce.level === undefined || enforce.level === "privileged";
  return {
    enforce: {
      level: enforce.level ?? (enforce.given === undefined ? "privileged" : "restricted"),
      minor: minorOf(enforce.version),
    },
    // Who enforces a level is warned by it as well, unless the namespace says otherwise.
    warn: isTold
      ? { level: warn.level ?? "privileged", minor: minorOf(warn.version) }
      : {
          level: enforce.level ?? "privileged",
          minor: minorOf(warn.version === undefined ? enforce.version : warn.version),
        },
    faults,
  };
}

/** A level as messages name it. */
export function levelText({ level, minor }: LevelVersion): string {
  return `${level}:${minor === undefined ? "latest" : `v1.${minor}`}`;
}

/** Whether a level forbids more than another of the same version, or what nobody has looked at: one of another version. */
export function isStricter(next: LevelVersion, before: LevelVersion): boolean {
  if (next.level === "privileged") return false;
  return next.minor !== before.minor || levels.indexOf(next.level) > levels.indexOf(before.level);
}
