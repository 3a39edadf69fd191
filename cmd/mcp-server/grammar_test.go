package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"
)

func TestEveryCommandTakesSettings(t *testing.T) {
	names, err := kong.New(newGrammar(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range names.Model.Children {
		parser, err := kong.New(newGrammar(command.Name))
		if err != nil {
			t.Fatal(err)
		}
		for _, leaf := range parser.Model.Leaves(false) {
			top := leaf
			for top.Parent != parser.Model.Node {
				top = top.Parent
			}
			has := slices.ContainsFunc(leaf.Flags, func(f *kong.Flag) bool { return f.Name == "config" })
			if has != (top.Name == command.Name) {
				t.Errorf("for %s, the settings of %s are there: %v", command.Name, leaf.Path(), has)
			}
		}
	}
}

func TestCommandOf(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "stdio"},
		{[]string{"--config", "research"}, "stdio"},
		{[]string{"research", "--effort", "deep"}, "research"},
		{[]string{"--help", "research"}, "research"},
		{[]string{"-h"}, "stdio"},
	} {
		if got := commandOf(test.args); got != test.want {
			t.Errorf("%q: got %q, want %q", test.args, got, test.want)
		}
	}
}
