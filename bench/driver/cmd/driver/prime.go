package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// prime runs an operator until it has nothing more to write: from then on its marks are on all that there is. The Events that it
// still has to send are of no account.
func (e *env) prime(cf *config) error {
	o, err := loadOp(cf.op)
	if err != nil {
		return err
	}
	before, err := e.metrics()
	if err != nil {
		return err
	}
	p, err := o.start(cf.logdir)
	if err != nil {
		return err
	}
	defer p.stop()
	// One that finds all its marks never writes.
	all, last, patience := 0.0, time.Now(), 10*time.Second
	for time.Since(last) < patience {
		time.Sleep(500 * time.Millisecond)
		if p.exited() {
			return fmt.Errorf("%s exited while it was primed", o.name)
		}
		if time.Since(p.t0) > cf.limit {
			return fmt.Errorf("%s still writes after %s", o.name, cf.limit)
		}
		now, err := e.metrics()
		if err != nil {
			return err
		}
		if n := delta(before, now, nil).written("widgets", "configmaps"); n > 0 {
			all, last, patience = all+n, time.Now(), 3*time.Second
		}
		before = now
	}
	fmt.Fprintf(os.Stderr, "%s primed in %.0fs, with %.0f writes\n", o.name, time.Since(p.t0).Seconds(), all)
	return nil
}

// written counts the writes to resources and their subresources that have succeeded.
func (d counts) written(resources ...string) float64 {
	of := counts{}
	for key, n := range d {
		for _, resource := range resources {
			if strings.Contains(key, " "+resource) {
				of[key] = n
			}
		}
	}
	writes, _, _ := of.sums()
	return writes
}

// marks asks the operator's MARKS, a program that reads ConfigMaps as JSON, one a line, and answers each with a line: what the
// operator's mark on it says.
func (o *opdef) marks(n int, of func(i int) []byte) ([]string, error) {
	cmd := exec.Command("bash", "-c", `set -a; . "$1"; set +a; eval "exec $MARKS"`, "op", o.file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		lines := bufio.NewWriter(in)
		for i := range n {
			_, _ = lines.Write(append(bytes.TrimSpace(of(i)), '\n'))
		}
		_ = lines.Flush()
		_ = in.Close()
	}()
	var marks []string
	for answers := bufio.NewScanner(out); answers.Scan(); {
		marks = append(marks, answers.Text())
	}
	err = cmd.Wait()
	if err == nil && len(marks) != n {
		err = fmt.Errorf("%d lines", len(marks))
	}
	if err != nil {
		return nil, fmt.Errorf("MARKS of %s, asked about %d ConfigMaps: %w", o.name, n, err)
	}
	return marks, nil
}

// settle waits until the control plane has been idle for three seconds, a twelfth of a core aside.
func (e *env) settle(limit time.Duration) error {
	end := time.Now().Add(limit)
	for calm := 0; calm < 3; {
		before := e.usage(0)
		time.Sleep(time.Second)
		c := diff(before, e.usage(0))
		calm++
		if c.API+c.Etcd+c.KCM > 0.08*c.Wall {
			calm = 0
		}
		if time.Now().After(end) {
			return errors.New("the control plane does not come to rest")
		}
	}
	return nil
}
