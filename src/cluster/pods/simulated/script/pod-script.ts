// The form of a script of pods as data: which pods it is about, how they behave and what they answer. Read by the command line from YAML.
import { validateHeaderName, validateHeaderValue } from "node:http";
import { problemsByPath, type FoundProblem } from "../../../../options/option-problems.ts";
import {
  durationFromZero,
  either,
  flag,
  hinted,
  listOf,
  oneOf,
  optionsOf,
  recordOf,
  required,
  text,
  whole,
} from "../../../../options/option-schemas.ts";
import type { Duration } from "../../../../ports/duration.ts";
import { messageOf } from "../../../../ports/operator-error.ts";

/** Selects pods and containers of them; in names and images, `*` stands for any text. */
export interface ScriptedMatch {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly container?: string;
  readonly image?: string;
}

/** How a container ends by itself. */
export interface ScriptedExit {
  /** Default 137 for `OOMKilled`, else 1. */
  readonly code?: number;
  /** Default Completed or Error, by the code. */
  readonly reason?: "OOMKilled" | "Error" | "Completed";
  readonly message?: string;
  /** Since the container runs; default at once. */
  readonly after?: Duration;
}

/** When the node evicts a pod. */
export interface ScriptedEviction {
  /** Since the node has taken the pod. */
  readonly after: Duration;
  readonly message?: string;
  /** Of so many pods, the first; default of all. */
  readonly pods?: number;
}

/** What a command comes to. */
export interface ScriptedCommand {
  /** The words that the command begins with; in each, `*` stands for any text. Default any command. */
  readonly command?: string | readonly string[];
  readonly stdout?: string;
  readonly stderr?: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** What one request by HTTP is answered. */
export interface ScriptedResponse {
  /** Without the query; `*` stands for any text. Default any path. */
  readonly path?: string;
  /** Default any method. */
  readonly method?: string;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default empty. */
  readonly body?: string;
}

/** What listens on a port of a pod: a port of this machine, or answers to HTTP. */
export interface ScriptedPort {
  readonly port: number;
  readonly to?: number;
  readonly http?: readonly ScriptedResponse[];
}

/** What holds for some pods. */
export interface ScriptedPods {
  /** Default all pods. */
  readonly match?: ScriptedMatch;
  readonly startAfter?: Duration;
  readonly readyAfter?: Duration;
  readonly neverReady?: boolean;
  readonly imagePullFails?: boolean | string;
  readonly exit?: ScriptedExit;
  readonly evict?: ScriptedEviction;
  readonly times?: number;
  readonly endAfter?: Duration;
  readonly logs?: string;
  readonly exec?: readonly ScriptedCommand[];
  readonly ports?: readonly ScriptedPort[];
}

/** When the node is lost. */
export interface ScriptedNode {
  /** Since the cluster is up. */
  readonly lostAfter: Duration;
  /** Since it is lost; default never. */
  readonly backAfter?: Duration;
}

/** A script; one that is about the node alone needs no pods. */
export interface PodScript {
  readonly node?: ScriptedNode;
  /** Of those that match a container, the last one counts. */
  readonly pods?: readonly ScriptedPods[];
}

const match = optionsOf<ScriptedMatch>()({
  namespace: text.optional(),
  name: text.optional(),
  labels: recordOf(
    hinted(text, { remedy: 'Write a text: labels are texts, so numbers and "true" need quotes.' }),
  ).optional(),
  container: text.optional(),
  image: text.optional(),
});

const exit = optionsOf<ScriptedExit>()({
  code: whole(0, 255).optional(),
  reason: oneOf("OOMKilled", "Error", "Completed").optional(),
  message: text.optional(),
  after: durationFromZero.optional(),
});

const evict = optionsOf<ScriptedEviction>()({
  after: required(durationFromZero, "Write how long the pod runs until then, such as after: 30s."),
  message: text.optional(),
  pods: whole(1).optional(),
});

const command = optionsOf<ScriptedCommand>()({
  command: either(text, listOf(text), {
    expected: "a text or a list of texts",
    remedy: "Write the command's first words: brokerctl status, or [brokerctl, status].",
  }).optional(),
  stdout: text.optional(),
  stderr: text.optional(),
  exitCode: whole(0, 255).optional(),
});

const response = optionsOf<ScriptedResponse>()({
  path: text.optional(),
  method: text.optional(),
  status: whole(200, 599).optional(),
  headers: recordOf(text).optional(),
  body: text.optional(),
});

const port = optionsOf<ScriptedPort>()({
  port: required(whole(1, 65_535), "Write the port of the pod, such as port: 8080."),
  to: whole(1, 65_535).optional(),
  http: listOf(response).optional(),
});

const pods = optionsOf<ScriptedPods>()({
  match: match.optional(),
  startAfter: durationFromZero.optional(),
  readyAfter: durationFromZero.optional(),
  neverReady: flag.optional(),
  imagePullFails: either(flag, text, {
    expected: "true, false or a text",
    remedy: "Write true, or what the registry says.",
  }).optional(),
  exit: exit.optional(),
  evict: evict.optional(),
  times: whole(1).optional(),
  endAfter: durationFromZero.optional(),
  logs: text.optional(),
  exec: listOf(command).optional(),
  ports: listOf(port).optional(),
});

const node = optionsOf<ScriptedNode>()({
  lostAfter: required(durationFromZero, "Write when it is lost, such as lostAfter: 2m."),
  backAfter: durationFromZero.optional(),
});

const podScript = optionsOf<PodScript>()({
  node: node.optional(),
  pods: listOf(pods).optional(),
});

/** What is wrong with a script, each with its path in it; it is a {@link PodScript} when nothing is. */
export function podScriptProblems(value: unknown): readonly FoundProblem[] {
  const found = problemsByPath(podScript, value, "a script of pods");
  if (found.length > 0) return found;
  const { node: lost, pods: entries } = value as PodScript;
  if (lost === undefined && entries === undefined) {
    const message = "a script of pods says nothing";
    const remedy = "Write pods, a list of what holds for which pods, or node, when it is lost.";
    return [{ path: [], problem: { code: "OPTION_MISSING", severity: "error", message, remedy } }];
  }
  return (entries ?? []).flatMap(({ ports = [] }, entry) =>
    ports.flatMap((each, index) => portProblems(each, ["pods", entry, "ports", index])),
  );
}

/** A port is another one or speaks HTTP, with headers that HTTP can carry: not both, and not neither. */
function portProblems({ port, to, http }: ScriptedPort, path: FoundProblem["path"]): readonly FoundProblem[] {
  if ((to === undefined) === (http === undefined)) {
    const what = to === undefined ? "nothing listens on" : "two things listen on";
    const message = `a port says that ${what} port ${port}`;
    const remedy = "Write either to, a port of this machine, or http, a list of answers.";
    return [{ path, problem: { code: "OPTION_INVALID", severity: "error", message, remedy } }];
  }
  return (http ?? []).flatMap(({ headers = {} }, index) =>
    Object.entries(headers).flatMap(([name, value]): readonly FoundProblem[] => {
      try {
        validateHeaderName(name);
        validateHeaderValue(name, value);
        return [];
      } catch (error) {
        const message = `HTTP has no such header: ${messageOf(error)}`;
        const problem = { code: "OPTION_INVALID", severity: "error", message } as const;
        const remedy = "Write a name of letters, digits and -, and a text of one line.";
        return [{ path: [...path, "http", index, "headers", name], problem: { ...problem, remedy } }];
      }
    }),
  );
}
