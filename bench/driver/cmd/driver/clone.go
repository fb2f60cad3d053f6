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
	"time"
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

// original is what the API server has stored of a Widget and of its ConfigMap, and what of it is another thing in each copy.
type original struct {
	widget, configMap []byte
	uid, configMapUID string
	// The ConfigMap as it is read, for those who know what the marks on it say.
	read  []byte
	marks []string
}

// clone makes n Widgets and ConfigMaps of the first `from`, which have converged: copies of what the API server has stored of
// those, written where it reads them. It then has the same objects as if it had been asked for each of them, in a tenth of the time.
// What operators have marked the originals with is on the copies, too: `marked` says what depends on names and uids.
func (e *env) clone(from, n int, marked []*opdef, limit time.Duration) error {
	if n > mostClones {
		return fmt.Errorf("clone: %d Widgets have names of six digits, %d are possible", n, mostClones)
	}
	originals, err := e.originals(from)
	if err != nil {
		return err
	}
	copies := make([][]string, n) // of each copy, what the marks say
	for _, o := range marked {
		of := func(i int) []byte {
			it := &originals[i%from]
			if i < from {
				return it.read
			}
			return []byte(it.changesFor(i, i%from, nil).Replace(string(it.read)))
		}
		marks, err := o.marks(n, of)
		if err != nil {
			return err
		}
		for i, mark := range marks {
			if i >= from {
				copies[i] = append(copies[i], mark)
				continue
			}
			if !bytes.Contains(originals[i].configMap, []byte(mark)) {
				return fmt.Errorf("clone: the ConfigMap of %s has no mark %q of %s", wname(i), mark, o.name)
			}
			originals[i].marks = append(originals[i].marks, mark)
		}
	}
	// First all owners: what the garbage collector sees before its owner, it asks the API server about.
	if err := parallel(n-from, poolSize, func(j int) error {
		i := from + j
		it := &originals[i%from]
		return e.etcd.put(wKey+wname(i), []byte(it.changesFor(i, i%from, nil).Replace(string(it.widget))))
	}); err != nil {
		return err
	}
	if err := e.settle(limit); err != nil {
		return err
	}
	return parallel(n-from, poolSize, func(j int) error {
		i := from + j
		it := &originals[i%from]
		return e.etcd.put(cmKey+wname(i), []byte(it.changesFor(i, i%from, copies[i]).Replace(string(it.configMap))))
	})
}

// originals reads the first n Widgets and their ConfigMaps, and what is stored of them.
func (e *env) originals(n int) ([]original, error) {
	ws, _, err := e.listW()
	if err != nil {
		return nil, err
	}
	if len(ws) != n {
		return nil, fmt.Errorf("clone: %d Widgets to copy, not %d", len(ws), n)
	}
	cms, _, err := list[json.RawMessage](e, cmBase)
	if err != nil {
		return nil, err
	}
	read := map[string]json.RawMessage{}
	for _, raw := range cms {
		m := new(cmobj)
		if err := json.Unmarshal(*raw, m); err != nil {
			return nil, err
		}
		read[m.Metadata.Name] = *raw
	}
	originals := make([]original, n)
	err = parallel(n, poolSize, func(i int) error {
		it, m := &originals[i], new(cmobj)
		it.read = read["w-"+wname(i)]
		if err := json.Unmarshal(it.read, m); err != nil {
			return fmt.Errorf("the ConfigMap of %s: %w", wname(i), err)
		}
		it.uid, it.configMapUID = ws[i].Metadata.UID, m.Metadata.UID
		if it.widget, err = e.etcd.get(wKey + wname(i)); err != nil {
			return err
		}
		it.configMap, err = e.etcd.get(cmKey + wname(i))
		return err
	})
	return originals, err
}

// changesFor are what of original o is another thing in copy i, which is as long in each.
func (it *original) changesFor(i, o int, marks []string) *strings.Replacer {
	changes := []string{
		wname(o), wname(i),
		fmt.Sprintf("-of-%05d-", o), fmt.Sprintf("-of-%05d-", i),
		it.uid, fmt.Sprintf("%08x-0000-4000-8000-%012x", i, 1),
		it.configMapUID, fmt.Sprintf("%08x-0000-4000-8000-%012x", i, 2),
	}
	for at, mark := range marks {
		changes = append(changes, it.marks[at], mark)
	}
	return strings.NewReplacer(changes...)
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
