package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/internal/safe"
)

// steps is a model whose every answer is written down.
type steps struct {
	name   string
	traits llm.Traits
	take   time.Duration

	mu    sync.Mutex
	steps []step
	asked []llm.Request
	at    []time.Duration
	start time.Time
	busy  int
	most  int
}

type step struct {
	reply llm.Reply
	err   error
}

func says(texts ...string) (out []step) {
	for _, t := range texts {
		out = append(out, step{reply: llm.Reply{Text: t, Finish: llm.Stopped, Usage: llm.Usage{Calls: 1, In: 10, Out: 5}}})
	}
	return out
}

func cut(text string) []step {
	s := says(text)
	s[0].reply.Finish = llm.Length
	return s
}

func fails(errs ...*llm.Error) (out []step) {
	for _, e := range errs {
		out = append(out, step{err: e})
	}
	return out
}

func sequence(parts ...[]step) (out []step) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func (m *steps) Name() string       { return m.name }
func (m *steps) Traits() llm.Traits { return m.traits }

func (m *steps) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	m.mu.Lock()
	if m.start.IsZero() {
		m.start = time.Now()
	}
	m.asked, m.at = append(m.asked, r), append(m.at, time.Since(m.start))
	s := step{err: errors.New("nothing is written down for this call")}
	if len(m.steps) > 0 {
		s, m.steps = m.steps[0], m.steps[1:]
	}
	m.busy++
	m.most = max(m.most, m.busy)
	m.mu.Unlock()
	defer func() { m.mu.Lock(); m.busy--; m.mu.Unlock() }()
	select {
	case <-time.After(m.take):
		return s.reply, s.err
	case <-ctx.Done():
		return llm.Reply{}, ctx.Err()
	}
}

