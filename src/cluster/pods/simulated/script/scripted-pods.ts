// Simulated pods that do what a script says, which is data.
import { toMilliseconds } from "../../../../ports/duration.ts";
import type { SimulatedAnswers } from "../simulated-answers.ts";
import type { SimulatedBehaviour, SimulatedExit, SimulatedMatch } from "../simulated-behaviour.ts";
import {
  createSimulatedPods,
  type SimulatedNode,
  type SimulatedPods,
  type SimulatedPodsOptions,
} from "../simulated-pods.ts";
import type { PodScript, ScriptedExit, ScriptedMatch, ScriptedNode, ScriptedPods } from "./pod-script.ts";
import { openScriptedHttp } from "./scripted-http.ts";
import { isLike, patternOf } from "./text-pattern.ts";

/** Simulated pods that follow a script of the right form. */
export function createScriptedPods(script: PodScript, options: SimulatedPodsOptions = {}): SimulatedPods {
  const { node, pods: entries = [] } = script;
  const pods = createSimulatedPods(node === undefined ? options : { ...options, node: nodeOf(node) });
  for (const entry of entries) {
    const match = matchOf(entry.match ?? {});
    const behaviour = behaviourOf(entry);
    // An entry that only answers leaves what others say of behaviour.
    if (Object.keys(behaviour).length > 0) pods.simulate(match, behaviour);
    if (entry.exec !== undefined || entry.ports !== undefined) pods.answer(match, answersOf(entry));
  }
  return pods;
}

function nodeOf({ lostAfter, backAfter }: ScriptedNode): SimulatedNode {
  return {
    lostAfter: toMilliseconds(lostAfter),
    ...(backAfter === undefined ? {} : { backAfter: toMilliseconds(backAfter) }),
  };
}

function matchOf({ namespace, name, image, labels, container }: ScriptedMatch): SimulatedMatch {
  return {
    ...(namespace === undefined ? {} : { namespace: patternOf(namespace) }),
    ...(name === undefined ? {} : { name: patternOf(name) }),
    ...(image === undefined ? {} : { image: patternOf(image) }),
    ...(labels === undefined ? {} : { labels }),
    ...(container === undefined ? {} : { container }),
  };
}

function behaviourOf(entry: ScriptedPods): SimulatedBehaviour {
  const { startAfter, readyAfter, endAfter, exit, evict, ...others } = entry;
  const { neverReady, imagePullFails, times, logs } = others;
  return {
    ...(startAfter === undefined ? {} : { startAfter: toMilliseconds(startAfter) }),
    ...(readyAfter === undefined ? {} : { readyAfter: toMilliseconds(readyAfter) }),
    ...(endAfter === undefined ? {} : { endAfter: toMilliseconds(endAfter) }),
    ...(neverReady === undefined ? {} : { neverReady }),
    ...(imagePullFails === undefined ? {} : { imagePullFails }),
    ...(times === undefined ? {} : { times }),
    ...(logs === undefined ? {} : { logs: logs.endsWith("\n") ? logs : `${logs}\n` }),
    ...(exit === undefined ? {} : { exit: exitOf(exit) }),
    ...(evict === undefined ? {} : { evict: { ...evict, after: toMilliseconds(evict.after) } }),
  };
}

function exitOf({ code, reason, message, after = 0 }: ScriptedExit): SimulatedExit {
  const usual = { OOMKilled: 137, Completed: 0, Error: 1 } as const;
  return {
    code: code ?? usual[reason ?? "Error"],
    after: toMilliseconds(after),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function answersOf({ exec = [], ports = [] }: ScriptedPods): SimulatedAnswers {
  return {
    exec: ({ command }) => exec.find((answer) => isBegunBy(answer.command, command)),
    connect(number) {
      const { to, http } = ports.find(({ port }) => port === number) ?? {};
      return to ?? (http === undefined ? undefined : openScriptedHttp(http));
    },
  };
}

/** Whether a command begins with the words that are written. */
function isBegunBy(written: string | readonly string[] = [], command: readonly string[]): boolean {
  const words = typeof written === "string" ? written.trim().split(/\s+/) : written;
  return words.every((word, index) => {
    const said = command[index];
    return said !== undefined && isLike(word, said);
  });
}
