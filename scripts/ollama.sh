#!/bin/sh
# A real Ollama on this machine, built from its Go module, with the server
# pointed at it. For trying things out: CI does not run it.
#
#   scripts/ollama.sh           build it once, serve models, say how to use it; stop with Ctrl-C
#   scripts/ollama.sh --check   ask it as our own back end does, and research with it
#   scripts/ollama.sh --build   only build it
#
# What it needs, honestly: Go, a C and a C++ compiler (gcc and g++, or clang; no
# cmake), the Go module proxy, 5 to 15 minutes on two cores the first time, and
# 1 GB of disk while it builds (35 MB stay). It computes on the processor alone.
# The zips of Go modules leave out folders called vendor, and with them three
# headers that Ollama compiles with. Two come from Debian's archive, where
# apt-get is; elsewhere OLLAMA_HEADERS names a folder with nlohmann/json.hpp and
# stb/stb_image.h in it. The third decodes sound: an empty one of ours stands in,
# so this build hears nothing.
#
# Models: two of a few megabytes that say fixed texts, made here, and the weights
# that DEEPRESEARCH_TEST_GGUF names (a .gguf file), as the model `weights`. It
# pulls nothing.
#
# OLLAMA_PORT is its port (11500), OLLAMA_CACHE where the binary is kept,
# MCP_SERVER the server to check with (bin/mcp-server).
set -eu
cd "$(dirname "$0")/.."
version=0.17.4
: "${OLLAMA_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-ollama}"
: "${OLLAMA_PORT:=11500}"
home=$OLLAMA_CACHE/$version
ollama=$home/ollama

die() {
	echo "ollama: $*" >&2
	exit 1
}

case "${1:-}" in
"" | --check | --build) ;;
*) echo "usage: scripts/ollama.sh [--check | --build]" >&2 && exit 2 ;;
esac

# headers puts the folders that the module's zip lacks under $home/include.
headers() {
	include=$home/include
	mkdir -p "$include/miniaudio"
	if [ -n "${OLLAMA_HEADERS:-}" ]; then
		cp -R "$OLLAMA_HEADERS/nlohmann" "$OLLAMA_HEADERS/stb" "$include/"
	else
		command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
			die "set OLLAMA_HEADERS to a folder with nlohmann/json.hpp and stb/stb_image.h: there is no apt-get to fetch them with"
		packages=$home/packages
		mkdir -p "$packages"
		(cd "$packages" && apt-get download nlohmann-json3-dev libstb-dev >&2)
		for package in "$packages"/*.deb; do
			dpkg -x "$package" "$packages/root"
		done
		cp -R "$packages/root/usr/include/nlohmann" "$packages/root/usr/include/stb" "$include/"
		rm -rf "$packages"
	fi
	cat >"$include/miniaudio/miniaudio.h" <<'HEADER'
#pragma once
/* Stands in for a decoder of sound: everything that is asked of it fails. */
typedef int ma_result;
typedef unsigned long long ma_uint64;
typedef struct { int unused; } ma_decoder_config;
typedef struct { int unused; } ma_decoder;
enum { MA_SUCCESS = 0, ma_format_f32 = 5 };
static inline ma_decoder_config ma_decoder_config_init(int, int, int) { return ma_decoder_config{0}; }
static inline ma_result ma_decoder_init_memory(const void *, size_t, const ma_decoder_config *, ma_decoder *) { return -1; }
static inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *) { return -1; }
static inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *) { return -1; }
static inline ma_result ma_decoder_uninit(ma_decoder *) { return MA_SUCCESS; }
HEADER
}

if [ ! -x "$ollama" ]; then
	for tool in go cc c++; do
		command -v "$tool" >/dev/null || die "$tool is missing: building takes Go and a compiler for C and C++"
	done
	echo "ollama: building Ollama $version into $home, once; this takes 5 to 15 minutes" >&2
	headers
	CGO_ENABLED=1 GOBIN=$home CGO_CFLAGS=-O2 CGO_CXXFLAGS="-O2 -I$home/include" \
		go install -trimpath -ldflags "-s -w -X github.com/ollama/ollama/version.Version=$version" "github.com/ollama/ollama@v$version"
