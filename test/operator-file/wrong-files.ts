// Edits that make a right file wrong, by what they are about: the words that are replaced, by what, and what is said then.

/** One edit of `examples/redis/operator.yaml`. */
export interface WrongEdit {
  readonly about: string;
  readonly words: string;
  readonly others: string;
  /** `line:column CODE message`. */
  readonly finding: string;
}

export const wrongEdits: readonly WrongEdit[] = [
  {
    about: "no YAML",
    words: "operator: redis-operator",
    others: "operator: 'redis",
    finding: "2:17 TEXT_INVALID this is not YAML: Missing closing 'quote",
  },
  {
    about: "a key twice",
    words: "    kind: Redis\n",
    others: "    kind: Redis\n    kind: Valkey\n",
    finding: '7:5 KEY_DUPLICATE "kind" is written a second time here, and only one of the two would count',
  },
  {
    about: "no name",
    words: "operator: redis-operator\n",
    others: "",
    finding: "1:1 OPTION_MISSING operator is missing",
  },
  {
    about: "an empty name",
    words: "operator: redis-operator",
    others: 'operator: ""',
    finding: '2:1 OPTION_INVALID operator is "", but must be a text that is not empty',
  },
  {
    about: "a name that cannot be one",
    words: "operator: redis-operator",
    others: "operator: Redis_Operator",
    finding: '2:1 OPERATOR_INVALID "Redis_Operator" cannot be the name of an operator',
  },
  {
    about: "a name that is a number",
    words: "operator: redis-operator",
    others: "operator: 7",
    finding: "2:1 OPTION_INVALID operator is 7, but must be a text that is not empty",
  },
  {
    about: "an unknown key at the top",
    words: "operator: redis-operator\n",
    others: "operator: redis-operator\nchildern: []\n",
    finding: '3:1 OPTION_UNKNOWN the operator has no option "childern", so it would be ignored',
  },
  {
    about: "kinds that are no list",
    words: "kinds:\n  - group",
    others: "kinds:\n    group",
    finding: "3:1 OPTION_INVALID kinds is an object, but must be a list",
  },
  {
    about: "no group",
    words: "  - group: cache.example.com\n    version",
    others: "  - version",
    finding: "4:5 OPTION_MISSING kinds[0].group is missing",
  },
  {
    about: "a group without a dot",
    words: "group: cache.example.com",
    others: "group: cache",
    finding: '4:5 KIND_INVALID "cache" cannot be the group of a kind',
  },
  {
    about: "a version that is none",
    words: "version: v1\n",
    others: "version: 1.0\n",
    finding: "5:5 OPTION_INVALID kinds[0].version is 1, but must be a text that is not empty",
  },
  {
    about: "a kind in lower case",
    words: "kind: Redis\n",
    others: "kind: redis\n",
    finding: '6:5 KIND_INVALID "redis" cannot be the kind of a kind',
  },
  {
    about: "an unknown field of a kind",
    words: "    shortNames: [rd]",
    others: "    shortNmaes: [rd]",
    finding: '8:5 OPTION_UNKNOWN kinds[0] has no option "shortNmaes", so it would be ignored',
  },
  {
    about: "short names that are no list",
    words: "shortNames: [rd]",
    others: "shortNames: rd",
    finding: '8:5 OPTION_INVALID kinds[0].shortNames is "rd", but must be a list',
  },
  {
    about: "a scope that is none",
    words: "    shortNames: [rd]",
    others: "    scope: Global",
    finding: '8:5 OPTION_INVALID kinds[0].scope is "Global", but must be one of Namespaced, Cluster',
  },
  {
    about: "a schema without properties",
    words: "    spec:\n      properties:\n        replicas",
    others: "    spec:\n        replicas",
    finding:
      '10:9 SCHEMA_KEYWORD_UNKNOWN the schema of spec has the keyword "replicas", which means nothing (so have image, maxMemory, window)',
  },
  {
    about: "a misspelt keyword",
    words: "minimum: 1, maximum: 9",
    others: "minmum: 1, maximum: 9",
    finding:
      '11:36 SCHEMA_KEYWORD_UNKNOWN the schema of spec.replicas has the keyword "minmum", which means nothing',
  },
  {
    about: "a type that is none",
    words: "replicas: { type: integer",
    others: "replicas: { type: int",
    finding:
      '11:21 SCHEMA_INVALID the schema of spec is not one that a cluster accepts: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"',
  },
  {
    about: "a default of another type",
    words: "maximum: 9, default: 1",
    others: "maximum: 9, default: one",
    finding:
      '11:60 SCHEMA_INVALID the schema of spec is not one that a cluster accepts: Invalid value: "string":  in body must be of type integer: "string"',
  },
  {
    about: "a default out of range",
    words: "maximum: 9, default: 1",
    others: "maximum: 9, default: 10",
    finding:
      "11:60 SCHEMA_INVALID the schema of spec is not one that a cluster accepts: Invalid value: 10:  in body should be less than or equal to 9",
  },
  {
    about: "a field without a type",
    words: "endpoint: { type: string }",
    others: "endpoint: { description: Where. }",
    finding:
      "17:9 SCHEMA_INVALID the schema of status is not one that a cluster accepts: Required value: must not be empty for specified object fields",
  },
  {
    about: "a pattern that is none",
    words: '"^[0-9]+(mb|gb)$"',
    others: '"^[0-9+(mb|gb)$"',
    finding:
      '13:36 SCHEMA_INVALID the schema of spec is not one that a cluster accepts: Invalid value: "^[0-9+(mb|gb)$": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[0-9+(mb|gb)$`',
  },
  {
    about: "a field that the operator adds",
    words: "endpoint: { type: string }",
    others: "conditions: { type: string }",
    finding: '17:9 KIND_INVALID the status of Redis declares "conditions", which the operator adds',
  },
  {
    about: "an edge to no state",
    words: "observed.Up: Running",
    others: "observed.Up: Runing",
    finding:
      '22:17 STATE_UNKNOWN Starting leads to "Runing" by "observed.Up", and there is no state with that name',
  },
  {
    about: "an initial state that is none",
    words: "initial: Starting",
    others: "initial: Start",
    finding: '19:7 INITIAL_UNKNOWN "redis" begins in "Start", and has no state of that name',
  },
  {
    about: "an event of no family",
    words: "observed.Down: Starting",
    others: "seen.Down: Starting",
    finding: '25:17 EVENT_UNKNOWN Running has an edge for "seen.Down", which nothing raises',
  },
  {
    about: "a tag of another form",
    words: "tags: [stable, ready]",
    others: "tags: { stable: true }",
    finding: "24:11 FIELD_INVALID Running: tags is an object, but must be a text",
  },
  {
    about: "a policy that is none",
    words: "    children:\n      - manifest:\n          apiVersion: v1\n          kind: ConfigMap",
    others:
      "    specEdits: sometimes\n    children:\n      - manifest:\n          apiVersion: v1\n          kind: ConfigMap",
    finding:
      '40:5 OPTION_INVALID kinds[0].specEdits is "sometimes", but must be one of queue, coalesce, restart',
  },
  {
    about: "a delay that is none",
    words: 'after: { "${ spec.window }"',
    others: 'after: { "1 hour"',
    finding: '29:20 DELAY_UNKNOWN Maintenance waits for "1 hour", which is neither a delay nor a duration',
  },
  {
    about: "a delay of another type",
    words: "${ spec.window }",
    others: "${ spec.replicas }",
    finding:
      "29:42 EXPRESSION_TYPE ${ spec.replicas } is of type int, but a delay is of type string or duration",
  },
  {
    about: "an unknown field in a delay",
    words: "${ spec.window }",
    others: "${ spec.windows }",
    finding: "29:41 EXPRESSION_INVALID ${ spec.windows }: undefined field 'windows'",
  },
  {
    about: "a task that nobody declares",
    words: "src: save\n",
    others: "src: safe\n",
    finding: '32:11 TASK_UNKNOWN Saving invokes the task "safe", which is not among the tasks',
  },
  {
    about: "a guard without an expression",
    words: "observed.Up: Running",
    others: "observed.Up: { target: Running, guard: big }",
    finding: '22:17 GUARD_UNKNOWN Starting is guarded by "big" on observed.Up, which does not exist',
  },
  {
    about: "a guard that is no condition",
    words: "observed.Up: Running",
    others: "observed.Up: { target: Running, guard: '${ spec.replicas }' }",
    finding: "22:59 EXPRESSION_TYPE ${ spec.replicas } is of type int, but a condition is of type bool",
  },
  {
    about: "a desired state that is none",
    words: "    shortNames: [rd]",
    others: "    defaultDesiredState: Runing",
    finding: '8:5 STATE_UNKNOWN defaultDesiredState is "Runing", and there is no state with that name',
  },
  {
    about: "an unknown field in a child",
    words: '${ spec.image }", args',
    others: '${ spec.imege }", args',
    finding: "68:51 EXPRESSION_INVALID ${ spec.imege }: undefined field 'imege'",
  },
  {
    about: "an unknown variable",
    words: 'app: "${ metadata.name }" } }\n            template',
    others: 'app: "${ metadat.name }" } }\n            template',
    finding: "63:49 EXPRESSION_INVALID ${ metadat.name }: undeclared reference to 'metadat'",
  },
  {
    about: "an expression without an end",
    words: 'maxmemory ${ spec.?maxMemory.orValue("0") }',
    others: 'maxmemory ${ spec.?maxMemory.orValue("0")',
    finding: "46:25 EXPRESSION_INVALID an expression begins with ${ and has no } at its end",
  },
  {
    about: "an expression that is none",
    words: "'Stopped' ? 0 : spec.replicas",
    others: "'Stopped' ? 0",
    finding: "62:50 EXPRESSION_INVALID ${ state == 'Stopped' ? 0 }: Expected COLON, got EOF",
  },
  {
    about: "types that do not fit",
    words: "state == 'Stopped' ? 0",
    others: "state == 1 ? 0",
    finding:
      "62:33 EXPRESSION_INVALID ${ state == 1 ? 0 : spec.replicas }: found no matching overload for '_==_' applied to '(string, int)'",
  },
  {
    about: "an unknown function",
    words: "'dump-' + string(spec.replicas)",
    others: "'dump-' + text(spec.replicas)",
    finding:
      "34:46 EXPRESSION_INVALID ${ 'dump-' + text(spec.replicas) + '.rdb' }: undeclared reference to 'text'",
  },
  {
    about: "a list within a text",
    words: 'maxmemory ${ spec.?maxMemory.orValue("0") }',
    others: "maxmemory ${ [spec.replicas] }",
    finding: "47:27 EXPRESSION_TYPE ${ [spec.replicas] } is of type list, which cannot be part of a text",
  },
  {
    about: "a manifest without a kind",
    words: "          kind: ConfigMap\n",
    others: "",
    finding: "41:9 CHILD_INVALID the kind of a manifest is missing",
  },
  {
    about: "a kind by expression",
    words: "          kind: ConfigMap\n",
    others: "          kind: \"${ 'ConfigMap' }\"\n",
    finding: "43:11 CHILD_INVALID the kind of a manifest is not a plain text",
  },
  {
    about: "a manifest without a name",
    words: '          kind: Service\n          metadata: { name: "${ metadata.name }" }',
    others: "          kind: Service\n          metadata: { labels: {} }",
    finding: "53:11 CHILD_INVALID a manifest has no name",
  },
  {
    about: "a child without a manifest",
    words: "      - in: [Starting, Running, Saving]\n        manifest:",
    others: "      - in: [Starting, Running, Saving]\n        object:",
    finding: '50:9 OPTION_UNKNOWN kinds[0].children[1] has no option "object", so it would be ignored',
  },
  {
    about: "a file that is missing",
    words: "      - in: [Starting, Running, Saving]\n",
    others: "      - file: missing.yaml\n      - in: [Starting, Running, Saving]\n",
    finding: "49:9 FILE_MISSING there is no file <here>/missing.yaml",
  },
  {
    about: "a child in a state that is none",
    words: "in: [Starting, Running, Saving]",
    others: "in: [Starting, Runing, Saving]",
    finding:
      "49:9 RESOURCE_STATES_INVALID a child belongs to the state Runing, which the lifecycle does not have",
  },
  {
    about: "what is repeated is no list",
    words: "      - in: [Starting",
    others: "      - each: { shard: '${ spec.replicas }' }\n        in: [Starting",
    finding: "49:27 EXPRESSION_TYPE ${ spec.replicas } is of type int, but what is repeated is of type list",
  },
  {
    about: "a condition that is none",
    words: "      - in: [Starting",
    others: "      - when: '${ spec.image }'\n        in: [Starting",
    finding: "49:18 EXPRESSION_TYPE ${ spec.image } is of type string, but a condition is of type bool",
  },
  {
    about: "an observed word that nobody takes",
    words: "{ state: Down }",
    others: "{ state: Downn }",
    finding: '75:13 OBSERVATION_UNKNOWN "Downn" is no state, and no edge takes observed.Downn',
  },
  {
    about: "an observation of no state",
    words: "        - { state: Down }\n",
    others: "        - { when: '${ true }' }\n",
    finding: "75:11 OPTION_MISSING kinds[0].observe.states[1].state is missing",
  },
  {
    about: "a poll that is no duration",
    words: "poll: 10s",
    others: "poll: often",
    finding: '70:7 DURATION_INVALID kinds[0].observe.poll is "often", but must be a duration above 0',
  },
  {
    about: "what is read by two ways",
    words: 'get: { apiVersion: apps/v1, kind: Deployment, name: "${ metadata.name }" }',
    others: "find: { apiVersion: apps/v1, kind: Deployment }",
    finding:
      '72:20 OPTION_UNKNOWN kinds[0].observe.read.servers has no option "find", so it would be ignored',
  },
  {
    about: "what is read has a name that is taken",
    words: "        servers: { get",
    others: "        spec: { get: { apiVersion: v1, kind: Pod, name: a } }\n        servers: { get",
    finding: '72:9 READ_INVALID "spec" is a variable already',
  },
  {
    about: "a status field that the schema lacks",
    words: '      endpoint: "${',
    others: '      address: "${',
    finding: '78:7 STATUS_FIELD_UNKNOWN the status has no field "address"',
  },
  {
    about: "a task that does nothing",
    words:
      '        job:\n          spec:\n            template:\n              spec:\n                restartPolicy: Never\n                containers:\n                  - name: save\n                    image: "${ spec.image }"\n                    command: [redis-cli, -h, "${ metadata.name }", --rdb, "${ input.file }"]\n',
    others: "",
    finding: '80:7 TASK_INVALID the task "save" does no work',
  },
  {
    about: "a task that does two things",
    words: "        timeout: 10m\n",
    others: "        timeout: 10m\n        event: { reason: Saved, message: Saved. }\n",
    finding: '80:7 TASK_INVALID the task "save" does job and event, and one task does one kind of work',
  },
  {
    about: "a timeout that is no duration",
    words: "timeout: 10m",
    others: "timeout: 10 minutes",
    finding:
      '81:9 DURATION_INVALID kinds[0].tasks.save.timeout is "10 minutes", but must be a duration above 0',
  },
  {
    about: "a task of an unknown kind of work",
    words: "        job:\n          spec",
    others: "        jobs:\n          spec",
    finding: '82:9 OPTION_UNKNOWN kinds[0].tasks.save has no option "jobs", so it would be ignored',
  },
  {
    about: "two kinds of one name",
    words: "kinds:\n",
    others: "kinds:\n  - { group: cache.example.com, version: v1, kind: Redis, plural: redises }\n",
    finding: '3:1 OPERATOR_INVALID the operator "redis-operator" has two kinds redises.cache.example.com',
  },
  {
    about: "observe without a lifecycle",
    words: "kinds:\n",
    others: "kinds:\n  - { group: a.example.com, version: v1, kind: A, observe: {} }\n",
    finding: "4:51 LIFECYCLE_MISSING A has observe, but no lifecycle",
  },
  {
    about: "a chart that is not there",
    words: "    children:\n",
    others: "    children:\n      - chart: { path: ./chart, types: [{ apiVersion: v1, kind: Pod }] }\n",
    finding: "41:18 FILE_MISSING there is no chart <here>/chart",
  },
  {
    about: "a kustomization that is none",
    words: "    children:\n",
    others: "    children:\n      - kustomization: { path: ./src, types: [{ apiVersion: v1, kind: Pod }] }\n",
    finding: "41:26 FILE_MISSING <here>/src is no kustomization",
  },
  {
    about: "a chart that does not say what it makes",
    words: "    children:\n",
    others: "    children:\n      - chart: { path: ./chart }\n",
    finding: "41:9 OPTION_MISSING kinds[0].children[0].chart.types is missing",
  },
  {
    about: "a child with two sources",
    words: "    children:\n      - manifest:",
    others: "    children:\n      - chart: { path: ./chart, types: [] }\n        manifest:",
    finding: "41:9 CHILD_INVALID a child has a manifest and a chart",
  },
  {
    about: "a version whose conversion names an unknown field",
    words: "    lifecycle:\n",
    others:
      '    versions:\n      v1alpha1: { spec: { properties: { count: { type: integer } } }, convert: { up: { spec: { replicas: "${ spec.cuont }" } }, down: { spec: { count: 1 } } } }\n    lifecycle:\n',
    finding: "19:114 EXPRESSION_INVALID ${ spec.cuont }: undefined field 'cuont'",
  },
  {
    about: "a version without a spec",
    words: "    lifecycle:\n",
    others: "    versions: { v1alpha1: { served: false } }\n    lifecycle:\n",
    finding: "18:17 OPTION_MISSING kinds[0].versions.v1alpha1.spec is missing",
  },
  {
    about: "what undoes a task and does nothing",
    words: "        timeout: 10m\n",
    others: "        timeout: 10m\n        compensate: {}\n",
    finding: "82:9 ACTION_INVALID nothing is done here",
  },
];
