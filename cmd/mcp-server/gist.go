package main

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxLine bounds a message over stdio, in bytes: as many documents as a call may
// hand in, each of the most bytes that it may have, and what JSON adds.
const maxLine = 64 << 20

const (
	// gistString is how much of a string a gist keeps, in bytes.
	gistString = 256
	// maxGist bounds a gist, in bytes.
	maxGist = 64 << 10
)

// gist is what is left of a JSON text whose strings are cut short. It tells whom
// to answer when the text itself is too long to be kept.
type gist struct {
	kept     []byte
	inString bool
	length   int  // of the string so far, in bytes
	escape   int  // bytes that the escape sequence goes on for; -1: the next one says
	cut      bool // the string is long enough
}

// add takes in what follows.
func (g *gist) add(part []byte) {
	for _, c := range part {
		if g.keeps(c) && len(g.kept) < maxGist {
			g.kept = append(g.kept, c)
		}
	}
}

// keeps reports whether a byte is part of the gist. No escape sequence is split.
func (g *gist) keeps(c byte) bool {
	if !g.inString {
		g.inString, g.length = c == '"', 0
		return true
	}
	if g.escape == 0 {
		g.cut = g.length >= gistString
	}
	switch {
	case g.escape < 0 && c == 'u':
		g.escape = 4
	case g.escape < 0:
		g.escape = 0
	case g.escape > 0:
		g.escape--
	case c == '"':
		g.inString = false
		return true
	case c == '\\':
		g.escape = -1
	}
	g.length++
	return !g.cut
}

// refusal is the answer to a message that is too long. Without an id that could
// be read it is the answer to nobody, as JSON-RPC has it.
func (g *gist) refusal() mcp.JSONRPCMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	var id mcp.RequestId
	// What is as long as a string may be is perhaps a part only.
	if json.Unmarshal(g.kept, &m) == nil && 0 < len(m.ID) && len(m.ID) < gistString {
		_ = json.Unmarshal(m.ID, &id)
	}
	return mcp.NewJSONRPCError(id, mcp.INVALID_REQUEST, tooLong(maxLine), nil)
}

// tooLong tells a caller what to send less of.
func tooLong(limit int) string {
	return fmt.Sprintf("a message has at most %d MB: hand in fewer or shorter documents, or name files", limit>>20)
}
