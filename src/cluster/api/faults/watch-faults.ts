// Faults of watch streams, which concern open ones too. Each line of a watch passes here on its way to the socket.
import type { Clock } from "../../../ports/clock.ts";
import type { Fault, FaultLimit, RequestMatch } from "../../cluster-faults.ts";
import type { Exchange } from "../requests/exchange.ts";
import { FaultList } from "./fault-list.ts";
import { LateLines } from "./late-lines.ts";
import { matchesRequest, seenOf, type RequestSeen } from "./request-match.ts";
import { ThrottledBytes } from "./throttled-bytes.ts";

/** What a line of a watch is. */
export type LineKind = "event" | "bookmark" | "initialEventsEnd" | "error";

/** Where the bytes of a watch go. */
export interface ByteSink {
  write(text: string): void;
  /** Ends the stream as the server's time limit does. */
  end(): void;
  /** Cuts the connection. */
  reset(): void;
}

/** One watch, as the handler writes it. */
export interface WatchOutput {
  line(kind: LineKind, text: string): void;
  end(): void;
  /** Lets go of it: the connection is closed. */
  close(): void;
}

interface OpenWatch {
  readonly seen: RequestSeen;
  readonly sink: ByteSink;
  readonly late: LateLines;
  readonly slow: ThrottledBytes;
  silent: boolean;
}

/** The faults of watches that are there, and the watches that are open. */
export class WatchFaults {
  readonly #open = new Set<OpenWatch>();
  readonly #silences = new FaultList<true>();
  readonly #delays = new FaultList<number>();
  readonly #rates = new FaultList<number>();
  readonly #withheld = new FaultList<"all" | "initialEventsEnd">();
  readonly #spoils = new FaultList<"malformed" | "truncated">();
  readonly #repeats = new FaultList<true>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a watch. */
  open(exchange: Exchange, sink: ByteSink): WatchOutput {
    const seen = seenOf(exchange);
    if (seen === undefined)
      return { line: (_kind, text) => sink.write(text), end: () => sink.end(), close: () => undefined };
    const slow = new ThrottledBytes(this.#clock, sink);
    const late = new LateLines(this.#clock, slow);
    const watch: OpenWatch = { seen, sink, late, slow, silent: this.#silences.strike(seen) !== undefined };
    this.#open.add(watch);
    return {
      line: (kind, text) => this.#send(watch, kind, text),
      end: () => {
        if (!watch.silent) late.end();
      },
      close: () => {
        this.#open.delete(watch);
        late.close();
        slow.close();
      },
    };
  }

  drop(match: RequestMatch, how: "end" | "reset"): number {
    const found = this.#matching(match);
    for (const { sink } of found) {
      if (how === "end") sink.end();
      else sink.reset();
    }
    return found.length;
  }

  silence(match: RequestMatch, limit: FaultLimit | undefined): Fault {
    const fault = this.#silences.add(match, true, limit);
    for (const watch of this.#matching(match)) {
      if (!watch.silent) watch.silent = this.#silences.strike(watch.seen) !== undefined;
    }
    return fault;
  }

  delay(match: RequestMatch, milliseconds: number): Fault {
    return this.#delays.add(match, milliseconds, {}, () => {
      for (const { late } of this.#matching(match)) late.release();
    });
  }

  slow(match: RequestMatch, bytesPerSecond: number): Fault {
    return this.#rates.add(match, bytesPerSecond, {}, () => {
      for (const { slow } of this.#matching(match)) slow.release();
    });
  }

  withhold(match: RequestMatch, which: "all" | "initialEventsEnd"): Fault {
    return this.#withheld.add(match, which);
  }

  spoil(match: RequestMatch, how: "malformed" | "truncated", limit: FaultLimit | undefined): Fault {
    return this.#spoils.add(match, how, limit);
  }

  repeat(match: RequestMatch): Fault {
    return this.#repeats.add(match, true);
  }

  clear(): void {
    for (const list of [
      this.#silences,
      this.#delays,
      this.#rates,
      this.#withheld,
      this.#spoils,
      this.#repeats,
    ]) {
      list.clear();
    }
  }

  #matching(match: RequestMatch): OpenWatch[] {
    return [...this.#open].filter(({ seen }) => matchesRequest(match, seen));
  }

  #send(watch: OpenWatch, kind: LineKind, text: string): void {
    if (watch.silent || this.#isWithheld(watch.seen, kind)) return;
    const { seen, late, slow } = watch;
    late.delay = this.#delays.isEmpty ? undefined : this.#delays.strike(seen);
    slow.rate = this.#rates.isEmpty ? undefined : this.#rates.strike(seen);
    const spoil = this.#spoils.strike(seen);
    if (spoil === undefined) {
      late.write(text);
      if (kind === "event" && this.#repeats.strike(seen) !== undefined) late.write(text);
      return;
    }
    const half = text.slice(0, text.length / 2);
    late.write(spoil === "malformed" ? `${half}\n` : half);
    if (spoil === "truncated") late.end();
  }

  #isWithheld(seen: RequestSeen, kind: LineKind): boolean {
    if (kind !== "bookmark" && kind !== "initialEventsEnd") return false;
    const which = this.#withheld.strike(seen);
    return which === "all" || (which === "initialEventsEnd" && kind === "initialEventsEnd");
  }
}
