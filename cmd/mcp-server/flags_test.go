package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/config"
)

// TestEverySettingIsReadOrRefused looks for the field of each setting in the
// sources of the commands and of the configuration's own methods: a flag that is
// taken in silence and ignored would be a lie.
func TestEverySettingIsReadOrRefused(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"*.go", "../../internal/config/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(body)
		}
	}
	elsewhere := []string{
		"mode",   // its only value is what happens
		"config", // found by its name, before the rest is read
	}
	groups := reflect.TypeFor[config.Config]()
	for group := range groups.Fields() {
		if group.Type.Kind() != reflect.Struct {
			continue
		}
		for field := range group.Type.Fields() {
			name := field.Tag.Get("name")
			secret := field.Type == reflect.TypeFor[config.Secret]() // read by its name in the environment
			if name == "" || secret || slices.Contains(elsewhere, name) {
				continue
			}
			read := regexp.MustCompile(`(\.` + group.Name + `|\bm)\.` + field.Name + `\b`).MatchString(source.String())
			if !read {
				t.Errorf("%s.%s (--%s) is read by nothing", group.Name, field.Name, name)
			}
		}
	}
}
