// Says what Argo CD's own engine makes of each object that it reads, one JSON document a line; the first line is the health
// check in Lua. The engine asks the check as an override, as it does in Argo CD: by the libraries that Argo CD opens for it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/pkg/health"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	lines := bufio.NewReader(os.Stdin)
	var script string
	read(lines, &script)
	for {
		var object map[string]any
		if !read(lines, &object) {
			return
		}
		found, err := health.GetResourceHealth(&unstructured.Unstructured{Object: object}, override(script))
		if err != nil {
			fail(err)
		}
		text, _ := json.Marshal(string(found.Status))
		fmt.Println(string(text))
	}
}

// The check of one kind, as the engine asks it.
type override string

func (script override) GetResourceHealth(object *unstructured.Unstructured) (*health.HealthStatus, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", value(state, object.Object))
	if err := state.DoString(string(script)); err != nil {
		return nil, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return nil, fmt.Errorf("the script returned no table")
	}
	return &health.HealthStatus{
		Status:  health.HealthStatusCode(table.RawGetString("status").String()),
		Message: table.RawGetString("message").String(),
	}, nil
}

func value(state *lua.LState, from any) lua.LValue {
	switch from := from.(type) {
	case bool:
		return lua.LBool(from)
	case float64:
		return lua.LNumber(from)
	case string:
		return lua.LString(from)
	case []any:
		table := state.NewTable()
		for _, each := range from {
			table.Append(value(state, each))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for name, each := range from {
			table.RawSetString(name, value(state, each))
		}
		return table
	}
	return lua.LNil
}

func read(lines *bufio.Reader, into any) bool {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return false
	}
	if err := json.Unmarshal(line, into); err != nil {
		fail(err)
	}
	return true
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
