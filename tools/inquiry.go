package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

// What a run asks the person behind it reaches them in two ways: through the
// client, where that declared elicitation, else through the model, which is told
// to put the question and to bring the answer with research_result.

// elicits reports whether the client declared that it puts questions to its user.
func elicits(ctx context.Context) bool {
	if p := server.RequestProtocolInfoFromContext(ctx); p != nil && p.Modern {
		return p.ClientCapabilities != nil && p.ClientCapabilities.Elicitation != nil
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientCapabilities().Elicitation != nil
	}
	return false
}

// unanswered stands for the answer of somebody who declines to clarify.
const unanswered = "Decide yourself."

// answerKey is the property of an elicitation that holds the answer.
const answerKey = "answer"

// elicitation is what a client shows its user for an inquiry.
func elicitation(a research.Inquiry) mcp.ElicitationParams {
	return mcp.ElicitationParams{
		Mode: mcp.ElicitationModeForm, Message: inquiryText(a),
		RequestedSchema: map[string]any{
			"type": "object", "required": []string{answerKey},
			"properties": map[string]any{answerKey: map[string]any{"type": "string", "title": "Answer", "minLength": 1}},
		},
	}
}

// inquiryText is an inquiry as text for a reader.
func inquiryText(a research.Inquiry) string {
	var b strings.Builder
	b.WriteString(a.Text + "\n")
	if a.Kind == research.AskClarify && len(a.Options) > 0 {
		b.WriteString("For example: " + strings.Join(a.Options, " · ") + "\n")
	}
	if a.Plan != nil {
		b.WriteString("\n" + planText(encode(a.Plan)))
	}
	return strings.TrimSpace(b.String())
}

// answered gives a run the answer that came with the call. It reports whether
// there was one, so that the run goes on.
func (s *surface) answered(ctx context.Context, c *call, r research.Result) (bool, error) {
	said := server.ElicitationResponse(c.answers, r.Ask.ID)
	if said == nil {
		return false, nil
	}
	delete(c.answers, r.Ask.ID)
	text := ""
	if content, ok := said.Content.(map[string]any); ok && said.Action == mcp.ElicitationResponseActionAccept {
		text, _ = content[answerKey].(string)
	}
	if text == "" && r.Ask.Kind == research.AskClarify {
		text = unanswered
	}
	if text == "" { // a plan is never approved by silence
		c.elicits = false
		return false, nil
	}
	return true, s.Engine.Answer(ctx, c.caller.ID, r.RunID, text)
}

// toAnswer is the call that brings an answer.
func toAnswer(r research.Result) *research.Next {
	return &research.Next{
		Tool: "research_result", Arguments: map[string]any{"run_id": r.RunID, "answer": "<the user's answer>"},
		Say: fmt.Sprintf("The run waits for an answer. Put this to the user, then make the next call with what they say:\n\n%s", clip(inquiryText(*r.Ask), 4000)),
	}
}

// asking is the result that has the client ask its user. The call comes back with
// the answer and finds its run by the state that the client keeps.
func asking(run string, a research.Inquiry) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(run).Elicit(a.ID, elicitation(a)).ToolResult()
}
