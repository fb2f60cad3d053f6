// Schedules of cron jobs: the instants at which one fires, in a time zone. The API server has checked what is written. Pure.

/** The values of one field. */
type Field = ReadonlySet<number>;

interface Parsed {
  readonly minutes: Field;
  readonly hours: Field;
  readonly days: Field;
  readonly months: Field;
  readonly weekdays: Field;
  /** A day has to fit in both of its fields where one of them leaves it open, else in one. */
  readonly isOpen: boolean;
}

/** When a schedule fires. */
export interface CronSchedule {
  /** The first instant after another one, in milliseconds; undefined when there is none within eight years. */
  next(after: number): number | undefined;
}

const minute = 60_000;
const day = 86_400_000;
/** Days that are looked through: 29 February may be eight years away. */
const horizon = 8 * 366;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: minute,
  h: 3_600_000,
};
const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = "sun mon tue wed thu fri sat".split(" ");

/** The schedule of a text; in the time zone of this process without another one. */
export function parseSchedule(text: string, timeZone?: string): CronSchedule {
  const plain = text.trim();
  const [, every] = /^@every (.+)$/.exec(plain) ?? [];
  if (every !== undefined) {
    const parts = [...every.matchAll(/([\d.]+)(ns|us|ms|s|m|h)/g)];
    const length = parts.reduce(
      (sum, [, amount, unit = "s"]) => sum + Number(amount) * (units[unit] ?? 0),
      0,
    );
    const interval = Math.max(1_000, Math.floor(length / 1_000) * 1_000);
    return { next: (after) => Math.floor(after / 1_000) * 1_000 + interval };
  }
  const parsed = parse(descriptors[plain] ?? plain);
  const zone = new Zone(timeZone);
  return { next: (after) => nextAfter(parsed, zone, after) };
}

function parse(text: string): Parsed {
  const [minuteField = "*", hourField = "*", dayField = "*", monthField = "*", weekdayField = "*"] =
    text.split(/\s+/);
  const isStar = (field: string): boolean => /^[*?](?:\/1)?$/.test(field);
  return {
    minutes: valuesOf(minuteField, 0, 59),
    hours: valuesOf(hourField, 0, 23),
    days: valuesOf(dayField, 1, 31),
    months: valuesOf(monthField, 1, 12, months),
    weekdays: valuesOf(weekdayField, 0, 6, weekdays),
    isOpen: isStar(dayField) || isStar(weekdayField),
  };
}

function valuesOf(field: string, least: number, most: number, names: readonly string[] = []): Field {
  const values = new Set<number>();
  const numberOf = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    return named < 0 ? Number(word) : named + least;
  };
  for (const range of field.split(",")) {
    const [span = "*", step] = range.split("/");
    const [from = "*", to] = span.split("-");
    const isAll = from === "*" || from === "?";
    const first = isAll ? least : numberOf(from);
    // `5/10` goes on to the end, `5` does not.
    const last = isAll || (to === undefined && step !== undefined) ? most : numberOf(to ?? from);
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function nextAfter(schedule: Parsed, zone: Zone, after: number): number | undefined {
  const start = Math.floor(after / minute) * minute + minute;
  const firstDay = Math.floor((start + zone.offsetAt(start)) / day);
  for (let each = firstDay; each < firstDay + horizon; each += 1) {
    if (!fitsDay(schedule, new Date(each * day))) continue;
    const times = [...schedule.hours].flatMap((hour) =>
      [...schedule.minutes].flatMap(
        (value) => zone.instantOf(each * day + hour * 60 * minute + value * minute) ?? [],
      ),
    );
    const later = times.filter((time) => time >= start);
    if (later.length > 0) return Math.min(...later);
  }
  return undefined;
}

function fitsDay(schedule: Parsed, date: Date): boolean {
  if (!schedule.months.has(date.getUTCMonth() + 1)) return false;
  const [inMonth, inWeek] = [schedule.days.has(date.getUTCDate()), schedule.weekdays.has(date.getUTCDay())];
  return schedule.isOpen ? inMonth && inWeek : inMonth || inWeek;
}

/** A time zone. Local times are milliseconds as if they were UTC. */
class Zone {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string | undefined) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      ...(timeZone === undefined ? {} : { timeZone }),
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** Milliseconds that local time is ahead at an instant. */
  offsetAt(instant: number): number {
    const parts = Object.fromEntries(
      this.#format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    ) as Readonly<Record<string, number>>;
    const { year = 0, month = 1, day: date = 1, hour = 0, minute: minutes = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, date, hour, minutes, second) - Math.floor(instant / 1_000) * 1_000;
  }

  /** The instant of a local time, the first of two; undefined for one that a change of the clocks leaves out. */
  instantOf(local: number): number | undefined {
    const offsets = [this.offsetAt(local - day), this.offsetAt(local + day)];
    const instants = offsets.map((offset) => local - offset);
    return instants.toSorted((a, b) => a - b).find((instant) => instant + this.offsetAt(instant) === local);
  }
}
