"""lightkube, on httpx and data classes: server-side apply, kinds that are made up on the spot, status, waiting."""

from lightkube import Client, codecs
from lightkube.core.exceptions import ApiError
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.apps_v1 import Deployment, StatefulSet
from lightkube.resources.core_v1 import ConfigMap, Node, Pod, Service
from lightkube.types import CascadeType, PatchType
from transcript import show, step

namespace = "shop"
client = Client(namespace=namespace, field_manager="lightkube")
manifests = """
apiVersion: v1
kind: Service
metadata: { name: light }
spec: { clusterIP: None, selector: { app: light }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: light }
spec:
  serviceName: light
  replicas: 2
  selector: { matchLabels: { app: light } }
  template:
    metadata: { labels: { app: light } }
    spec: { containers: [{ name: c, image: "web:1" }] }
"""


def applied(text):
    return [type(client.apply(each, force=True)).__name__ for each in codecs.load_all_yaml(text)]


def managers(kind, name):
    fields = client.get(kind, name).metadata.managedFields
    return sorted((each.manager, each.operation, each.subresource or "") for each in fields)


def rolled(replicas, image):
    for _, each in client.watch(StatefulSet, fields={"metadata.name": "light"}, server_timeout=60):
        status = each.status
        if (
            status.observedGeneration == each.metadata.generation
            and status.updatedReplicas == status.readyReplicas == status.availableReplicas == replicas
            and status.currentRevision == status.updateRevision
            and each.spec.template.spec.containers[0].image == image
        ):
            return [pod.metadata.name for pod in client.list(Pod, labels={"app": "light"})]


step("apply", lambda: applied(manifests))
step("rolled out", lambda: rolled(2, "web:1"))
step("managers", lambda: managers(StatefulSet, "light"))
step("apply again", lambda: applied(manifests.replace("web:1", "web:2").replace("replicas: 2", "replicas: 3")))
step("rolled out again", lambda: rolled(3, "web:2"))


def conflict():
    config = ConfigMap(metadata=ObjectMeta(name="owned", namespace=namespace), data={"key": "one"})
    client.apply(config)
    return client.apply(
        ConfigMap(
            apiVersion="v1", kind="ConfigMap", metadata=ObjectMeta(name="owned", namespace=namespace), data={"key": "two"}
        ),
        field_manager="somebody else",
    ).data


step("conflict of appliers", conflict)
for kind in (PatchType.MERGE, PatchType.STRATEGIC):
    step(f"{kind.name} patch", lambda: client.patch(ConfigMap, "owned", {"data": {kind.name: "1"}}, patch_type=kind).data)
step(
    "JSON patch",
    lambda: client.patch(
        ConfigMap, "owned", [{"op": "remove", "path": "/data/MERGE"}], patch_type=PatchType.JSON
    ).data,
)


def replaced():
    config = client.get(ConfigMap, "owned")
    config.data = {"key": "three"}
    client.replace(config)
    config.data = {"key": "stale"}
    return client.replace(config)


step("stale replacement", replaced)
step("logs", lambda: list(client.log("light-0")))
step("logs of all lines since", lambda: list(client.log("light-0", since=3600, tail_lines=1, timestamps=False)))
step("scale", lambda: client.patch(StatefulSet.Scale, "light", {"spec": {"replicas": 1}}).spec.replicas)
step("scaled", lambda: rolled(1, "web:2"))
step("set label", lambda: client.set(StatefulSet, "light", labels={"team": "a"}).metadata.labels) if hasattr(client, "set") else None

Gadget = create_namespaced_resource("example.org", "v1", "Gadget", "gadgets")
definition = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { kind: Gadget, plural: gadgets, singular: gadget, categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
      schema:
        openAPIV3Schema:
          type: object
          x-kubernetes-validations: [{ rule: "self.spec.size < 10", message: too large }]
          properties:
            spec: { type: object, required: [size], properties: { size: { type: integer } } }
            status: { type: object, properties: { size: { type: integer } } }
"""
step("definition", lambda: [client.create(each).metadata.generation for each in codecs.load_all_yaml(definition)])
step(
    "established",
    lambda: client.wait(
        CustomResourceDefinition, "gadgets.example.org", for_conditions=["Established"]
    ).status.acceptedNames.plural,
)
gadget = Gadget(metadata=ObjectMeta(name="one", namespace=namespace), spec={"size": 2})


def created():
    while True:
        try:
            return client.create(gadget).to_dict()["spec"]
        except ApiError as error:
            if error.status.code != 404:
                raise


step("custom", created)
step("custom status", lambda: client.patch(Gadget.Status, "one", {"status": {"size": 2}}).to_dict()["status"])
step("custom scale", lambda: client.get(Gadget.Scale, "one").to_dict()["status"] if hasattr(Gadget, "Scale") else None)
step("rule", lambda: client.patch(Gadget, "one", {"spec": {"size": 11}}))
step("all are deleted", lambda: client.deletecollection(Gadget))
step("definition goes", lambda: client.delete(CustomResourceDefinition, "gadgets.example.org"))
step("nodes in pages", lambda: len(list(client.list(Node, chunk_size=1))))
step("everywhere", lambda: sorted({each.metadata.name for each in client.list(Service, namespace="*")}))
step("deleted", lambda: client.delete(StatefulSet, "light", cascade=CascadeType.FOREGROUND))
step("the rest", lambda: [client.delete(kind, name) for kind, name in ((Service, "light"), (ConfigMap, "owned"))])


def empty():
    while list(client.list(Pod)):
        pass
    return [each.metadata.name for each in client.list(Deployment)]


step("nothing is left", empty)
show("end", True)
