#!/bin/sh
# Packs out/deepresearch-mcp.mcpb: one file that hosts such as Claude Desktop
# install with a click, with a server for each system in TARGETS. With
# REPOSITORY=owner/name it writes out/server.json too, which describes that file to
# the MCP registry (schema 2025-12-11).
set -eu
cd "$(dirname "$0")/.."
: "${VERSION:=$(git describe --tags --always --dirty 2>/dev/null || echo dev)}"
: "${TARGETS:=darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64}"
bundle=out/deepresearch-mcp.mcpb

# Hosts compare versions as semantic ones.
number=${VERSION#v}
case $number in
[0-9]*.[0-9]*.[0-9]*) ;;
*) number=0.0.0-$(printf %s "$number" | tr -c 'a-zA-Z0-9-' -) ;;
esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/server" out
sed "s/\"version\": \"0.0.0\"/\"version\": \"$number\"/" packaging/mcpb/manifest.json >"$stage/manifest.json"
cp packaging/mcpb/launch.sh "$stage/server/"
cp LICENSE "$stage/"
for target in $TARGETS; do
	system=${target%/*} cpu=${target#*/} end=
	[ "$system" != windows ] || end=.exe
	CGO_ENABLED=0 GOOS=$system GOARCH=$cpu go build -trimpath -ldflags "-s -w -X main.version=$VERSION" \
		-o "$stage/server/mcp-server-$system-$cpu$end" ./cmd/mcp-server
done
chmod 755 "$stage"/server/*
sh scripts/npm.sh mcpb-2.1.2 @anthropic-ai/mcpb@2.1.2 mcpb pack "$stage" "$bundle"

[ -n "${REPOSITORY-}" ] || exit 0
sum=$(sha256sum "$bundle" 2>/dev/null || shasum -a 256 "$bundle")
cat >out/server.json <<JSON
{
  "\$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.$REPOSITORY",
  "title": "Deep research",
  "description": "Research whose every sentence leads back to a stored passage. Works without a key.",
  "version": "$number",
  "repository": { "url": "https://github.com/$REPOSITORY", "source": "github" },
  "packages": [
    {
      "registryType": "mcpb",
      "identifier": "https://github.com/$REPOSITORY/releases/download/$VERSION/deepresearch-mcp.mcpb",
      "fileSha256": "${sum%% *}",
      "transport": { "type": "stdio" }
    }
  ]
}
JSON
echo "wrote out/server.json"
