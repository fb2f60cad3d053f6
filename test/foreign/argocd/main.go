// Runs a health check for Argo CD in the Lua that Argo CD runs it in, for each object that it reads, one JSON document a
// line; the first line is the script. Deletion is decided before the script is asked, as Argo CD's engine does.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	lua "github.com/yuin/gopher-lua"
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
		answer := "Progressing"
		if metadata, _ := object["metadata"].(map[string]any); metadata["deletionTimestamp"] == nil {
			answer = check(script, object)
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}

func check(script string, object map[string]any) string {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	state.SetGlobal("obj", value(state, object))
	if err := state.DoString(script); err != nil {
		fail(err)
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		fail(fmt.Errorf("the script returned no table"))
	}
	return table.RawGetString("status").String()
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
