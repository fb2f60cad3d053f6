// Files of an operator without code in which every construct is used.
export const everything: Readonly<Record<string, string>> = {
  "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
  "manifests.yaml":
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "${ metadata.name }-file" }\n---\napiVersion: v1\nkind: Secret\nmetadata: { name: "${ metadata.name }-secret" }\n',
  "lifecycle.yaml":
    "initial: Up\nstates:\n  Up: { tags: stable, on: { desired.Gone: Gone } }\n  Gone: { type: final }\n",
  "second.yaml": `group: every.example.com
version: v1
kind: Second
lifecycle: lifecycle.yaml
`,
  "operator.yaml": `operator: every-operator
formerNames: [some-operator]
types: [{ apiVersion: certs.example.com/v1, kind: Cert, plural: certz }]
kinds:
  - group: every.example.com
    version: v2
    kind: EveryThing
    plural: everythings
    shortNames: [et]
    categories: [all]
    description: All that a file can say.
    spec:
      properties:
        size: { type: integer, minimum: 1, maximum: 9, default: 3, description: "How \\"many\\"." }
        ratio: { type: number, multipleOf: 0.5 }
        words: { type: array, items: { type: string, minLength: 1 }, default: [a] }
        mode: { type: string, enum: [fast, slow], default: fast }
        name: { type: string, pattern: "^[a-z]+$", minLength: 1, maxLength: 9 }
        limits: { type: object, additionalProperties: { type: string } }
        port: { x-kubernetes-int-or-string: true }
        nested: { type: object, properties: { on: { type: boolean, default: true }, since: { type: string, format: date-time } }, default: {} }
        window: { type: string, default: 5m }
      required: [name]
    status:
      properties: { seen: { type: integer }, note: { type: string } }
    printerColumns: [{ name: Size, type: integer, jsonPath: .spec.size }]
    validations: [{ rule: "self.size < 9 || self.mode == 'slow'", message: be slow }]
    scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.seen }
    versions:
      v1:
        spec: { properties: { count: { type: integer, minimum: 1, maximum: 9 }, name: { type: string, pattern: "^[a-z]+$" } }, required: [name] }
        deprecated: use v2
        convert:
          up: { spec: { size: "\${ spec.?count.orValue(3) }", name: "\${ spec.name }" } }
          down: { spec: { count: "\${ spec.size }", name: "\${ spec.name }" } }
    defaultDesiredState: Up
    specEdits: queue
    workers: 2
    timeout: 90s
    maxCreations: 5
    lifecycle:
      initial: New
      context: { tries: 0 }
      states:
        New:
          on: { observed.Up: { target: Up, guard: big, actions: [count, tell] }, observed.Down: { target: Down, guard: "\${ spec.size > 1 }" } }
          after: { "\${ spec.window }": Down, soon: Down }
        Up:
          tags: [stable, ready]
          on: { desired.Done: Work, observed.Down: Down, config.changed: { target: Work, guard: "\${ 'size' in event.changed }", actions: [call, drop] } }
        Down: { tags: failure, on: { observed.Up: { target: Up, actions: mark } } }
        Work:
          initial: One
          states:
            One: { invoke: { src: job, input: { of: "\${ spec.size }" }, onDone: Two, onError: "#everything.Down" } }
            Two: { invoke: { src: applied, onDone: Three, onError: "#everything.Down" } }
            Three: { invoke: { src: waited, onDone: Four, onError: "#everything.Down" } }
            Four: { invoke: { src: called, onDone: Five, onError: "#everything.Down" } }
            Five: { invoke: { src: run, onDone: Six, onError: "#everything.Down" } }
            Six: { invoke: { src: patched, onDone: Seven, onError: "#everything.Down" } }
            Seven: { invoke: { src: deleted, onDone: Eight, onError: "#everything.Down" } }
            Eight: { invoke: { src: told, onDone: End, onError: "#everything.Down" } }
            End: { type: final }
          onDone: Done
        Done: { tags: stable, on: { desired.Up: Up } }
    guards: { big: "\${ spec.size > 2 }" }
    delays: { soon: 1m }
    actions: { count: { tries: "\${ context.tries + 1 }" } }
    effects:
      tell: { event: { reason: Up, message: "try \${ context.tries }" } }
      call: { http: { url: "http://\${ metadata.name }:80/", body: { state: "\${ state }" } } }
      drop: { delete: { apiVersion: v1, kind: ConfigMap, name: "\${ metadata.name }-old" } }
      mark: { patch: { apiVersion: v1, kind: ConfigMap, name: "\${ metadata.name }", patch: { data: { a: b } } } }
    read:
      pods: { list: { apiVersion: v1, kind: Pod, labels: { app: "\${ metadata.name }" } } }
      cert: { get: { apiVersion: certs.example.com/v1, kind: Cert, name: "\${ metadata.name }" } }
    watches: [{ apiVersion: v1, kind: Node, when: "\${ object.metadata.name != '' }", name: "\${ object.metadata.name }", namespace: default }]
    children:
      - manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: "\${ metadata.name }" }, data: { size: "\${ string(spec.size) }", port: "\${ string(spec.?port.orValue(1)) }" } }
      - { in: [Up, Work], keep: [data.a], each: { word: "\${ spec.words }" }, manifest: { apiVersion: v1, kind: Service, metadata: { name: "\${ metadata.name }-\${ word }" }, spec: { ports: [{ port: 80 }] } } }
      - { when: "\${ spec.mode == 'fast' }", adopt: true, recreate: true, file: manifests.yaml }
      - chart: { path: chart, values: { size: "\${ spec.size }" }, types: [{ apiVersion: apps/v1, kind: Deployment }], hooks: ignore, timeout: 10s }
    observe:
      poll: 15s
      timeout: 5s
      read:
        api: { http: { url: "http://\${ metadata.name }/" } }
        ping: { exec: { pod: "\${ metadata.name }-0", command: [ping] } }
      states: [{ state: Up, when: "\${ api.?status.orValue(0) == 200 && ping.?exitCode.orValue(1) == 0 }" }, { state: Down }]
      facts: { pods: "\${ pods.size() }" }
      message: "\${ pods.size() } pods"
    statusFields: { seen: "\${ facts.?pods }", note: "try \${ context.tries }" }
    tasks:
      job: { timeout: 1h, retry: { attempts: 2, delay: 5s }, job: { spec: { template: { spec: { restartPolicy: Never, containers: [{ name: a, image: a, args: ["\${ string(input.of) }"] }] } } } }, compensate: { event: { reason: Undone, message: Undone. } } }
      applied: { deleteOnCancel: true, apply: [{ apiVersion: v1, kind: ConfigMap, metadata: { name: "\${ key }" } }] }
      waited: { poll: 5s, wait: { read: { it: { get: { apiVersion: v1, kind: Secret, name: a } } }, until: "\${ has(it.metadata) }", failed: "\${ attempt > 3 }", message: waiting, output: { at: "\${ key }" } } }
      called: { http: { start: { url: "http://a/" }, status: { url: "http://a/\${ key }" }, cancel: { url: "http://a/\${ key }" }, read: { phase: "\${ answer.body.phase }" } } }
      run: { exec: { pod: a, container: b, start: [a], status: [b], cancel: [c], read: { phase: "\${ answer.stdout }" } } }
      patched: { patch: { apiVersion: v1, kind: Secret, name: a, patch: { data: {} } } }
      deleted: { delete: { apiVersion: v1, kind: Secret, name: a } }
      told: { event: { type: Warning, reason: Told, message: "\${ key }" } }
  - second.yaml
`,
};
