package llm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"deepresearch/internal/llm/answer"
)

const (
	// longestOutput is the output that any current model gives at most, in tokens.
	longestOutput = 65536
	// shownAnswer is how much of a bad answer is shown to the model that wrote it, in bytes.
	shownAnswer = 500
)

// purse is what one call may still spend on asking: attempts and output tokens.
type purse struct{ attempts, output int }

// pay takes one attempt out and returns the output limit it may have; false
// when nothing is left.
func (p *purse) pay(wanted int) (limit int, ok bool) {
	if p.attempts == 0 || p.output <= 0 {
		return 0, false
	}
	p.attempts--
	return min(wanted, p.output), true
}

// settle takes what an attempt used. One that no model worked on was free.
func (p *purse) settle(u Usage) {
	if u.Calls == 0 {
		p.attempts++
	}
	p.output -= u.Out
}

// reader asks one model until its answer can be read. It remembers the best
// answer that could not.
type reader struct {
	stack *stack
	ask   Request // as it is sent next
	want  Request // as the caller made it
	out   Reply   // usage and warnings of all attempts

	longer  bool // it was asked for a longer answer
	pointed bool // its mistake was pointed out
	slow    bool // it took too long once
	last    string
	cut     *Reply // an answer that was cut at its limit
}

// read returns the first answer of s that can be read. On failure the reply
// holds the usage and the last text.
func (s *stack) read(ctx context.Context, r Request, p *purse, e *emission) (Reply, error) {
	rd := &reader{stack: s, ask: r, want: r}
	rd.ask.MaxOutput = r.OutputLimit()
	var failure error = rd.failure(Empty, "no output is left to ask for")
	for again := true; again; {
		limit, ok := p.pay(rd.ask.MaxOutput)
		if !ok {
			break
		}
		rd.ask.MaxOutput = limit
		reply, err := s.retry(ctx, rd.ask, e)
		rd.out.Usage = rd.out.Usage.Add(reply.Usage)
		p.settle(reply.Usage)
		if err != nil {
			again, failure = KindOf(err) == Timeout && !rd.slow, err
			rd.slow = true
		} else {
			again, failure = rd.judge(reply)
		}
		if failure == nil {
			return rd.out, nil
		}
	}
	if rd.cut != nil && KindOf(failure) != "" { // an answer that was cut is better than none
		rd.take(*rd.cut)
		rd.warn("The answer was cut at its output limit.")
		return rd.out, nil
	}
	rd.out.Text = rd.last
	return rd.out, failure
}

// judge takes the reply when it can be read, or prepares the next attempt.
func (rd *reader) judge(reply Reply) (again bool, failure error) {
	if len(rd.want.Schema) > 0 {
		if reply.Text != "" {
			rd.last = reply.Text
		}
		return rd.judgeJSON(reply)
	}
	text := rd.spoken(&reply)
	switch {
	case text == "":
		return rd.lengthen(), rd.failure(Empty, "the model gave no text")
	case reply.Finish == Length:
		rd.cut = &reply
		return rd.lengthen(), rd.failure(Empty, "the answer was cut")
	}
	rd.take(reply)
	return false, nil
}

func (rd *reader) judgeJSON(reply Reply) (again bool, failure error) {
	v, err := answer.Parse(reply.Text, rd.want.Schema)
	switch {
	case err == nil:
		reply.JSON, reply.Text = v.JSON, string(v.JSON)
		if reply.Grounding != nil { // its places were in the text as it came
			g := *reply.Grounding
			g.Supports, reply.Grounding = nil, &g
		}
		rd.take(reply)
		if reply.Finish == Length {
			rd.warn("The JSON was cut at its output limit; what was whole is kept.")
		}
		return false, nil
	case answer.Refusal(reply.Text):
		return false, rd.failure(Blocked, "the model refused to answer")
	case strings.TrimSpace(reply.Text) == "":
		// A server that holds the model to JSON may be what silences it.
		rd.loosen(reply)
		return rd.lengthen(), rd.failure(Empty, "the model gave no text")
	case reply.Finish == Length && rd.lengthen():
		return true, rd.failure(BrokenOutput, "the JSON was cut: "+err.Error())
	}
	return rd.point(reply, err), rd.failure(BrokenOutput, err.Error())
}

