//go:build !linux

package sandbox_test

func middle() bool { return false }
