// Says, for each line "namespace/name" that it reads, whether Helm's wait ends for that object: `done`, or why not.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

func main() {
	kubeconfig, resource := os.Args[1], os.Args[2]
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig = &kubeconfig
	client := kube.New(flags)
	waiter, err := client.GetWaiter(kube.StatusWatcherStrategy)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		namespace, name, _ := strings.Cut(lines.Text(), "/")
		client.Namespace = namespace
		manifest := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: %s}\n",
			strings.Split(resource, " ")[0], strings.Split(resource, " ")[1], name, namespace)
		list, err := client.Build(strings.NewReader(manifest), false)
		if err == nil {
			err = waiter.Wait(list, 1500*time.Millisecond)
		}
		if err == nil {
			fmt.Println("done")
		} else {
			fmt.Println("not done: " + strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
}
