// Package tiny writes language models of a few megabytes that say one fixed
// text, for tests with a real engine: no weights are downloaded, and tokeniser,
// chat template, sampler, grammar, context limit and counters are the engine's
// own. Start with [Model.WriteTo], which writes a GGUF file, version 3, as
// llama.cpp and what is built on it read it.
//
// The model has one layer that does nothing. Its embeddings are unit vectors and
// its output matrix is a table of what follows which token, so the next token
// depends on the last one alone. The text is cut into tokens that occur once;
// after the token that opens the assistant's turn comes the first of them. Under
// a grammar that forbids the next token of the text the model prefers to close
// what is open, so it ends.
package tiny

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Model is what to write.
type Model struct {
	Name string
	Says string
	// Window is the context it is trained for, in tokens; 0: 2048.
	Window int
}

// Kinds of token, as GGUF numbers them.
const (
	normalToken  = 1
	unknownToken = 2
	controlToken = 3
	userToken    = 4 // matched before anything else and never split
	byteToken    = 6
)

// Ids of the tokens that every model of this package has at its beginning.
const (
	unknown = iota
	begin
	end
	firstByte
)

// vocabulary is the list of tokens, by id.
type vocabulary struct {
	texts  []string
	kinds  []int32
	script []int // the ids of the text to say
	user   int
	model  int
}

func (v *vocabulary) add(text string, kind int32) int {
	v.texts, v.kinds = append(v.texts, text), append(v.kinds, kind)
	return len(v.texts) - 1
}

func newVocabulary(says string) *vocabulary {
	v := &vocabulary{}
	v.add("<unk>", unknownToken)
	v.add("<s>", controlToken)
	v.add("</s>", controlToken)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), byteToken)
	}
	script := pieces(says)
	for c := 'a'; c <= 'z'; c++ {
		if !slices.Contains(script, string(c)) {
			v.add(string(c), normalToken)
		}
	}
	v.add("\u2581", normalToken) // a space, as this kind of tokeniser writes it
	v.user = v.add("<|user|>", controlToken)
	v.model = v.add("<|assistant|>", controlToken)
	for _, piece := range script {
		v.script = append(v.script, v.add(piece, userToken))
	}
	return v
}

func byteID(c byte) int { return firstByte + int(c) }

// pieceLength is how long a piece is at least, in characters. Single letters are
// tokens of their own already.
const pieceLength = 6

