package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"deepresearch/tools"
)

// A server over its ports answers the list of tools without a network or a key.
func ExampleNew() {
	m := tools.New(tools.Options{Searcher: offline{}, Reader: offline{}})
	ctx := tools.WithCaller(context.Background(), tools.Caller{ID: "user:me", Local: true})
	answer, _ := json.Marshal(m.HandleMessage(ctx, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	_ = json.Unmarshal(answer, &list)
	for _, tool := range list.Result.Tools {
		fmt.Println(tool.Name)
	}
	// Output:
	// crawl
	// deep_research
	// plan
	// research_cancel
	// research_result
	// research_status
	// web_search
}
