// Fabric8's client: what it does beside watching, by WebSocket where it can: informers, server-side apply, rollouts, commands, ports,
// logs, waiting, the election of a leader. One line of JSON for each step.
import io.fabric8.kubernetes.api.model.*;
import io.fabric8.kubernetes.api.model.apps.*;
import io.fabric8.kubernetes.client.*;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.base.*;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

public class Fabric8Client {
  static final KubernetesSerialization json = new KubernetesSerialization();
  static final String namespace = "shop";

  interface Run {
    Object run() throws Exception;
  }

  static void step(String name, Run run) throws Exception {
    Object value;
    try {
      value = run.run();
    } catch (KubernetesClientException error) {
      Status status = error.getStatus();
      value = status == null ? error.toString() : List.of(status.getCode(), "" + status.getReason(), "" + status.getMessage());
    } catch (Exception error) {
      value = error.toString();
    }
    System.out.println(json.asJson(Collections.singletonMap(name, value)));
  }

  static Deployment web(int replicas, String image) {
    return new DeploymentBuilder()
        .withNewMetadata().withName("fabric").withNamespace(namespace).endMetadata()
        .withNewSpec()
        .withReplicas(replicas)
        .withNewSelector().addToMatchLabels("app", "fabric").endSelector()
        .withNewTemplate()
        .withNewMetadata().addToLabels("app", "fabric").endMetadata()
        .withNewSpec()
        .addNewContainer().withName("c").withImage(image).endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  public static void main(String[] args) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      var deployments = client.apps().deployments().inNamespace(namespace);
      var deployment = deployments.withName("fabric");
      step("version", () -> client.getKubernetesVersion().getMajor());
      step("groups", () -> client.getApiGroups().getGroups().stream().map(APIGroup::getName).sorted().toList());

      Set<String> seen = new ConcurrentSkipListSet<>();
      var informer = client.pods().inNamespace(namespace).withLabel("app", "fabric").inform(new ResourceEventHandler<Pod>() {
        public void onAdd(Pod pod) { seen.add("added"); }
        public void onUpdate(Pod old, Pod pod) { seen.add("updated"); }
        public void onDelete(Pod pod, boolean isUnknown) { seen.add("deleted"); }
      });
      step("server-side apply", () -> client.resource(web(2, "web:1")).serverSideApply().getMetadata().getManagedFields().get(0).getOperation());
      step("ready", () -> deployment.waitUntilReady(60, TimeUnit.SECONDS).getStatus().getReadyReplicas());
      step("edit", () -> deployment.edit(each -> new DeploymentBuilder(each).editMetadata().addToLabels("team", "a").endMetadata().build()).getMetadata().getLabels());
      step("scale", () -> deployment.scale(3).getSpec().getReplicas());
      step("scaled", () -> deployment.waitUntilCondition(each -> Objects.equals(each.getStatus().getAvailableReplicas(), 3), 60, TimeUnit.SECONDS).getStatus().getReplicas());
      step("new image", () -> deployment.rolling().updateImage("web:2").getSpec().getTemplate().getSpec().getContainers().get(0).getImage());
      step("rolled", () -> {
        deployment.waitUntilCondition(each -> each.getStatus().getObservedGeneration().equals(each.getMetadata().getGeneration())
            && Objects.equals(each.getStatus().getUpdatedReplicas(), 3) && Objects.equals(each.getStatus().getReplicas(), 3)
            && Objects.equals(each.getStatus().getAvailableReplicas(), 3), 60, TimeUnit.SECONDS);
        return client.apps().replicaSets().inNamespace(namespace).withLabel("app", "fabric").list().getItems().size();
      });
      step("pause", () -> deployment.rolling().pause().getSpec().getPaused());
      step("resume", () -> deployment.rolling().resume().getSpec().getPaused());
      step("undo", () -> {
        // It writes what it has read: what the controller says of the last change would come in between.
        deployment.waitUntilCondition(each -> each.getStatus().getObservedGeneration().equals(each.getMetadata().getGeneration())
            && each.getStatus().getConditions().stream().anyMatch(one -> "NewReplicaSetAvailable".equals(one.getReason())),
            60, TimeUnit.SECONDS);
        return deployment.rolling().undo().getSpec().getTemplate().getSpec().getContainers().get(0).getImage();
      });
      step("undone", () -> {
        deployment.waitUntilCondition(each -> each.getStatus().getObservedGeneration().equals(each.getMetadata().getGeneration())
            && Objects.equals(each.getStatus().getUpdatedReplicas(), 3) && Objects.equals(each.getStatus().getReplicas(), 3)
            && Objects.equals(each.getStatus().getAvailableReplicas(), 3), 60, TimeUnit.SECONDS);
        return deployment.get().getMetadata().getAnnotations();
      });

      String name = client.pods().inNamespace(namespace).withLabel("app", "fabric").list().getItems().stream()
          .filter(each -> each.getMetadata().getDeletionTimestamp() == null).findFirst().orElseThrow().getMetadata().getName();
      var pod = client.pods().inNamespace(namespace).withName(name);
      step("log", () -> pod.tailingLines(5).getLog());
      step("log that is watched", () -> {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (var watched = pod.watchLog(out)) {
          for (int each = 0; each < 200 && out.size() == 0; each++) Thread.sleep(50);
        }
        return out.toString(StandardCharsets.UTF_8);
      });
      step("exec", () -> ran(pod, null, "greet"));
      step("exec with input", () -> ran(pod, "words\n", "read-back"));
      step("exec that fails", () -> ran(pod, null, "fail"));
      step("exec of nothing", () -> ran(pod, null, "nothing"));
      step("port-forward", () -> {
        try (LocalPortForward forward = pod.portForward(80)) {
          var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + forward.getLocalPort() + "/")).timeout(Duration.ofSeconds(20)).build();
          return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build().send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
      });
      step("evict", () -> pod.evict());

