#!/bin/sh
# A model server on this machine with a real engine and without weights:
# llama.cpp, in the form of the npm package node-llama-cpp, loads models of a few
# megabytes that say fixed texts, and answers as OpenAI-compatible servers do.
#
#   scripts/model-engine.sh [NAME=FILE ...]   serve models that say what the files hold,
#                                             and tiny-plan and tiny-write; stop with Ctrl-C
#   scripts/model-engine.sh --check           ask it as our own back end does
#   scripts/model-engine.sh --install         only install it
#
# DEEPRESEARCH_TEST_GGUF names a .gguf file with real weights to serve, too, as
# the model `weights`.
#
# MODEL_ENGINE_PORT is its port (0, the default, takes a free one and says which).
# MODEL_ENGINE_WINDOW is the models' context in tokens, 0 for their default.
# MODEL_ENGINE_CACHE is where the engine is kept (83 MB); only the first run needs
# the npm registry.
set -eu
cd "$(dirname "$0")/.."
version=3.21.1
: "${MODEL_ENGINE_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-model-engine}"
: "${MODEL_ENGINE_PORT:=0}"
home=$MODEL_ENGINE_CACHE/$version

die() {
	echo "model-engine: $*" >&2
	exit 1
}

# The engine comes compiled for each system; the package alone would bring all of
# them, and those for graphics cards: 732 MB.
case $(uname -s)-$(uname -m) in
Linux-x86_64) system=linux-x64 ;;
Linux-aarch64) system=linux-arm64 ;;
Darwin-arm64) system=mac-arm64-metal ;;
Darwin-x86_64) system=mac-x64 ;;
*) die "there is no engine for $(uname -s) on $(uname -m)" ;;
esac

if [ ! -e "$home/complete" ]; then
	command -v npm >/dev/null || die "npm is missing: get Node 20 or later from https://nodejs.org/"
	echo "model-engine: installing node-llama-cpp $version into $home, once" >&2
	mkdir -p "$home"
	npm install --prefix "$home" --no-audit --no-fund --loglevel=error --omit=optional --ignore-scripts --save-exact \
		"node-llama-cpp@$version" "@node-llama-cpp/$system@$version" >&2
	: >"$home/complete"
fi

check=
case "${1:-}" in
--install) exit 0 ;;
--check) check=yes && shift ;;
-*) echo "usage: scripts/model-engine.sh [--check | --install | NAME=FILE ...]" >&2 && exit 2 ;;
esac

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

go build -o "$work/mktiny" ./internal/llm/tiny/mktiny
model() { "$work/mktiny" -name "$1" -window "${MODEL_ENGINE_WINDOW:-0}" -o "$work/$1.gguf"; }
printf '%s' '{"queries":["how tall is the Eiffel Tower","when was the Eiffel Tower built"],"rationale":"height and age"}' | model tiny-plan
printf '%s' 'The Eiffel Tower is 330 metres tall [S1.q1]. It was opened in 1889 [S2.q1].' | model tiny-write
for pair in "$@"; do
	model "${pair%%=*}" <"${pair#*=}"
done

if [ -n "${DEEPRESEARCH_TEST_GGUF:-}" ]; then
	[ -r "$DEEPRESEARCH_TEST_GGUF" ] || die "DEEPRESEARCH_TEST_GGUF: $DEEPRESEARCH_TEST_GGUF cannot be read"
	ln -s "$(realpath "$DEEPRESEARCH_TEST_GGUF")" "$work/weights.gguf"
fi

# A module finds its packages beside itself, so it runs from a copy in the cache.
cp scripts/model-engine.mjs "$home/model-engine.mjs"
node "$home/model-engine.mjs" "$MODEL_ENGINE_PORT" "$work" >"$work/log" 2>&1 &
engine=$!
tries=0
until url=$(sed -n 's/^listening on //p' "$work/log") && [ -n "$url" ]; do
	tries=$((tries + 1))
	[ $tries -le 600 ] && kill -0 "$engine" 2>/dev/null || { cat "$work/log" >&2; die "the engine does not listen"; }
	sleep 0.1
done

if [ -n "$check" ]; then
	DEEPRESEARCH_MODEL_ENGINE=$url go test -count=1 -run TestRealEngine -v ./internal/llm/openai
	exit
fi
echo "model-engine: listening on $url" >&2
echo "model-engine: try OPENAI_BASE_URL=$url mcp-server research --model openai:tiny-write ..." >&2
wait "$engine"
