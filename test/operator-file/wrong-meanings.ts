// Edits of the Redis example, each wrong in what it means rather than in its form. What is found is one finding each, at its place.
import type { WrongEdit } from "./wrong-files.ts";

const deepSum = Array.from({ length: 3_000 }, () => "1").join(" + ");
const beforeLifecycle = "    lifecycle:\n";
const kindField = (text: string): Pick<WrongEdit, "words" | "others"> => ({
  words: beforeLifecycle,
  others: `    ${text}\n${beforeLifecycle}`,
});
const firstChild = "    children:\n";
const childBefore = (text: string): Pick<WrongEdit, "words" | "others"> => ({
  words: firstChild,
  others: `${firstChild}      - ${text}\n`,
});
const configMap = (name: string, more = ""): string =>
  `{ ${more}manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: "${name}" } } }`;

/** What a load finds. */
export const wrongMeanings: readonly WrongEdit[] = [
  {
    about: "a rule that is no CEL",
    ...kindField('validations: [{ rule: "self.replicas <", message: m }]'),
    finding: "18:43 RULE_INVALID the API server would refuse this rule: Syntax error: Unexpected token: EOF",
  },
  {
    about: "a rule about a field that is none",
    ...kindField('validations: [{ rule: "self.replica < 9" }]'),
    finding: "18:32 RULE_INVALID the API server would refuse this rule: undefined field 'replica'",
  },
  {
    about: "a rule that says no condition",
    ...kindField('validations: [{ rule: "self.replicas" }]'),
    finding:
      "18:21 RULE_INVALID the API server would refuse this rule: cel expression must evaluate to a bool",
  },
  {
    about: "a rule of the object that reads the spec's fields",
    ...kindField('validations: [{ rule: "true" }, { rule: "self.replicas < 9", on: object }]'),
    finding: "18:50 RULE_INVALID the API server would refuse this rule: undefined field 'replicas'",
  },
  {
    about: "a message by expression that is no text",
    ...kindField('validations: [{ rule: "true", messageExpression: "self.replicas" }]'),
    finding:
      "18:35 RULE_INVALID the API server would refuse this rule: messageExpression must evaluate to a string",
  },
  {
    about: "a rule that blames a field that is none",
    ...kindField('validations: [{ rule: "true", fieldPath: .replica }]'),
    finding: '18:35 RULE_INVALID the API server would refuse this rule: ".replica": must be a valid path',
  },
  {
    about: "a rule inside the schema",
    words: "maximum: 9, default: 1 }",
    others: "maximum: 9, default: 1, x-kubernetes-validations: [{ rule: self < x }] }",
    finding: "11:114 RULE_INVALID the API server would refuse this rule: undeclared reference to 'x'",
  },
  {
    about: "a column of a field that is none",
    ...kindField("printerColumns: [{ name: R, type: integer, jsonPath: .spec.replica }]"),
    finding: '18:48 JSON_PATH_INVALID the column R: .spec.replica leads to no field: there is no "replica"',
  },
  {
    about: "a column without a dot",
    ...kindField("printerColumns: [{ name: R, type: integer, jsonPath: spec.replicas }]"),
    finding: '18:48 JSON_PATH_INVALID the column R: "spec.replicas" is no path',
  },
  {
    about: "a column of another type",
    ...kindField("printerColumns: [{ name: R, type: integer, jsonPath: .spec.image }]"),
    finding:
      "18:33 JSON_PATH_INVALID the column R is of type integer, and .spec.image is of type string: the column would stay empty",
  },
  {
    about: "a scale of a field that is none",
    words: "endpoint: { type: string }\n",
    others:
      "endpoint: { type: string }\n        n: { type: integer }\n    scale: { specReplicasPath: .spec.replica, statusReplicasPath: .status.n }\n",
    finding:
      '19:14 JSON_PATH_INVALID specReplicasPath: .spec.replica leads to no field: there is no "replica"',
  },
  {
    about: "a scale outside of the spec",
    words: "endpoint: { type: string }\n",
    others:
      "endpoint: { type: string }\n        n: { type: integer }\n    scale: { specReplicasPath: .replicas, statusReplicasPath: .status.n }\n",
    finding: '19:14 JSON_PATH_INVALID specReplicasPath: ".replicas" does not begin with .spec.',
  },
  {
    about: "a fact that nobody finds",
    words: 'endpoint: "${ metadata.name }',
    others: 'endpoint: "${ facts.pods }',
    finding: "78:26 EXPRESSION_INVALID ${ facts.pods }: undefined field 'pods'",
  },
  {
    about: "something that the machine does not remember",
    words: "data:\n            redis.conf",
    others: 'data:\n            last: "${ context.backup }"\n            redis.conf',
    finding: "46:30 EXPRESSION_INVALID ${ context.backup }: undefined field 'backup'",
  },
  {
    about: "a field that events do not have",
    words: "observed.Up: Running",
    others: 'observed.Up: { target: Running, guard: "${ event.specs.replicas > 1 }" }',
    finding: "22:65 EXPRESSION_INVALID ${ event.specs.replicas > 1 }: undefined field 'specs'",
  },
  {
    about: "a field of the spec in an event",
    words: "observed.Up: Running",
    others: 'observed.Up: { target: Running, guard: "${ event.spec.replica > 1 }" }',
    finding: "22:70 EXPRESSION_INVALID ${ event.spec.replica > 1 }: undefined field 'replica'",
  },
  {
    about: "two children of one name",
    ...childBefore(configMap("${metadata.name}")),
    finding:
      '45:23 RESOURCE_DUPLICATE the ConfigMap "${ metadata.name }" is a child already, in f.yaml:41:68',
  },
  {
    about: "two children of one name, of which one is there at times",
    ...childBefore(configMap("${ metadata.name }", 'when: "${ spec.replicas > 1 }", ')),
    finding:
      '45:23 RESOURCE_DUPLICATE the ConfigMap "${ metadata.name }" is a child already, in f.yaml:41:100',
  },
  {
    about: "a child that is repeated under one name",
    ...childBefore(configMap("a", 'each: { item: "${ [1, 2] }" }, ')),
    finding:
      '41:99 RESOURCE_DUPLICATE each makes a ConfigMap for every item, and all of them would have the name "a"',
  },
  {
    about: "what is repeated has the name of a variable",
    ...childBefore(configMap("${ string(spec) }", 'each: { spec: "${ [1, 2] }" }, ')),
    finding: '41:19 CHILD_INVALID "spec" is a variable already',
  },
  {
    about: "what is repeated has a name with a dash",
    ...childBefore(configMap("a", 'each: { my-item: "${ [1, 2] }" }, ')),
    finding: '41:19 CHILD_INVALID "my-item" cannot be the name of a variable',
  },
  {
    about: "a child in another namespace",
    ...childBefore(
      "manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: kube-system } }",
    ),
    finding:
      '41:75 OWNER_SCOPE a ConfigMap in the namespace "kube-system" cannot belong to a Redis, which is in a namespace of its own: the garbage collector would delete it',
  },
  {
    about: "a child in no namespace",
    ...childBefore(
      "manifest: { apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: { name: a } }",
    ),
    finding:
      "41:63 OWNER_SCOPE a ClusterRole in no namespace cannot belong to a Redis, which is in a namespace of its own: the garbage collector would delete it",
  },
  {
    about: "what is read has a name with a dash",
    words: "        servers: { get",
    others: "        my-pods: { list: { apiVersion: v1, kind: Pod } }\n        servers: { get",
    finding: '72:9 READ_INVALID "my-pods" cannot be the name of a variable',
  },
  {
    about: "states that lead to each other at once",
    words: "          on: { observed.Up: Running }",
    others:
      "          always: Second\n        Second:\n          always: Starting\n        Third:\n          on: { observed.Up: Running }",
    finding:
      "22:11 ALWAYS_CIRCLE Starting → Second → Starting: each leads on at once and for no event, so that the application never comes to rest",
  },
  {
    about: "a state that leads to itself at once",
    words: "          on: { observed.Up: Running }",
    others: "          always: { target: Starting, reenter: true }\n          on: { observed.Up: Running }",
    finding:
      "22:11 ALWAYS_CIRCLE Starting → Starting: each leads on at once and for no event, so that the application never comes to rest",
  },
  {
    about: "a dot in the name of a state",
    words: "        Saving:\n",
    others: "        Sav.ing:\n",
    finding:
      '31:9 STATE_NAME_INVALID a state is called "Sav.ing", and that cannot be part of a condition\'s reason',
  },
  {
    about: "a name in capitals",
    ...childBefore(configMap("Config-${ metadata.name }")),
    finding:
      "41:68 NAME_INVALID \"Config-${ metadata.name }\" cannot be the name of a ConfigMap, whatever its expressions say: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  },
  {
    about: "a name with an underscore",
    ...childBefore(configMap("redis_config")),
    finding:
      "41:68 NAME_INVALID \"redis_config\" cannot be the name of a ConfigMap: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  },
  {
    about: "a name that is too long",
    ...childBefore(configMap("a".repeat(254))),
    finding:
      '41:68 NAME_INVALID "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" cannot be the name of a ConfigMap: must be no more than 253 characters',
  },
  {
    about: "a service with a dot in its name",
    ...childBefore(
      'manifest: { apiVersion: v1, kind: Service, metadata: { name: "${ metadata.name }.db" }, spec: { ports: [{ port: 1 }] } }',
    ),
    finding:
      '41:64 NAME_INVALID "${ metadata.name }.db" cannot be the name of a Service, whatever its expressions say: must not contain dots',
  },
  {
    about: "a label that is none",
    ...childBefore(
      'manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, labels: { "my label": b } } }',
    ),
    finding:
      "41:85 NAME_INVALID \"my label\" cannot be the name of a label: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  },
  {
    about: "a value of a label that is none",
    ...childBefore(
      'manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, labels: { app: "my app" } } }',
    ),
    finding:
      "41:85 NAME_INVALID \"my app\" cannot be the value of a label: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  },
  {
    about: "an annotation that is none",
    ...childBefore(
      'manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, annotations: { "a/b/c": b } } }',
    ),
    finding:
      "41:90 NAME_INVALID \"a/b/c\" cannot be the name of an annotation: a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  },
  {
    about: "a container that has no such name",
    words: "        servers: { get",
    others: "        ping: { exec: { pod: a, container: My_App, command: [a] } }\n        servers: { get",
    finding:
      "72:33 NAME_INVALID \"My_App\" cannot be the name of a container: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  },
  {
    about: "an address without http",
    words: "        servers: { get",
    others: '        api: { http: { url: "${ metadata.name }.svc/health" } }\n        servers: { get',
    finding: '72:24 ADDRESS_INVALID "${ metadata.name }.svc/health" is no address of a service',
  },
  {
    about: "an address of another protocol",
    words: "        servers: { get",
    others: "        api: { http: { url: redis://a:6379 } }\n        servers: { get",
    finding: '72:24 ADDRESS_INVALID "redis://a:6379" is no address of a service',
  },
  {
    about: "a kind in another group",
    words: "apiVersion: apps/v1\n          kind: Deployment",
    others: "apiVersion: v1\n          kind: Deployment",
    finding: "58:11 TYPE_UNKNOWN v1 has no Deployment",
  },
  {
    about: "a kind that is misspelt",
    words: "apiVersion: apps/v1\n          kind: Deployment",
    others: "apiVersion: apps/v1\n          kind: Deploymnt",
    finding: "59:11 TYPE_UNKNOWN apps/v1 has no Deploymnt",
  },
  {
    about: "a version that is gone",
    words: "get: { apiVersion: apps/v1, kind",
    others: "get: { apiVersion: apps/v1beta1, kind",
    finding: "72:27 TYPE_UNKNOWN apps/v1beta1 has no Deployment",
  },
  {
    about: "an expression that is too deep",
    words: "servers.?status.?readyReplicas.orValue(0) >= spec.replicas",
    others: `${deepSum} > 1`,
    finding:
      "74:33 EXPRESSION_INVALID ${ 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + … }: the expression is too deep: more than 500 operations stand one inside the other",
  },
];

const podSpec =
  '                containers:\n                  - { name: redis, image: "${ spec.image }", args: [/etc/redis/redis.conf] }';
const inPod = (text: string): Pick<WrongEdit, "words" | "others"> => ({
  words: podSpec,
  others: text.replaceAll(/^/gm, "                "),
});
const inContainer = (text: string): Pick<WrongEdit, "words" | "others"> => ({
  words: "args: [/etc/redis/redis.conf] }",
  others: `${text} }`,
});

/** What `check` finds besides, by what the API server knows. */
export const wrongObjects: readonly WrongEdit[] = [
  {
    about: "a number in quotes",
    words: "replicas: \"${ state == 'Stopped' ? 0 : spec.replicas }\"",
    others: 'replicas: "3"',
    finding: "62:13 OBJECT_INVALID spec.replicas of the Deployment is a text, but must be a whole number",
  },
  {
    about: "an expression of another type",
    words: "replicas: \"${ state == 'Stopped' ? 0 : spec.replicas }\"",
    others: 'replicas: "${ spec.image }"',
    finding: "62:13 OBJECT_INVALID spec.replicas of the Deployment is a text, but must be a whole number",
  },
  {
    about: "a number in a ConfigMap",
    words: "            redis.conf: |",
    others: '            size: "${ spec.replicas }"\n            redis.conf: |',
    finding: "46:13 OBJECT_INVALID data.size of the ConfigMap is a number, but must be a text",
  },
  {
    about: "a field that is misspelt",
    ...inPod("containers: [{ name: redis, image: a }]\nrestartPolcy: Always"),
    finding: "68:17 OBJECT_FIELD_UNKNOWN a Deployment has no field spec.template.spec.restartPolcy",
  },
  {
    about: "a field at the wrong depth",
    words: "            template:\n              metadata:",
    others: "            containers: []\n            template:\n              metadata:",
    finding: "64:13 OBJECT_FIELD_UNKNOWN a Deployment has no field spec.containers",
  },
  {
    about: "a container without an image",
    ...inPod("containers: [{ name: redis }]"),
    finding:
      "67:30 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].image of the Deployment: Required value",
  },
  {
    about: "a container in capitals",
    ...inPod("containers: [{ name: Redis, image: a }]"),
    finding:
      "67:32 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].name of the Deployment: Invalid value: \"Redis\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  },
  {
    about: "two containers of one name",
    ...inPod("containers: [{ name: a, image: a }, { name: a, image: b }]"),
    finding:
      '67:55 OBJECT_INVALID the API server would refuse spec.template.spec.containers[1].name of the Deployment: Duplicate value: "a"',
  },
  {
    about: "a port that is none",
    ...inContainer("ports: [{ containerPort: 70000 }]"),
    finding:
      "68:72 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].ports[0].containerPort of the Deployment: Invalid value: 70000: must be between 1 and 65535, inclusive",
  },
  {
    about: "a number in an environment",
    ...inContainer("env: [{ name: A, value: 1 }]"),
    finding:
      "68:79 OBJECT_INVALID spec.template.spec.containers[0].env[0].value of the Deployment is a number, but must be a text",
  },
  {
    about: "a quantity that is none",
    ...inContainer('resources: { limits: { memory: "128 MB" } }'),
    finding:
      "68:85 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].resources.limits.memory of the Deployment: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  },
  {
    about: "more requested than is allowed",
    ...inContainer('resources: { requests: { cpu: "2" }, limits: { cpu: "1" } }'),
    finding:
      '68:75 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].resources.requests of the Deployment: Invalid value: "2": must be less than or equal to cpu limit of 1',
  },
  {
    about: "a volume that is not there",
    ...inContainer("volumeMounts: [{ name: data, mountPath: /data }]"),
    finding:
      '68:79 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].volumeMounts[0].name of the Deployment: Not found: "data"',
  },
  {
    about: "a probe without a handler",
    ...inContainer("readinessProbe: { periodSeconds: 5 }"),
    finding:
      "68:62 OBJECT_INVALID the API server would refuse spec.template.spec.containers[0].readinessProbe of the Deployment: Required value: must specify a handler type",
  },
  {
    about: "a selector that selects others",
    words:
      'selector: { matchLabels: { app: "${ metadata.name }" } }\n            template:\n              metadata: { labels: { app: "${ metadata.name }" } }',
    others:
      "selector: { matchLabels: { app: a } }\n            template:\n              metadata: { labels: { app: b } }",
    finding:
      '65:27 OBJECT_INVALID the API server would refuse spec.template.metadata.labels of the Deployment: Invalid value: {"app":"b"}: `selector` does not match template `labels`',
  },
  {
    about: "a type of Service that is none",
    words: 'selector: { app: "${ metadata.name }" }\n            ports',
    others: "type: Loadbalancer\n            ports",
    finding:
      '55:13 OBJECT_INVALID the API server would refuse spec.type of the Service: Unsupported value: "Loadbalancer": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  },
  {
    about: "two ports without names",
    words: "ports: [{ name: redis, port: 6379 }]",
    others: "ports: [{ name: a, port: 1 }, { port: 2 }]",
    finding:
      "56:43 OBJECT_INVALID the API server would refuse spec.ports[1].name of the Service: Required value",
  },
  {
    about: "a Service without ports",
    words: "            ports: [{ name: redis, port: 6379 }]\n",
    others: "",
    finding: "54:11 OBJECT_INVALID the API server would refuse spec.ports of the Service: Required value",
  },
  {
    about: "a Job that is restarted always",
    words: "restartPolicy: Never",
    others: "restartPolicy: Always",
    finding:
      '86:17 OBJECT_INVALID the API server would refuse spec.template.spec.restartPolicy of the Job: Required value: valid values: "OnFailure", "Never"',
  },
  {
    about: "a schedule that is none",
    ...childBefore(
      "manifest: { apiVersion: batch/v1, kind: CronJob, metadata: { name: a }, spec: { schedule: every day, jobTemplate: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: a }] } } } } } }",
    ),
    finding:
      '41:89 OBJECT_INVALID the API server would refuse spec.schedule of the CronJob: Invalid value: "every day": expected exactly 5 fields, found 2: [every day]',
  },
  {
    about: "a claim without a size",
    ...childBefore(
      "manifest: { apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: a }, spec: { accessModes: [ReadWriteOnce] } }",
    ),
    finding:
      "41:89 OBJECT_INVALID the API server would refuse spec.resources[storage] of the PersistentVolumeClaim: Required value",
  },
  {
    about: "a secret that is not in base64",
    ...childBefore(
      'manifest: { apiVersion: v1, kind: Secret, metadata: { name: a }, data: { password: "not base64!" } }',
    ),
    finding:
      "41:82 OBJECT_INVALID the API server would refuse data.password of the Secret: illegal base64 data at input byte 3",
  },
];