fi
[ "${1:-}" != --build ] || exit 0

work=$(mktemp -d)
engine=
finish() {
	[ -z "$engine" ] || kill "$engine" 2>/dev/null || true
	wait
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

OLLAMA_HOST=127.0.0.1:$OLLAMA_PORT
export OLLAMA_HOST
# It keeps its keys and models in the home folder, so it gets one of its own.
HOME=$work OLLAMA_MODELS=$work/models OLLAMA_NO_CLOUD=1 "$ollama" serve >"$work/log" 2>&1 &
engine=$!
tries=0
until HOME=$work "$ollama" list >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ $tries -le 300 ] && kill -0 "$engine" 2>/dev/null || { tail -n 20 "$work/log" >&2; die "it does not listen on $OLLAMA_HOST"; }
	sleep 0.1
done

# create NAME FILE [LINES]: the lines go into the Modelfile.
create() {
	printf 'FROM %s\n%s\n' "$2" "${3:-}" >"$work/$1.model"
	HOME=$work "$ollama" create "$1" -f "$work/$1.model" >/dev/null 2>"$work/create" || { cat "$work/create" >&2; die "the model $1 cannot be made of $2"; }
}
go build -o "$work/mktiny" ./internal/llm/tiny/mktiny
tiny() {
	"$work/mktiny" -name "$1" -window 32768 -o "$work/$1.gguf"
	# Ollama knows some templates by heart and reads no other from the file. Threads
	# wait for each other in a loop, which takes minutes on a busy machine.
	create "$1" "$work/$1.gguf" 'TEMPLATE "{{ .System }}<|user|>{{ .Prompt }}<|assistant|>"
PARAMETER num_thread 1'
}
printf '%s' '{"queries":["how tall is the Eiffel Tower","when was the Eiffel Tower built"],"rationale":"height and age"}' | tiny tiny-plan
printf '%s' 'The Eiffel Tower is 330 metres tall [S1.q1]. It was opened in 1889 [S2.q1].' | tiny tiny-write
printf '%s' 'The race detector may increase memory use by 5 to 10 times and execution time by 2 to 20 times [S1.q1].' | tiny tiny-say
model=tiny-say
if [ -n "${DEEPRESEARCH_TEST_GGUF:-}" ]; then
	create weights "$DEEPRESEARCH_TEST_GGUF"
	model=weights
fi

if [ "${1:-}" = --check ]; then
	DEEPRESEARCH_OLLAMA=http://$OLLAMA_HOST go test -count=1 -run TestRealOllama -v ./internal/llm/ollama
	server=${MCP_SERVER:-bin/mcp-server}
	[ -x "$server" ] || die "$server is missing: run make build"
	"$server" research 'How much does the Go race detector increase execution time and memory use?' --model "ollama:$model" \
		--files examples/documents --offline --effort quick --max-seconds 600 --json --quiet --data-dir "$work/data" >"$work/quick.json"
	for want in '"status": "done"' '"model_calls": [1-9]' '5 to 10 times'; do
		grep -q -- "$want" "$work/quick.json" || { cat "$work/quick.json" >&2; die "quick with $model: no $want"; }
	done
	echo "ok: quick with $model, $(sed -n 's/.*"mode": "\(.*\)".*/\1/p' "$work/quick.json"), $(sed -n 's/.*"model_calls": \([0-9]*\).*/\1/p' "$work/quick.json" | tail -n 1) calls"
	exit
fi
echo "ollama: listening on http://$OLLAMA_HOST with $(HOME=$work "$ollama" list | awk 'NR > 1 {printf "%s ", $1}')" >&2
echo "ollama: try OLLAMA_HOST=$OLLAMA_HOST mcp-server research --model ollama:$model ..." >&2
wait "$engine"
