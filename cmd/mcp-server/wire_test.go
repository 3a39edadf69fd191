package main

import (
	"testing"

	"deepresearch/internal/config"
	"deepresearch/internal/search/engines"
)

func TestEveryEngineHasASettingForItsKey(t *testing.T) {
	for engine, variable := range engines.KeyNames() {
		if _, ok := (config.Config{}).Key(variable); !ok {
			t.Errorf("engine %s reads %s, which is no setting", engine, variable)
		}
	}
}
