package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Keys of etcd below which the API server keeps what an operator of the benchmark reads.
const (
	wKey  = "/registry/bench.example.com/widgets/" + ns + "/"
	cmKey = "/registry/configmaps/" + ns + "/w-"
)

// mostClones keeps names and numbers at five digits: a copy has the length of its original, as the lengths inside of a
// ConfigMap's protobuf say.
const mostClones = 100_000

// etcd is what the API server stores in: its gateway speaks JSON, with keys and values in base64.
type etcd struct {
	base string
	http *http.Client
}

// clone makes n Widgets and ConfigMaps of the first `from`, which have converged: copies of what the API server has stored of
// those, written where it reads them. It then has the same objects as if it had been asked for each of them, in a tenth of the time.
func (e *env) clone(from, n int) error {
	if n > mostClones {
		return fmt.Errorf("clone: %d Widgets have names of six digits, %d are possible", n, mostClones)
	}
	ws, _, err := e.listW()
	if err != nil {
		return err
	}
	if len(ws) != from {
		return fmt.Errorf("clone: %d Widgets to copy, not %d", len(ws), from)
	}
	cms, _, err := e.listCM()
	if err != nil {
		return err
	}
	uids := map[string]string{}
	for _, m := range cms {
		uids[m.Metadata.Name] = m.Metadata.UID
	}
	type original struct {
		widget, configMap []byte
		uid, configMapUID string
	}
	originals := make([]original, from)
	for i := range originals {
		originals[i].uid, originals[i].configMapUID = ws[i].Metadata.UID, uids["w-"+wname(i)]
		if originals[i].widget, err = e.etcd.get(wKey + wname(i)); err != nil {
			return err
		}
		if originals[i].configMap, err = e.etcd.get(cmKey + wname(i)); err != nil {
			return err
		}
	}
	return parallel(n-from, poolSize, func(j int) error {
		i, o := from+j, j%from
		it := originals[o]
		changes := strings.NewReplacer(
			wname(o), wname(i),
			fmt.Sprintf("-of-%05d-", o), fmt.Sprintf("-of-%05d-", i),
			it.uid, fmt.Sprintf("%08x-0000-4000-8000-%012x", i, 1),
			it.configMapUID, fmt.Sprintf("%08x-0000-4000-8000-%012x", i, 2),
		)
		if err := e.etcd.put(wKey+wname(i), []byte(changes.Replace(string(it.widget)))); err != nil {
			return err
		}
		return e.etcd.put(cmKey+wname(i), []byte(changes.Replace(string(it.configMap))))
	})
}

// newEtcd knows where cluster.sh has started it.
func newEtcd(cpdir string) *etcd {
	address, _ := os.ReadFile(filepath.Join(cpdir, "etcd.address"))
	tr := &http.Transport{MaxIdleConnsPerHost: poolSize}
	return &etcd{base: strings.TrimSpace(string(address)), http: &http.Client{Transport: tr}}
}

func (s *etcd) get(key string) ([]byte, error) {
	var found struct {
		KVs []struct {
			Value []byte `json:"value"`
		} `json:"kvs"`
	}
	if err := s.call("range", map[string][]byte{"key": []byte(key)}, &found); err != nil {
		return nil, err
	}
	if len(found.KVs) != 1 {
		return nil, fmt.Errorf("etcd has no %s", key)
	}
	return found.KVs[0].Value, nil
}

func (s *etcd) put(key string, value []byte) error {
	return s.call("put", map[string][]byte{"key": []byte(key), "value": value}, nil)
}

// call has encoding/json write and read the base64.
func (s *etcd) call(method string, asked, answer any) error {
	body, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	resp, err := s.http.Post(s.base+"/v3/kv/"+method, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != 200 {
		return fmt.Errorf("etcd %s: %d %.200s", method, resp.StatusCode, b)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(b, answer)
}
