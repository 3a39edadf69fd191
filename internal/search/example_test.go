package search_test

import (
	"context"
	"fmt"

	"deepresearch/internal/search"
)

// almanac is an engine over one page.
type almanac struct{}

func (almanac) Name() string                      { return "almanac" }
func (almanac) Capabilities() search.Capabilities { return search.Capabilities{} }

func (almanac) Search(_ context.Context, q search.Query) ([]search.Result, error) {
	return []search.Result{{Title: "Tide tables", URL: "https://almanac.example/tides?utm_source=x", Snippet: "High and low tides of the year."}}, nil
}

// silent is an engine that is down.
type silent struct{ almanac }

func (silent) Name() string { return "silent" }

func (silent) Search(context.Context, search.Query) ([]search.Result, error) {
	return nil, &search.Failure{Kind: search.Network, Message: "connection refused"}
}

func ExampleSearcher_Search() {
	s := search.New(search.Options{Engines: []search.Engine{almanac{}, silent{}}})
	defer s.Close()
	answer, err := s.Search(context.Background(), search.Query{Text: "tide tables"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range answer.Results {
		fmt.Println(r.Rank, r.Title, r.URL, r.Engines)
	}
	for _, f := range answer.Failures {
		fmt.Println(f.Error())
	}
	// Output:
	// 1 Tide tables https://almanac.example/tides [almanac]
	// silent: network: connection refused
}