func newModels(t *testing.T, opt llm.Options, chain ...llm.Model) *llm.Models {
	t.Helper()
	opt.Default = chain
	opt.Rand = func() float64 { return 0.5 }
	m, err := llm.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var schema = json.RawMessage(`{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}}},"required":["queries"]}`)

func fail(k llm.Kind) *llm.Error { return &llm.Error{Kind: k, Message: string(k)} }

func wait(k llm.Kind, d time.Duration) *llm.Error {
	return &llm.Error{Kind: k, Message: string(k), RetryAfter: d}
}

func Example() {
	models, err := llm.New(llm.Options{Default: []llm.Model{scripted.New(scripted.Options{Persona: scripted.Sloppy})}})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := models.Generate(context.Background(), llm.Request{Role: llm.Plan, Messages: llm.Ask("How tall is it?"), Schema: schema})
	fmt.Println(string(reply.JSON), reply.Usage.Calls, err)
	// Output:
	// {"queries":["How tall is it","How tall is it overview","How tall is it figures"]} 1 <nil>
}

// TestFailures is the table of what happens after each failure: how often the
// model is asked, when, and what comes out.
func TestFailures(t *testing.T) {
	ok := says("fine")
	for _, c := range []struct {
		name  string
		steps []step
		kind  llm.Kind // "" for success
		at    []time.Duration
	}{
		{"auth", fails(fail(llm.Auth)), llm.Auth, []time.Duration{0}},
		{"no such model", fails(fail(llm.NotFound)), llm.NotFound, []time.Duration{0}},
		{"bad request", fails(fail(llm.BadRequest)), llm.BadRequest, []time.Duration{0}},
		{"quota", fails(fail(llm.Quota)), llm.Quota, []time.Duration{0}},
		{"blocked", fails(fail(llm.Blocked)), llm.Blocked, []time.Duration{0}},
		{"context too long", fails(fail(llm.ContextTooLong)), llm.ContextTooLong, []time.Duration{0}},
		{"nothing listens", fails(fail(llm.Unreachable)), llm.Unreachable, []time.Duration{0}},
		{"our own rules", fails(fail(llm.Denied)), llm.Denied, []time.Duration{0}},
		{"rate with a delay", sequence(fails(wait(llm.Rate, 36*time.Second)), ok), "", []time.Duration{0, 37800 * time.Millisecond}},
		{"rate without a delay", sequence(fails(fail(llm.Rate)), ok), "", []time.Duration{0, 250 * time.Millisecond}},
		{"rate three times", sequence(fails(wait(llm.Rate, time.Second), wait(llm.Rate, time.Second), wait(llm.Rate, time.Second)), ok), "",
			[]time.Duration{0, 1050 * time.Millisecond, 2100 * time.Millisecond, 3150 * time.Millisecond}},
		{"rate four times", fails(wait(llm.Rate, time.Second), wait(llm.Rate, time.Second), wait(llm.Rate, time.Second), wait(llm.Rate, time.Second)), llm.Rate,
			[]time.Duration{0, 1050 * time.Millisecond, 2100 * time.Millisecond, 3150 * time.Millisecond}},
		{"a delay beyond patience", fails(wait(llm.Rate, 90*time.Second)), llm.Rate, []time.Duration{0}},
		{"overloaded", sequence(fails(fail(llm.Overloaded), fail(llm.Overloaded)), ok), "", []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond}},
		{"overloaded for good", fails(fail(llm.Overloaded), fail(llm.Overloaded), fail(llm.Overloaded), fail(llm.Overloaded)), llm.Overloaded,
			[]time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond, 1750 * time.Millisecond}},
		{"the connection broke", sequence(fails(fail(llm.Network)), ok), "", []time.Duration{0, 250 * time.Millisecond}},
		{"slow once", sequence(fails(fail(llm.Timeout)), ok), "", []time.Duration{0, 0}},
		{"slow twice", fails(fail(llm.Timeout), fail(llm.Timeout)), llm.Timeout, []time.Duration{0, 0}},
		{"no text once", sequence(says(""), ok), "", []time.Duration{0, 0}},
		{"no text twice", says("", ""), llm.Empty, []time.Duration{0, 0}},
		{"only thinking", says("<think>hm</think>", "<think>hm"), llm.Empty, []time.Duration{0, 0}},
		{"cut once", sequence(cut("fi"), ok), "", []time.Duration{0, 0}},
		{"a library's own error", []step{{err: errors.New("x509: what")}, ok[0]}, "", []time.Duration{0, 250 * time.Millisecond}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &steps{name: "test:m", steps: c.steps}
				reply, err := newModels(t, llm.Options{}, m).Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
				if llm.KindOf(err) != c.kind || err == nil && reply.Text != "fine" {
					t.Errorf("got %q, %v, want kind %q", reply.Text, err, c.kind)
				}
				if diff := cmp.Diff(c.at, m.at); diff != "" {
					t.Errorf("times of requests (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestChain(t *testing.T) {
	first := &steps{name: "a:1", steps: fails(fail(llm.Quota))}
	second := &steps{name: "b:2", steps: says("fine")}
	var events []llm.Event
	models := newModels(t, llm.Options{Trace: func(_ context.Context, e llm.Event) { events = append(events, e) }}, first, second)
	reply, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
	if err != nil || reply.Model != "b:2" || len(reply.Warnings) != 1 || !strings.Contains(reply.Warnings[0], "a:1 failed (quota)") {
		t.Errorf("got %+v, %v", reply, err)
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, string(e.Kind)+" "+e.Model)
	}
	if diff := cmp.Diff([]string{"called a:1", "switched a:1", "called b:2"}, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}

	first.steps, second.steps = fails(fail(llm.Auth)), fails(fail(llm.NotFound))
	_, err = models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
	if llm.KindOf(err) != llm.Auth || !strings.Contains(err.Error(), "b:2") {
		t.Errorf("got %v, want the first failure and a word on the second", err)
	}
}

func TestAttemptsAreSharedAlongTheChain(t *testing.T) {
	first := &steps{name: "a:1", steps: says("Hm.", "Hm.")}
	second := &steps{name: "b:2", steps: says("Hm.", "Hm.")}
	models := newModels(t, llm.Options{}, first, second)
	r := llm.Request{Messages: llm.Ask("q"), Schema: schema, MaxOutput: 100}
	reply, err := models.Generate(context.Background(), r)
	if llm.KindOf(err) != llm.BrokenOutput || reply.Usage.Calls != 3 || len(first.asked)+len(second.asked) != 3 {
		t.Errorf("got %v after %d + %d requests", err, len(first.asked), len(second.asked))
	}
	if c := models.Ceiling(r); reply.Usage.Calls > c.Calls || reply.Usage.In > c.In || reply.Usage.Out > c.Out {
		t.Errorf("%+v goes beyond the ceiling %+v", reply.Usage, c)
	}
}

func TestRolesHaveTheirOwnModels(t *testing.T) {
	plan, write := &steps{name: "a:1", steps: says("plan")}, &steps{name: "b:2", steps: says("write")}
	models, err := llm.New(llm.Options{Default: []llm.Model{plan}, Chains: map[llm.Role][]llm.Model{llm.Write: {write}}})
	if err != nil {
		t.Fatal(err)
	}
	for role, want := range map[llm.Role]string{llm.Write: "write", llm.Judge: "plan"} {
		if reply, err := models.Generate(context.Background(), llm.Request{Role: role, Messages: llm.Ask("q")}); err != nil || reply.Text != want {
			t.Errorf("%s: got %q, %v", role, reply.Text, err)
		}
	}
	if _, err := models.Generate(context.Background(), llm.Request{Role: "cook", Messages: llm.Ask("q")}); llm.KindOf(err) != llm.NotFound {
		t.Errorf("an unknown role: %v", err)
	}
	if _, err := models.Generate(context.Background(), llm.Request{}); llm.KindOf(err) != llm.BadRequest {
		t.Errorf("no message: %v", err)
	}
	if _, err := llm.New(llm.Options{}); err == nil {
		t.Error("no model at all was accepted")
	}
}

func TestCancelledCallsEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{name: "test:m", steps: says("late"), take: time.Minute}
		models := newModels(t, llm.Options{}, m)
		cause := errors.New("the host left")
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { time.Sleep(time.Second); cancel(cause) }()
		start := time.Now()
		if _, err := models.Generate(ctx, llm.Request{Messages: llm.Ask("q")}); !errors.Is(err, cause) || time.Since(start) != time.Second || len(m.asked) != 1 {
			t.Errorf("got %v after %v and %d requests", err, time.Since(start), len(m.asked))
		}

		m.steps, m.take = fails(wait(llm.Rate, 30*time.Second)), 0
		ctx, cancel2 := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel2()
		start = time.Now()
		if _, err := models.Generate(ctx, llm.Request{Messages: llm.Ask("q")}); llm.KindOf(err) != llm.Rate || time.Since(start) != 0 {
			t.Errorf("a wait beyond the deadline: got %v after %v", err, time.Since(start))
		}
	})
}

func TestDeadlinesOfOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{name: "test:m", traits: llm.Traits{Server: "s", Local: true, First: 600 * time.Second, Timeout: 300 * time.Second}, take: 500 * time.Second,
			steps: says("loaded", "late", "late")}
		models := newModels(t, llm.Options{}, m)
		if _, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")}); err != nil {
			t.Errorf("the first answer, which loads the model: %v", err)
		}
		start := time.Now()
		reply, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
		if llm.KindOf(err) != llm.Timeout || time.Since(start) != 600*time.Second || reply.Usage.Calls != 2 {
			t.Errorf("got %v after %v, %d calls", err, time.Since(start), reply.Usage.Calls)
		}
	})
}

func TestRequestsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			traits llm.Traits
			opt    llm.Options
			want   int
		}{{llm.Traits{Server: "s"}, llm.Options{}, 4}, {llm.Traits{Server: "s", Local: true}, llm.Options{Concurrency: 8}, 1}, {llm.Traits{Server: "s"}, llm.Options{Concurrency: 2}, 2}} {
			a := &steps{name: "test:m", traits: c.traits, take: time.Second}
			for range 10 {
				a.steps = append(a.steps, says("x")...)
			}
			models := newModels(t, c.opt, a)
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() {
					if _, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if a.most != c.want {
				t.Errorf("%+v: %d at once, want %d", c.traits, a.most, c.want)
			}
		}
	})
}

func TestOneRateLimitHoldsAllRunsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &steps{name: "test:a", traits: llm.Traits{Server: "s"}, steps: sequence(fails(wait(llm.Rate, 20*time.Second)), says("a"))}
		b := &steps{name: "test:b", traits: llm.Traits{Server: "s"}, steps: says("b")}
		models, err := llm.New(llm.Options{Default: []llm.Model{a}, Chains: map[llm.Role][]llm.Model{llm.Write: {b}}, Rand: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		start := time.Now()
		wg.Go(func() {
			if _, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")}); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second)
		if _, err := models.Generate(context.Background(), llm.Request{Role: llm.Write, Messages: llm.Ask("q")}); err != nil || time.Since(start) != 20*time.Second {
			t.Errorf("the other model answered after %v, %v", time.Since(start), err)
		}
		wg.Wait()
	})
}

func TestConfiguredLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{name: "test:m", traits: llm.Traits{BackEnd: "test", Server: "s"}, steps: says("1", "2", "3", "4")}
		models := newModels(t, llm.Options{Limits: map[string]llm.Limit{"test": {Requests: 2}}}, m)
		start := time.Now()
		for range 4 {
			if _, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")}); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(start).Round(time.Second); got != time.Minute {
			t.Errorf("four requests at two a minute took %v, want a minute after the first two", got)
		}
	})
}

func TestServerHeadersHoldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := says("1", "2")
		s[0].reply.Pause = 7 * time.Second
		m := &steps{name: "test:m", steps: s}
		models := newModels(t, llm.Options{}, m)
		for range 2 {
			if _, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")}); err != nil {
				t.Fatal(err)
			}
		}
		if m.at[1] != 7*time.Second {
			t.Errorf("the second request went out after %v", m.at[1])
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &steps{name: "test:m"}
		for range 8 {
			m.steps = append(m.steps, fails(fail(llm.Overloaded))...)
		}
		models := newModels(t, llm.Options{}, m)
		ask := func() error {
			_, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
			return err
		}
		for range 3 {
			if err := ask(); llm.KindOf(err) != llm.Overloaded {
				t.Fatal(err)
			}
		}
		if len(m.asked) != 5 {
			t.Errorf("%d requests reached the model, want the five before the breaker opened", len(m.asked))
		}
		time.Sleep(31 * time.Second)
		if err := ask(); llm.KindOf(err) != llm.Overloaded || len(m.asked) != 6 {
			t.Errorf("after the pause one probe goes through: %v, %d requests", err, len(m.asked))
		}
		time.Sleep(31 * time.Second)
		m.steps = says("fine", "fine")
		for range 2 {
			if err := ask(); err != nil {
				t.Errorf("the model works again: %v", err)
			}
		}
	})
}

func TestBudget(t *testing.T) {
	m := &steps{name: "test:m", steps: says("1", "2", "3")}
	budget := &llm.Budget{Calls: 2}
	models := newModels(t, llm.Options{Budget: budget}, m)
	r := llm.Request{Messages: llm.Ask("q"), Attempts: 1}
	for i := range 3 {
		_, err := models.Generate(context.Background(), r)
		if (i < 2) != (err == nil) || i == 2 && llm.KindOf(err) != llm.Spent {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	if got := budget.Spent(); got.Calls != 2 || got.In != 20 {
		t.Errorf("spent %+v", got)
	}

	unpriced := newModels(t, llm.Options{Budget: &llm.Budget{Cost: 1}}, &steps{name: "test:m", steps: says("1")})
	if _, err := unpriced.Generate(context.Background(), r); llm.KindOf(err) != llm.Spent {
		t.Errorf("a limit on an unknown cost: %v", err)
	}
	priced := newModels(t, llm.Options{Budget: &llm.Budget{Cost: 1}, Prices: map[string]llm.Price{"test:m": {In: 1, Out: 2}}}, &steps{name: "test:m", steps: says("1")})
	if reply, err := priced.Generate(context.Background(), r); err != nil || *reply.Usage.Cost != 20e-6 {
		t.Errorf("got %+v, %v", reply.Usage, err)
	}
}

func TestStream(t *testing.T) {
	m := &steps{name: "test:m", steps: sequence(fails(fail(llm.Overloaded)), says("one two"))}
	var got []string
	reply, err := newModels(t, llm.Options{}, m).Stream(context.Background(), llm.Request{Messages: llm.Ask("q")}, func(s string) error {
		got = append(got, s)
		return nil
	})
	if err != nil || reply.Text != "one two" || strings.Join(got, "|") != "one two" {
		t.Errorf("got %q, %v, handed out %q", reply.Text, err, got)
	}
}

func TestStreamGivenUp(t *testing.T) {
	first, second := &steps{name: "a:1", steps: says("one")}, &steps{name: "b:2", steps: says("two")}
	enough := errors.New("enough")
	_, err := newModels(t, llm.Options{}, first, second).Stream(context.Background(), llm.Request{Messages: llm.Ask("q")}, func(string) error { return enough })
	if !errors.Is(err, enough) || len(first.asked)+len(second.asked) != 1 {
		t.Errorf("got %v after %d + %d requests", err, len(first.asked), len(second.asked))
	}
}

func TestNoKeyLeavesThePackage(t *testing.T) {
	const key = "planted-secret-0123456789"
	m := &steps{name: "test:m", steps: []step{{err: fmt.Errorf("Post \"http://x/?key=%s\": refused", key)}, {err: &llm.Error{Kind: llm.Auth, Message: "bad key " + key, Hint: key, Code: key}}}}
	var seen strings.Builder
	models := newModels(t, llm.Options{Redactor: safe.NewRedactor(key), Trace: func(_ context.Context, e llm.Event) {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Error(err)
		}
		seen.Write(raw)
	}}, m)
	reply, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask("q")})
	raw, jsonErr := json.Marshal([]any{reply, err})
	if jsonErr != nil || err == nil {
		t.Fatal(err, jsonErr)
	}
	if all := seen.String() + string(raw) + err.Error() + fmt.Sprintf("%+v %#v", err, err); strings.Contains(all, key) {
		t.Errorf("the key is in %s", all)
	}
}

