package main

import (
	"fmt"

	"deepresearch/internal/config"
)

// unreadSettings are those that no part of this build reads. Naming one is an
// error: a setting that is taken in silence and ignored would be a lie.
var unreadSettings = []string{
	"libraries",
}

// unread refuses a configuration that asks for what this build has not. It is a
// matter of configuration, and nothing was spent.
func unread(s *config.Settings) error {
	for _, name := range unreadSettings {
		if s.Differs(name) {
			return &codedError{exitConfig, fmt.Sprintf("%s: this build cannot do that, so leave it out", s.Where(name))}
		}
	}
	return nil
}
