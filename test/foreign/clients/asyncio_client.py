"""kubernetes_asyncio, on aiohttp: watches, commands by WebSocket, the election of a leader."""

import asyncio

from kubernetes_asyncio import client, config, dynamic, utils, watch
from kubernetes_asyncio.stream import WsApiClient
from transcript import async_step as step
from transcript import show

namespace = "shop"
objects = [
    {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "each"},
        "spec": {
            "selector": {"matchLabels": {"app": "each"}},
            "template": {
                "metadata": {"labels": {"app": "each"}},
                "spec": {"containers": [{"name": "c", "image": "agent"}]},
            },
        },
    },
    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}, "stringData": {"a": "b"}},
    {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {
            "schedule": "0 3 * * *",
            "jobTemplate": {
                "spec": {
                    "template": {
                        "spec": {"restartPolicy": "OnFailure", "containers": [{"name": "c", "image": "job"}]}
                    }
                }
            },
        },
    },
]


async def main():
    await config.load_kube_config()
    async with client.ApiClient() as api, WsApiClient() as by_web_socket:
        core, apps = client.CoreV1Api(api), client.AppsV1Api(api)

        async def created():
            for each in objects:
                await utils.create_from_dict(api, each, namespace=namespace)
            return (await core.read_namespaced_secret("keys", namespace)).data

        await step("create", created)

        async def ready():
            stream = watch.Watch().stream(apps.list_namespaced_daemon_set, namespace, timeout_seconds=60)
            async for event in stream:
                status = event["object"].status
                if status.number_ready == 1 and status.updated_number_scheduled == 1:
                    return status.to_dict()

        await step("daemon set is ready", ready)
        pods = await core.list_namespaced_pod(namespace, label_selector="app=each")
        name = pods.items[0].metadata.name

        async def ran():
            return await client.CoreV1Api(by_web_socket).connect_get_namespaced_pod_exec(
                name, namespace, command=["greet"], stderr=True, stdin=False, stdout=True, tty=False
            )

        await step("exec", ran)

        async def followed():
            lines = []
            async for line in watch.Watch().stream(core.read_namespaced_pod_log, name, namespace):
                lines.append(line)
                return lines

        await step("log that is followed", followed)

        async def dynamically():
            found = await dynamic.DynamicClient(api)
            cron_jobs = await found.resources.get(api_version="batch/v1", kind="CronJob")
            patched = await cron_jobs.patch(
                body={"spec": {"suspend": True}},
                name="nightly",
                namespace=namespace,
                content_type="application/merge-patch+json",
            )
            return patched.spec.suspend, patched.spec.concurrencyPolicy

        await step("dynamic client", dynamically)

        async def reviewed():
            review = {"spec": {"resourceAttributes": {"verb": "list", "resource": "pods", "namespace": namespace}}}
            return (await client.AuthorizationV1Api(api).create_self_subject_access_review(review)).status.to_dict()

        await step("review", reviewed)

        async def deleted():
            options = {"propagation_policy": "Foreground"}
            await apps.delete_namespaced_daemon_set("each", namespace, **options)
            await client.BatchV1Api(api).delete_namespaced_cron_job("nightly", namespace, **options)
            await core.delete_namespaced_secret("keys", namespace)
            while (await core.list_namespaced_pod(namespace)).items:
                await asyncio.sleep(0.1)
            while (await apps.list_namespaced_daemon_set(namespace)).items:
                await asyncio.sleep(0.1)
            return True

        await step("delete", deleted)
        show("end", True)


asyncio.run(main())
