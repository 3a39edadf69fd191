package llm

// Usage is what an answer cost. The zero value is a call that was never sent.
type Usage struct {
	Calls    int `json:"calls,omitempty"`    // requests that a model worked on
	In       int `json:"in,omitempty"`       // input tokens
	Out      int `json:"out,omitempty"`      // output tokens, thinking included, as they are billed
	Thinking int `json:"thinking,omitempty"` // the part of Out that was thinking
	Cached   int `json:"cached,omitempty"`   // the part of In that the back end had cached
	Searches int `json:"searches,omitempty"` // web searches of a grounded call
	// Cost is in US dollars; nil when a price is unknown.
	Cost *float64 `json:"cost_usd"`
	// Estimated tells that the back end counted no tokens and we did.
	Estimated bool `json:"estimated,omitempty"`
}

// Add is the sum of both. An unknown cost of either makes the sum's unknown,
// unless that one never made a call.
func (u Usage) Add(v Usage) Usage {
	sum := Usage{
		Calls: u.Calls + v.Calls, In: u.In + v.In, Out: u.Out + v.Out, Thinking: u.Thinking + v.Thinking,
		Cached: u.Cached + v.Cached, Searches: u.Searches + v.Searches, Estimated: u.Estimated || v.Estimated,
	}
	switch {
	case u.Calls == 0 && u.Cost == nil:
		sum.Cost = v.Cost
	case v.Calls == 0 && v.Cost == nil:
		sum.Cost = u.Cost
	case u.Cost != nil && v.Cost != nil:
		cost := *u.Cost + *v.Cost
		sum.Cost = &cost
	}
	return sum
}