// pieces cuts text into stretches that are all different: one that came before
// grows until it has not.
func pieces(text string) []string {
	var out []string
	seen := map[string]bool{}
	for text != "" {
		n := 0
		for count := 0; n < len(text) && (count < pieceLength || seen[text[:n]]); count++ {
			_, size := utf8.DecodeRuneInString(text[n:])
			n += size
		}
		if seen[text[:n]] { // the rest repeats an earlier piece
			last := len(out) - 1
			delete(seen, out[last])
			out[last] += text[:n]
			seen[out[last]] = true
			break
		}
		seen[text[:n]] = true
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// Preferences of the model, as logits. The script outweighs everything; without
// it a closing bracket comes before a quotation mark, that before the end, and
// the end before letters.
const (
	certain  = 30
	inside   = 8
	letter   = 6
	closing  = 5
	quotes   = 4
	ending   = 2
	anything = 1
)

// follow is the table: follow[last][next] is a logit.
func (v *vocabulary) follow(last int) map[int]float32 {
	next := map[int]float32{end: ending, byteID('"'): quotes, byteID('}'): closing, byteID(']'): quotes}
	for c := byte('a'); c <= 'z'; c++ {
		next[byteID(c)] = anything
	}
	switch last {
	case byteID('"'):
		next[byteID('a')] = letter
	case byteID('['), byteID('{'):
		next[byteID('"')] = inside
	}
	if n := v.after(last); n >= 0 {
		next[n] = certain
	}
	return next
}

// after is the token that the script puts after last, or -1.
func (v *vocabulary) after(last int) int {
	if last == v.model && len(v.script) > 0 {
		return v.script[0]
	}
	for i, id := range v.script {
		switch {
		case id != last:
		case i+1 < len(v.script):
			return v.script[i+1]
		default:
			return end
		}
	}
	return -1
}

// template is the chat template, in the engine's language.
const template = `{% for m in messages %}{% if m['role'] == 'user' %}<|user|>{{ m['content'] }}{% elif m['role'] == 'assistant' %}<|assistant|>{{ m['content'] }}` +
	`{% else %}{{ m['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

const (
	heads       = 4
	feedForward = 32
)

// width is the length of an embedding: one place a token, in whole blocks that
// the heads divide evenly.
func (v *vocabulary) width() int {
	n := (len(v.texts) + 31) / 32 * 32
	if (n/heads)%2 != 0 {
		n += 32
	}
	return n
}

// tensors are the weights.
func (v *vocabulary) tensors() []tensor {
	width, count := v.width(), len(v.texts)
	embed, output, ones := make([]float32, width*count), make([]float32, width*count), make([]float32, width)
	scale := float32(1 / math.Sqrt(float64(width))) // undoes the normalisation of a unit vector
	for last := range count {
		embed[last*width+last] = 1
		for next, logit := range v.follow(last) {
			output[next*width+last] = logit * scale
		}
	}
	for i := range ones {
		ones[i] = 1
	}
	nothing := func(name string, columns, rows int) tensor {
		return tensor{name, []int{columns, rows}, make([]float32, columns*rows)}
	}
	return []tensor{
		{"token_embd.weight", []int{width, count}, embed}, {"output_norm.weight", []int{width}, ones}, {"output.weight", []int{width, count}, output},
		{"blk.0.attn_norm.weight", []int{width}, ones}, nothing("blk.0.attn_q.weight", width, width), nothing("blk.0.attn_k.weight", width, width),
		nothing("blk.0.attn_v.weight", width, width), nothing("blk.0.attn_output.weight", width, width), {"blk.0.ffn_norm.weight", []int{width}, ones},
		nothing("blk.0.ffn_gate.weight", width, feedForward), nothing("blk.0.ffn_up.weight", width, feedForward), nothing("blk.0.ffn_down.weight", feedForward, width),
	}
}

// settings are the file's key-value pairs, in the order in which they are written.
func (m Model) settings(v *vocabulary) []setting {
	window := m.Window
	if window == 0 {
		window = 2048
	}
	scores := make([]float32, len(v.texts))
	for i := firstByte + 256; i < len(scores); i++ {
		scores[i] = -float32(i)
	}
	width := v.width()
	return []setting{
		{"general.architecture", "llama"}, {"general.name", m.Name}, {"general.file_type", uint32(0)},
		{"llama.vocab_size", uint32(len(v.texts))}, {"llama.context_length", uint32(window)}, {"llama.embedding_length", uint32(width)},
		{"llama.block_count", uint32(1)}, {"llama.feed_forward_length", uint32(feedForward)}, {"llama.attention.head_count", uint32(heads)},
		{"llama.attention.head_count_kv", uint32(heads)}, {"llama.rope.dimension_count", uint32(width / heads)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-6)}, {"llama.rope.freq_base", float32(10000)},
		{"tokenizer.ggml.model", "llama"}, {"tokenizer.ggml.pre", "default"}, {"tokenizer.ggml.tokens", v.texts}, {"tokenizer.ggml.scores", scores},
		{"tokenizer.ggml.token_type", v.kinds}, {"tokenizer.ggml.bos_token_id", uint32(begin)}, {"tokenizer.ggml.eos_token_id", uint32(end)},
		{"tokenizer.ggml.unknown_token_id", uint32(unknown)}, {"tokenizer.ggml.add_bos_token", true}, {"tokenizer.ggml.add_space_prefix", false},
		{"tokenizer.chat_template", template},
	}
}

// check refuses a text that cannot be said.
func (m Model) check() error {
	switch {
	case strings.TrimSpace(m.Says) == "":
		return fmt.Errorf("model %q: it has nothing to say", m.Name)
	case len(m.Says) > 16<<10:
		return fmt.Errorf("model %q: the text is longer than 16 KiB, and the file grows with its square", m.Name)
	case !utf8.ValidString(m.Says):
		return fmt.Errorf("model %q: the text is not UTF-8", m.Name)
	}
	return nil
}