      step("patches", () -> {
        var config = client.configMaps().inNamespace(namespace).resource(new ConfigMapBuilder().withNewMetadata().withName("fabric").endMetadata().addToData("a", "1").build());
        config.create();
        var named = client.configMaps().inNamespace(namespace).withName("fabric");
        named.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"b\":\"2\"}}");
        named.patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"data\":{\"c\":\"3\"}}");
        named.patch(PatchContext.of(PatchType.JSON), "[{\"op\":\"remove\",\"path\":\"/data/a\"}]");
        return new TreeMap<>(named.get().getData());
      });
      step("conflict", () -> client.configMaps().inNamespace(namespace).resource(new ConfigMapBuilder().withNewMetadata().withName("fabric").endMetadata().addToData("b", "9").build())
          .fieldManager("another").serverSideApply());
      step("wrong", () -> client.resource(web(-1, "")).create());
      step("generic", () -> {
        var context = new ResourceDefinitionContext.Builder().withGroup("apps").withVersion("v1").withKind("Deployment").withPlural("deployments").withNamespaced(true).build();
        return client.genericKubernetesResources(context).inNamespace(namespace).list().getItems().size();
      });
      step("pages", () -> client.configMaps().inNamespace(namespace).list(new ListOptionsBuilder().withLimit(1L).build()).getMetadata().getRemainingItemCount() != null);
      step("leader", () -> {
        var led = new CompletableFuture<String>();
        var election = client.leaderElector().withConfig(new LeaderElectionConfigBuilder()
            .withName("election").withLeaseDuration(Duration.ofSeconds(15)).withRenewDeadline(Duration.ofSeconds(10)).withRetryPeriod(Duration.ofSeconds(1))
            .withLock(new LeaseLock(namespace, "fabric", "me")).withReleaseOnCancel()
            .withLeaderCallbacks(new LeaderCallbacks(() -> led.complete("led"), () -> {}, leader -> {})).build()).build().start();
        String result = led.get(20, TimeUnit.SECONDS);
        election.cancel(true);
        return result;
      });
      step("delete", () -> deployment.withPropagationPolicy(DeletionPropagation.FOREGROUND).delete().size());
      step("gone", () -> deployment.waitUntilCondition(Objects::isNull, 60, TimeUnit.SECONDS));
      step("no pods", () -> {
        var pods = client.pods().inNamespace(namespace).withLabel("app", "fabric");
        for (int each = 0; each < 600 && !pods.list().getItems().isEmpty(); each++) Thread.sleep(50);
        client.configMaps().inNamespace(namespace).withName("fabric").delete();
        return pods.list().getItems().size();
      });
      step("seen by the informer", () -> {
        for (int each = 0; each < 200 && !seen.contains("deleted"); each++) Thread.sleep(50);
        informer.close();
        return seen;
      });
    }
  }

  static Object ran(io.fabric8.kubernetes.client.dsl.PodResource pod, String input, String... command) throws Exception {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var container = pod.inContainer("c");
    try (ExecWatch watch = input == null
        ? container.writingOutput(out).writingError(err).exec(command)
        : container.readingInput(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8))).writingOutput(out).writingError(err).exec(command)) {
      Object code = watch.exitCode().get(20, TimeUnit.SECONDS);
      return List.of("" + out, "" + err, code);
    }
  }
}