// spoken takes the thinking out of the reply and moves what is tied to places in
// its text; where the text was taken apart in the middle, the ties are lost.
func (rd *reader) spoken(reply *Reply) string {
	whole, text := reply.Text, answer.Spoken(reply.Text)
	reply.Text = text
	if reply.Grounding == nil || whole == text {
		return text
	}
	g := *reply.Grounding
	g.Supports = nil
	if shift := strings.Index(whole, text); shift >= 0 {
		for _, s := range reply.Grounding.Supports {
			if s.Start, s.End = s.Start-shift, s.End-shift; s.Start >= 0 && s.End <= len(text) {
				g.Supports = append(g.Supports, s)
			}
		}
	}
	reply.Grounding = &g
	return text
}

// take makes the reply the outcome.
func (rd *reader) take(reply Reply) {
	usage, warnings := rd.out.Usage, append(rd.out.Warnings, reply.Warnings...)
	rd.out = reply
	rd.out.Usage, rd.out.Warnings = usage, warnings
	rd.out.Model = rd.stack.model.Name()
}

func (rd *reader) warn(s string) { rd.out.Warnings = append(rd.out.Warnings, s) }

func (rd *reader) failure(k Kind, message string) *Error {
	hint := map[Kind]string{
		Empty:        "Raise the output limit, lower thinking, or name another model.",
		BrokenOutput: "Name a model that keeps to a JSON schema.",
		Blocked:      "Leave out the source that the model objects to, or ask differently.",
	}[k]
	return &Error{Kind: k, Model: rd.stack.model.Name(), Message: rd.stack.opt.Redactor.Redact(message), Hint: hint}
}

// lengthen asks once more for an answer of twice the length and with less
// thinking, which counts inside it.
func (rd *reader) lengthen() bool {
	if rd.longer {
		return false
	}
	rd.longer = true
	rd.ask.MaxOutput = min(max(2*rd.ask.MaxOutput, DefaultMaxOutput), longestOutput)
	rd.ask.Thinking = lessThinking[rd.ask.Thinking]
	return true
}

// lessThinking is one level down. A model that was left to itself is asked to
// think little.
var lessThinking = map[Thinking]Thinking{
	"": LowThinking, HighThinking: MediumThinking, MediumThinking: LowThinking, LowThinking: NoThinking, NoThinking: NoThinking,
}

// loosen asks for JSON in the form after the one that gave the bad answer.
func (rd *reader) loosen(bad Reply) { rd.ask.Form = looser[cmp.Or(bad.Form, rd.ask.Form)] }

// looser is the next form; without any the back end took its firmest.
var looser = map[Form]Form{"": ObjectForm, SchemaForm: ObjectForm, ObjectForm: TextForm, TextForm: TextForm}

// point asks once more and says what was wrong.
func (rd *reader) point(bad Reply, why error) bool {
	if rd.pointed {
		return false
	}
	rd.pointed = true
	rd.loosen(bad)
	shown := cmp.Or(clip(answer.Spoken(bad.Text), shownAnswer), "(no answer)")
	rd.ask.Messages = slices.Concat(rd.want.Messages, []Message{{Assistant, shown}, {User, fmt.Sprintf(
		"That cannot be used: %s. Answer again with nothing but one JSON value that fits the schema, filled with real content.", why)}})
	return true
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// settle makes the best of a request that no model answered readably: the lines
// that the last text lists, then the caller's fallback.
func settle(r Request, reply Reply, failure error) (Reply, error) {
	kind := KindOf(failure)
	if len(r.Schema) == 0 || kind != BrokenOutput && kind != Empty && kind != Blocked {
		return reply, failure
	}
	lines, err := answer.Lines(reply.Text, r.Schema)
	switch {
	case err == nil && kind == BrokenOutput:
		reply.JSON = lines.JSON
		reply.Warnings = append(reply.Warnings, "The model gave no JSON; its list of lines was read instead.")
	case len(r.Fallback) > 0:
		reply.JSON = slices.Clone(r.Fallback)
		reply.Warnings = append(reply.Warnings, fmt.Sprintf("No model gave a readable answer (%v); a fixed one was used.", failure))
	default:
		return reply, failure
	}
	reply.Text, reply.Finish = string(reply.JSON), Stopped
	return reply, nil
}
