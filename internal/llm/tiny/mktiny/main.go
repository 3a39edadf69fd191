// Command mktiny writes a model that says the text on its standard input:
//
//	mktiny -name tiny-plan -o tiny-plan.gguf < plan.json
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"deepresearch/internal/llm/tiny"
)

func main() {
	name := flag.String("name", "tiny", "name of the model")
	out := flag.String("o", "tiny.gguf", "file to write")
	window := flag.Int("window", 0, "context in tokens (default 2048)")
	flag.Parse()
	if err := write(*name, *out, *window); err != nil {
		fmt.Fprintln(os.Stderr, "mktiny:", err)
		os.Exit(1)
	}
}

func write(name, out string, window int) error {
	says, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<20))
	if err != nil {
		return fmt.Errorf("reading the text: %w", err)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	if _, err := (tiny.Model{Name: name, Says: strings.TrimRight(string(says), "\n"), Window: window}).WriteTo(f); err != nil {
		f.Close() //nolint:errcheck // the first error is the one to tell
		return err
	}
	return f.Close()
}
