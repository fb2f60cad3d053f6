"""kr8s, on httpx and trio or asyncio: objects that wait, scale, run commands and forward ports by themselves."""

import asyncio

import httpx
import kr8s.asyncio
from kr8s.asyncio.objects import ConfigMap, Deployment, Pod, Service
from transcript import async_step as step
from transcript import show

namespace = "shop"
deployment = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "kr8s", "namespace": namespace},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "kr8s"}},
        "template": {
            "metadata": {"labels": {"app": "kr8s"}},
            "spec": {"containers": [{"name": "c", "image": "web", "ports": [{"containerPort": 80}]}]},
        },
    },
}
service = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "kr8s", "namespace": namespace},
    "spec": {"selector": {"app": "kr8s"}, "ports": [{"port": 8080, "targetPort": 80}]},
}


async def main():
    api = await kr8s.asyncio.api()
    version = await api.version()
    show("version", {key: version[key] for key in ("major", "minor")})
    kinds = await api.api_resources()
    show("kinds", sorted(f"{each['version']} {each['kind']} {','.join(sorted(each['verbs']))}" for each in kinds))

    web = await Deployment(deployment)
    await step("create", web.create)
    await step("exists", web.exists)

    async def scaled():
        await web.scale(2)
        await web.wait("jsonpath='{.status.availableReplicas}'=2", timeout=60)
        return web.replicas, web.status.availableReplicas

    await step("scale", scaled)

    async def pods():
        found = [pod async for pod in kr8s.asyncio.get("pods", namespace=namespace, label_selector={"app": "kr8s"})]
        return [pod for pod in found if "deletionTimestamp" not in pod.metadata]

    async def labelled():
        await web.label({"team": "shop"})
        await web.annotate({"note": "here"})
        return dict(web.labels), web.annotations.get("note")

    await step("label", labelled)

    async def patched():
        await web.patch([{"op": "replace", "path": "/spec/replicas", "value": 1}], type="json")
        await web.wait("condition=Available", timeout=60)
        return web.replicas

    await step("JSON patch", patched)
    pod = (await pods())[0]
    await step("pod is ready", lambda: pod.wait("condition=Ready", timeout=60))
    show("labels of the pod", {key: value for key, value in pod.labels.items() if key == "app"})

    async def logs():
        return [line async for line in pod.logs()]

    await step("logs", logs)

    async def ran(*command, **options):
        done = await pod.exec(list(command), check=False, **options)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    await step("exec", lambda: ran("greet"))
    await step("exec that fails", lambda: ran("fail"))

    async def forwarded(target, port):
        async with target.portforward(remote_port=port, local_port="auto") as local, httpx.AsyncClient() as client:
            return (await client.get(f"http://127.0.0.1:{local}/")).text

    await step("port of a pod", lambda: forwarded(pod, 80))
    front = await Service(service)
    await step("service", front.create)

    async def ready():
        while not await front.ready():
            await asyncio.sleep(0.1)
        return len(await front.ready_pods())

    await step("pods of the service", ready)

    async def watched():
        seen = []
        config = await ConfigMap({"metadata": {"name": "watched", "namespace": namespace}, "data": {"step": "0"}})
        await config.create()

        async def change():
            await config.patch({"data": {"step": "1"}})
            await config.delete()

        changing = None
        async for event, each in kr8s.asyncio.watch("configmaps", namespace=namespace, field_selector={"metadata.name": "watched"}):
            seen.append((event, each.raw.get("data")))
            changing = changing or asyncio.create_task(change())
            if event == "DELETED":
                return seen

    await step("watch", watched)

    async def none():
        return await Pod.get("none", namespace=namespace)

    await step("none", none)

    async def gone():
        await front.delete()
        await web.delete(propagation_policy="Foreground")
        await web.wait("delete", timeout=60)
        return await web.exists()

    await step("delete", gone)


asyncio.run(main())
