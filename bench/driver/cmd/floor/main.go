// floor: the least work that yields the benchmark's result. It lists and watches
// Widgets and ConfigMaps, and for each Widget that is behind sends exactly two
// writes (ConfigMap create/replace, status merge-patch) over 16 HTTP/1.1
// connections. No cache comparison, no conflict handling, no requeue: a yardstick,
// not an operator.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"bench.example.com/driver/kapi"
)

type widget struct {
	Metadata struct {
		Name       string `json:"name"`
		Namespace  string `json:"namespace"`
		UID        string `json:"uid"`
		Generation int64  `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		Size    int               `json:"size"`
		Payload map[string]string `json:"payload"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64 `json:"observedGeneration"`
	} `json:"status"`
}

type cm struct {
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		Owners    []struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
}

type job struct {
	w      *widget
	cmOnly bool
}

func main() {
	workers, _ := strconv.Atoi(os.Getenv("BENCH_WORKERS"))
	if workers == 0 {
		workers = 16
	}
	c, err := kapi.New(os.Getenv("KUBECONFIG"), workers+2, false)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	jobs := make(chan job, 1<<17)
	var mu sync.Mutex
	have := map[string]bool{}
	ws := map[string]*widget{}

	for i := 0; i < workers; i++ {
		go func() {
			for j := range jobs {
				w := j.w
				data := map[string]string{}
				for k, v := range w.Spec.Payload {
					data[k] = v
				}
				data["size"] = strconv.Itoa(w.Spec.Size)
				dj, _ := json.Marshal(data)
				name := "w-" + w.Metadata.Name
				body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"ownerReferences":[{"apiVersion":"bench.example.com/v1","kind":"Widget","name":%q,"uid":%q,"controller":true,"blockOwnerDeletion":true}]},"data":%s}`,
					name, w.Metadata.Name, w.Metadata.UID, dj)
				base := "/api/v1/namespaces/" + w.Metadata.Namespace + "/configmaps"
				mu.Lock()
				exists := have[name]
				mu.Unlock()
				var code int
				var b []byte
				var err error
				if exists {
					code, b, err = c.Do(ctx, "PUT", base+"/"+name, kapi.JSON, body)
				} else {
					code, b, err = c.Do(ctx, "POST", base, kapi.JSON, body)
				}
				if err != nil || code > 299 {
					fmt.Fprintln(os.Stderr, "configmap", code, string(b), err)
					continue
				}
				if j.cmOnly {
					continue
				}
				st := fmt.Appendf(nil, `{"status":{"observedGeneration":%d,"conditions":[{"type":"Ready","status":"True","reason":"Reconciled","message":"ConfigMap is up to date","lastTransitionTime":%q}]}}`,
					w.Metadata.Generation, time.Now().UTC().Format(time.RFC3339))
				code, b, err = c.Do(ctx, "PATCH", "/apis/bench.example.com/v1/namespaces/"+w.Metadata.Namespace+"/widgets/"+w.Metadata.Name+"/status", kapi.Merge, st)
				if err != nil || code > 299 {
					fmt.Fprintln(os.Stderr, "status", code, string(b), err)
				}
			}
		}()
	}

	onWidget := func(w *widget, deleted bool) {
		mu.Lock()
		if deleted {
			delete(ws, w.Metadata.Name)
		} else {
			ws[w.Metadata.Name] = w
		}
		mu.Unlock()
		if !deleted && w.Status.ObservedGeneration != w.Metadata.Generation {
			jobs <- job{w: w}
		}
	}
	onCM := func(m *cm, deleted bool) {
		mu.Lock()
		if deleted {
			delete(have, m.Metadata.Name)
		} else {
			have[m.Metadata.Name] = true
		}
		var w *widget
		if deleted && len(m.Metadata.Owners) > 0 {
			w = ws[m.Metadata.Owners[0].Name]
		}
		mu.Unlock()
		if w != nil {
			jobs <- job{w: w, cmOnly: true}
		}
	}

	var cl struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []*cm `json:"items"`
	}
	must(list(ctx, c, "/api/v1/configmaps", &cl))
	for _, m := range cl.Items {
		onCM(m, false)
	}
	go watch(ctx, c, "/api/v1/configmaps", cl.Metadata.ResourceVersion, func(t string, raw json.RawMessage) {
		var m cm
		if json.Unmarshal(raw, &m) == nil {
			onCM(&m, t == "DELETED")
		}
	})
	var wl struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []*widget `json:"items"`
	}
	must(list(ctx, c, "/apis/bench.example.com/v1/widgets", &wl))
	for _, w := range wl.Items {
		onWidget(w, false)
	}
	watch(ctx, c, "/apis/bench.example.com/v1/widgets", wl.Metadata.ResourceVersion, func(t string, raw json.RawMessage) {
		w := new(widget)
		if json.Unmarshal(raw, w) == nil {
			onWidget(w, t == "DELETED")
		}
	})
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func list(ctx context.Context, c *kapi.Client, path string, into any) error {
	code, b, err := c.Do(ctx, "GET", path+"?resourceVersion=0", "", nil)
	if err != nil {
		return err
	}
	if code != 200 {
		return fmt.Errorf("list %s: %d", path, code)
	}
	return json.Unmarshal(b, into)
}

func watch(ctx context.Context, c *kapi.Client, path, rv string, f func(string, json.RawMessage)) {
	for {
		err := c.Watch(ctx, path+"?watch=1&allowWatchBookmarks=true&resourceVersion="+rv, func(line []byte) {
			var e struct {
				Type   string          `json:"type"`
				Object json.RawMessage `json:"object"`
			}
			if json.Unmarshal(line, &e) != nil {
				return
			}
			var m struct {
				Metadata struct {
					ResourceVersion string `json:"resourceVersion"`
				} `json:"metadata"`
			}
			if json.Unmarshal(e.Object, &m) == nil && m.Metadata.ResourceVersion != "" {
				rv = m.Metadata.ResourceVersion
			}
			if e.Type != "BOOKMARK" {
				f(e.Type, e.Object)
			}
		})
		fmt.Fprintln(os.Stderr, "watch ended", path, err)
		time.Sleep(time.Second)
	}
}
