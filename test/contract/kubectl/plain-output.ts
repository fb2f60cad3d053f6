// What kubectl prints, without what each cluster draws by itself, so that two clusters can be compared.

const drawn: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME"],
  [/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME"],
  [/\b(resourceVersion"?: ?)"?\d+"?/g, "$1VERSION"],
  [/(Resource Version: +)\d+/g, "$1VERSION"],
  [/\(resource version: \d+\)/g, "(resource version: VERSION)"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, "ADDRESS"],
  [/\bsimulated:\/\/\S+/g, "CONTAINER"],
  // Names of the pods of replica sets, then of replica sets, then of other pods.
  [/-[bcdfghjklmnpqrstvwxz2456789]{7,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-HASH-NAME"],
  [/(pod-template-hash[=:]\s*"?|controller-revision-hash[=:]\s*"?(?:[a-z]+-)?)[0-9a-z]{6,10}/g, "$1HASH"],
  [/\b([a-z][a-z0-9]*)-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/g, "$1-HASH"],
  [/\b(d|s|j|j1|jw|cj|cj1|now)-[a-z0-9]{5}\b/g, "$1-NAME"],
  [/\b(?:\d+[dhms]){1,2}\b/g, "AGE"],
  [/<invalid>/g, "AGE"],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, "/tmp/$1"],
  // A line of klog: when, and in which process.
  [/^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /, "$1 "],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, "TIME"],
  [/\b3[0-2]\d{3}\/TCP/g, "NODEPORT/TCP"],
  [/\bnodePort: 3[0-2]\d{3}/g, "nodePort: NODEPORT"],
];

/** Plain text: columns one space apart, without what comes after `Events:` in a description. */
export function plainOutput(text: string): string {
  const plain = text
    .split("\n")
    .map((line) => drawn.reduce((rest, [pattern, word]) => rest.replace(pattern, word), line))
    .map((line) => line.replace(/ +/g, " ").trimEnd());
  const without: string[] = [];
  let inEvents = false;
  for (const line of plain) {
    if (line.startsWith("Events:")) inEvents = true;
    else if (inEvents && !/^\s|^$/.test(line)) inEvents = false;
    if (!inEvents) without.push(line);
  }
  return without.join("\n");
}
