#!/bin/sh
# Researches with a real engine: llama.cpp serves models of a few megabytes that
# say fixed texts (scripts/model-engine.sh), and the built server asks them as it
# asks any OpenAI-compatible server. Quick and standard must end with a report
# that a model had a part in and whose sentences keep their passages.
#
# With DEEPRESEARCH_TEST_GGUF, a .gguf file with real weights, it goes on with a
# quick run of those, and keeps its result in the file MODEL_RUN_KEEP. What they write is theirs: the run must end with a report
# that cites its sources, whatever they say. A small model takes minutes.
set -eu
cd "$(dirname "$0")/.."
server=${MCP_SERVER:-$PWD/bin/mcp-server}
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

printf '%s' '{"shape":"lookup","parts":[],"queries":[{"query":"Go race detector overhead execution time memory","why":"the figures"}]}' >"$work/plan"
printf '%s' '{"findings":[{"says":"The race detector costs memory and time.","sentences":[1,2,3]}]}' >"$work/read"
printf '%s' '{"sufficient":true,"gaps":[],"follow_ups":[]}' >"$work/reflect"
printf '%s' 'The race detector may increase memory use by 5 to 10 times and execution time by 2 to 20 times [S1.q1].' >"$work/write"
: >"$work/log"
MODEL_ENGINE_WINDOW=32768 scripts/model-engine.sh "tiny-ask=$work/plan" "tiny-read=$work/read" "tiny-reflect=$work/reflect" "tiny-say=$work/write" 2>"$work/log" &
engine=$!
tries=0
until url=$(sed -n 's/^model-engine: listening on //p' "$work/log") && [ -n "$url" ]; do
	tries=$((tries + 1))
	[ $tries -le 1200 ] && kill -0 "$engine" 2>/dev/null || { cat "$work/log" >&2; echo "FAILED: the engine does not listen" >&2; exit 1; }
	sleep 0.1
done

export OPENAI_BASE_URL="$url" DEEPRESEARCH_MODEL=openai:tiny-say DEEPRESEARCH_DATA_DIR="$work/data"
export DEEPRESEARCH_MODEL_PLAN=openai:tiny-ask DEEPRESEARCH_MODEL_SEARCH=openai:tiny-read DEEPRESEARCH_MODEL_REFLECT=openai:tiny-reflect
for effort in quick standard; do
	"$server" research 'How much does the Go race detector increase execution time and memory use?' \
		--files examples/documents --offline --effort $effort --json --quiet >"$work/$effort.json"
	for want in '"status": "done"' '"mode": "m' '5 to 10 times' '"model_calls": [1-9]'; do
		grep -q -- "$want" "$work/$effort.json" || { cat "$work/$effort.json" >&2; echo "FAILED: $effort: no $want" >&2; exit 1; }
	done
	echo "ok: $effort with a real engine, $(sed -n 's/.*"mode": "\(.*\)".*/\1/p' "$work/$effort.json"), $(sed -n 's/.*"model_calls": \([0-9]*\).*/\1/p' "$work/$effort.json" | tail -1) calls"
done

[ -n "${DEEPRESEARCH_TEST_GGUF:-}" ] || exit 0
unset DEEPRESEARCH_MODEL_PLAN DEEPRESEARCH_MODEL_SEARCH DEEPRESEARCH_MODEL_REFLECT
began=$(date +%s)
"$server" research 'How much does the Go race detector increase execution time and memory use?' --model openai:weights \
	--files examples/documents --offline --effort quick --max-seconds 900 --json --quiet >"$work/weights.json"
for want in '"status": "done"' '"model_calls": [1-9]' '"sources": \[$'; do
	grep -q -- "$want" "$work/weights.json" || { cat "$work/weights.json" >&2; echo "FAILED: weights: no $want" >&2; exit 1; }
done
echo "ok: quick with $(basename "$DEEPRESEARCH_TEST_GGUF") in $(($(date +%s) - began)) s, $(sed -n 's/.*"mode": "\(.*\)".*/\1/p' "$work/weights.json"), $(sed -n 's/.*"model_calls": \([0-9]*\).*/\1/p' "$work/weights.json" | tail -1) calls"
[ -z "${MODEL_RUN_KEEP:-}" ] || cp "$work/weights.json" "$MODEL_RUN_KEEP"