// TestPersonas: no behaviour of a model loses a call that has a fallback.
func TestPersonas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, p := range scripted.Personas {
			models := newModels(t, llm.Options{}, scripted.New(scripted.Options{Persona: p}))
			for _, q := range []string{"How tall is it?", "Who made it?", "Wann war das?", "多高？", "Why?", "Where to?", "S1.q1: 330 metres"} {
				reply, err := models.Generate(context.Background(), llm.Request{Messages: llm.Ask(q), Schema: schema, Fallback: json.RawMessage(`{"queries":["x y"]}`)})
				if err != nil || !json.Valid(reply.JSON) {
					t.Errorf("%s, %q: %s, %v", p, q, reply.JSON, err)
				}
				if readable := p != scripted.Garbage && p != scripted.Mute; readable == strings.Contains(string(reply.JSON), "x y") {
					t.Errorf("%s, %q: the fallback was used, or was not: %s", p, q, reply.JSON)
				}
			}
		}
	})
}

func TestEstimatesLearn(t *testing.T) {
	m := &steps{name: "test:m"}
	for range 20 {
		s := says("x")
		s[0].reply.Usage.In = 300
		m.steps = append(m.steps, s...)
	}
	models := newModels(t, llm.Options{}, m)
	r := llm.Request{Messages: llm.Ask(strings.Repeat("word ", 160))}
	before := models.EstimateInput(r)
	for range 20 {
		if _, err := models.Generate(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	if after := models.EstimateInput(r); before > 210 || after < 290 || after > 310 {
		t.Errorf("the estimate went from %d to %d, the model counts 300", before, after)
	}
}

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "word": 1, strings.Repeat("word ", 80): 100, "深度研究": 3, "исследование": 8} {
		if got := llm.EstimateTokens(text); got < want-1 || got > want+1 {
			t.Errorf("EstimateTokens(%.20q) = %d, want about %d", text, got, want)
		}
	}
}

func BenchmarkLayer(b *testing.B) {
	m := scripted.New(scripted.Options{Answer: func(llm.Request) string { return `{"queries":["a b","c d"]}` }})
	models, err := llm.New(llm.Options{Default: []llm.Model{quiet{m}}})
	if err != nil {
		b.Fatal(err)
	}
	r := llm.Request{Messages: llm.Ask("How tall is it?"), Schema: schema}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := models.Generate(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// quiet answers at once, so that the benchmark measures the layer alone.
type quiet struct{ llm.Model }

func (quiet) Generate(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{Text: `{"queries":["a b","c d"]}`, Finish: llm.Stopped, Usage: llm.Usage{Calls: 1, In: 10, Out: 5}}, nil
}
