// Widget operator as a Pepr module run outside the cluster: PEPR_WATCH_MODE=true starts the
// watch controller; Pepr still serves its (unused) webhook HTTPS port and needs a
// certificate, a pepr-system namespace and the PeprStore CRD (see setup.sh).
// Pepr hands no cache to handlers, so the current ConfigMap is read from the API.
const { Capability, PeprModule, K8s, RegisterKind, a, kind } = require("pepr");

class Widget extends a.GenericKind {}
RegisterKind(Widget, { group: "bench.example.com", version: "v1", kind: "Widget", plural: "widgets" });

const widgets = new Capability({ name: "widgets", description: "Widget operator", namespaces: [] });
const { When } = widgets;
const same = (x, y) => {
  const k = Object.keys(x ?? {});
  return k.length === Object.keys(y).length && k.every((i) => x[i] === y[i]);
};
const dataOf = (w) => ({ ...w.spec.payload, size: String(w.spec.size) });
const get = async (K, ns, name) => {
  try {
    return await K8s(K).InNamespace(ns).Get(name);
  } catch (e) {
    if (e.status === 404) return undefined;
    throw e;
  }
};

async function ensure(w) {
  const { name, namespace, uid } = w.metadata;
  const data = dataOf(w);
  const cur = await get(kind.ConfigMap, namespace, `w-${name}`);
  if (cur && same(cur.data, data) && cur.metadata.ownerReferences?.some((o) => o.controller && o.uid === uid))
    return;
  await K8s(kind.ConfigMap).Apply(
    {
      metadata: {
        name: `w-${name}`,
        namespace,
        ownerReferences: [
          {
            apiVersion: "bench.example.com/v1",
            kind: "Widget",
            name,
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      data,
    },
    { force: true },
  );
}

When(Widget)
  .IsCreatedOrUpdated()
  .Reconcile(async (w) => {
    if (w.metadata.deletionTimestamp) return;
    await ensure(w);
    const old = w.status?.conditions?.find((c) => c.type === "Ready");
    if (w.status?.observedGeneration === w.metadata.generation && old?.status === "True") return;
    await K8s(Widget).PatchStatus({
      metadata: { name: w.metadata.name, namespace: w.metadata.namespace },
      status: {
        observedGeneration: w.metadata.generation,
        conditions: [
          {
            type: "Ready",
            status: "True",
            reason: "Reconciled",
            message: "ConfigMap is up to date",
            lastTransitionTime:
              old?.status === "True"
                ? old.lastTransitionTime
                : new Date().toISOString().replace(/\.\d+Z$/, "Z"),
          },
        ],
      },
    });
  });

const repair = async (m) => {
  const o = m.metadata.ownerReferences?.find((r) => r.controller && r.kind === "Widget");
  if (!o) return;
  const w = await get(Widget, m.metadata.namespace, o.name);
  if (w && w.metadata.uid === o.uid) await ensure(w);
};
When(a.ConfigMap).IsUpdated().Reconcile(repair);
When(a.ConfigMap).IsDeleted().Reconcile(repair);

const module_ = new PeprModule(
  {
    name: "bench",
    description: "bench",
    pepr: { uuid: "bench-widgets", onError: "reject", alwaysIgnore: { namespaces: [] }, webhookTimeout: 10 },
  },
  [widgets],
  { deferStart: true },
);
module_.start(Number(process.env.PEPR_PORT || 26390));
