#!/bin/sh
# A small internet on this machine, of real servers: nginx with thousands of
# pages of documentation as five sites, searx as the search engine, and behind it
# an index over those pages. All of it from Debian's archive, unpacked into a
# cache and never installed; everything listens on loopback only.
#
#   scripts/rig.sh           start it, say how to use it, stop after RIG_SECONDS (1800) or Ctrl-C
#   scripts/rig.sh --check   ask one question of it and hold the report to its sources
#
# RIG_CACHE is where packages are kept (150 MB, 500 MB unpacked), RIG_PORT the
# first of eight ports.
set -eu
cd "$(dirname "$0")/.."
cache=${RIG_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/deepresearch-rig}
port=${RIG_PORT:-18080}
check=
case "${1:-}" in
--check) check=yes ;;
"") ;;
*) echo "usage: scripts/rig.sh [--check]" >&2 && exit 2 ;;
esac

die() {
	echo "rig: $*" >&2
	exit 1
}
for tool in apt-get dpkg curl go; do
	command -v "$tool" >/dev/null || die "$tool is missing: the rig runs on Debian 12 with the tools to build this repository"
done
[ -x bin/mcp-server ] || die "bin/mcp-server is missing: run make build"

servers="nginx searx"
documentation="python3.11-doc postgresql-doc-15 git-doc sqlite3-doc debian-handbook"
root=$cache/root

# unpack puts the servers, what they need beyond this system, and the
# documentation under $root. Nothing is installed and no service is started.
unpack() {
	[ ! -e "$root/complete" ] || return 0
	echo "rig: fetching packages into $cache, once" >&2
	missing=$(apt-get install --simulate --no-install-recommends $servers 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p')
	for package in $servers; do
		apt-cache show "$package" >/dev/null 2>&1 || die "$package is not in this system's archive: run apt-get update, on Debian 12"
	done
	rm -rf "$root" "$cache/packages"
	mkdir -p "$root" "$cache/packages"
	# Those that are installed already are fetched as well: the copy here must not depend on the system's files.
	(cd "$cache/packages" && apt-get download -q $(printf '%s\n' $missing $servers $documentation | sort -u) >fetch.log 2>&1) ||
		die "packages cannot be fetched, see $cache/packages/fetch.log; apt-get update may help"
	for package in "$cache"/packages/*.deb; do
		dpkg -x "$package" "$root"
	done
	touch "$root/complete"
}

work=$(mktemp -d)
started=
finish() {
	for process in $started; do
		kill "$process" 2>/dev/null || true
	done
	wait
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start NAME COMMAND...: runs a server until the rig ends.
start() {
	name=$1
	shift
	"$@" >"$work/$name.log" 2>&1 &
	started="$! $started"
}

# answers NAME URL: waits until the server answers.
answers() {
	tries=0
	until curl -sf --max-time 5 -o /dev/null "$2"; do
		tries=$((tries + 1))
		[ "$tries" -lt 120 ] || {
			cat "$work/$1.log" >&2
			die "$1 does not answer at $2"
		}
		sleep 0.5
	done
}

# site NUMBER FOLDER: one site of nginx, with what crawlers meet in the wild.
sites= allowed=
site() {
	folder=$(find "$root/usr/share/doc" -path "$root/usr/share/doc/$2" -type d | head -n 1)
	[ -n "$folder" ] || die "the documentation lacks $2: remove $cache and start again"
	address=127.0.0.1:$((port + $1))
	sites="$sites http://$address=$folder"
	allowed="$allowed${allowed:+,}$address"
	cat >>"$work/sites.conf" <<CONF
server {
	listen $address;
	root $folder;
	location = /robots.txt { return 200 "User-agent: *\nDisallow: /private/\n"; }
	location /private/ { return 200 "not for robots\n"; }
	location /busy { add_header Retry-After 2 always; return 429; }
	location /slow/ { limit_rate 2k; alias $folder/; }
}
CONF
}

write_nginx() {
	: >"$work/sites.conf"
	site 1 'python3.11/html'
	site 2 'postgresql-doc-15/html'
	site 3 'git-doc'
	site 4 'sqlite3'
	site 5 'debian-handbook/html/en-US'
	cat >"$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
error_log stderr;
$([ "$(id -u)" != 0 ] || echo "user $(id -un) $(id -gn);")
events {}
http {
	access_log off;
	client_body_temp_path $work/body;
	proxy_temp_path $work/proxy;
	fastcgi_temp_path $work/fastcgi;
	uwsgi_temp_path $work/uwsgi;
	scgi_temp_path $work/scgi;
	types { text/html html; text/css css; image/png png; application/javascript js; }
	charset utf-8;
	gzip on;
	include $work/sites.conf;
}
CONF
}

# engine NAME PARAMETERS: one engine of searx over the index.
engine() {
	cat <<YAML
  - name: $1
    engine: json_engine
    shortcut: $2
    categories: general
    enable_http: true
    paging: true
    first_page_num: 1
    timeout: 5.0
    disabled: false
    search_url: "$3"
    results_query: results
    url_query: url
    title_query: title
    content_query: snippet
YAML
}

write_searx() {
	index=http://127.0.0.1:$((port + 7))
	cat >"$work/settings.yml" <<YAML
general: {debug: false, instance_name: rig, contact_url: false, enable_stats: false}
brand: {git_url: "", git_branch: "", issue_url: "", docs_url: "", public_instances: "", wiki_url: "", twitter_url: ""}
search: {safe_search: 0, autocomplete: "", default_lang: en, ban_time_on_fail: 1, max_ban_time_on_fail: 5, prefer_configured_language: false}
server: {port: $((port + 6)), bind_address: 127.0.0.1, secret_key: of-the-rig-only, base_url: false, image_proxy: false, http_protocol_version: "1.0", method: GET, default_http_headers: {}}
ui: {static_path: $root/usr/share/python3-searx/static, templates_path: $root/usr/share/python3-searx/templates, default_theme: simple, default_locale: "", theme_args: {}}
outgoing: {request_timeout: 5.0, useragent_suffix: "", pool_connections: 10, pool_maxsize: 10}
checker: {off_when_debug: true, scheduling: false}
locales: {en: English}
doi_resolvers: {doi.org: "https://doi.org/"}
default_doi_resolver: doi.org
engines:
$(engine words wo "$index/?q={query}&p={pageno}")
$(engine titles ti "$index/?by=title&q={query}&p={pageno}")
$(engine busy bu "http://127.0.0.1:$((port + 3))/busy?q={query}")
YAML
}

unpack
write_nginx
write_searx
go build -o "$work/rig" ./internal/search/searchtest/rig
start nginx "$root/usr/sbin/nginx" -p "$work" -e stderr -c "$work/nginx.conf"
start index "$work/rig" -listen "127.0.0.1:$((port + 7))" $sites
# The system's own Python with the unpacked packages before its own, and no others.
start searx env "PYTHONPATH=$root/usr/lib/python3/dist-packages:/usr/lib/python3/dist-packages" "SEARX_SETTINGS_PATH=$work/settings.yml" \
	/usr/bin/python3 -S -m searx.webapp
for number in 1 2 3 4 5; do
	answers nginx "http://127.0.0.1:$((port + number))/robots.txt"
done
answers index "http://127.0.0.1:$((port + 7))/?q=page"
searx=http://127.0.0.1:$((port + 6))
# Only of one engine: searx leaves the busy one alone for an hour once it was asked.
answers searx "$searx/search?q=page&format=json&engines=words"
grep '^rig:' "$work/index.log" >&2

if [ -z "$check" ]; then
	cat <<HELP
Ask it, from another terminal:

    DEEPRESEARCH_ALLOW_HOSTS=$allowed SEARXNG_URL=$searx \\
        bin/mcp-server research "How does a checkpoint of the write-ahead log work?" --engines searxng --no-model

It stops by itself in ${RIG_SECONDS:-1800} seconds, or with Ctrl-C.
HELP
	sleep "${RIG_SECONDS:-1800}" &
	started="$! $started"
	wait "$!"
	exit 0
fi

export DEEPRESEARCH_ALLOW_HOSTS="$allowed" SEARXNG_URL="$searx" DEEPRESEARCH_DATA_DIR="$work/data"
bin/mcp-server search "write-ahead log checkpoint" --engines searxng --json >"$work/search.json" 2>"$work/search.log" || {
	cat "$work/search.log" >&2
	die "the search failed"
}
bin/mcp-server research "How does a checkpoint of the write-ahead log work?" --engines searxng --no-model --effort quick --json >"$work/run.json" 2>"$work/run.log" || {
	cat "$work/run.log" >&2
	die "the run failed"
}
/usr/bin/python3 - "$work" "$allowed" <<'PYTHON'
import html, json, re, sys, urllib.parse, urllib.request

work, allowed = sys.argv[1], sys.argv[2].split(",")
search, run = (json.load(open(f"{work}/{name}.json")) for name in ("search", "run"))

def must(true, what):
    if not true:
        sys.exit(f"rig: {what}\n" + json.dumps({"search": search, "run": run}, indent=1, ensure_ascii=False)[:6000])

def on_rig(url):
    return urllib.parse.urlsplit(url).netloc in allowed

must(search["results"] and all(on_rig(r["url"]) for r in search["results"]), "the search found no pages of the rig, or others")
must("busy" in json.dumps(search), "nobody was told that an engine behind searx refused")
must(run["status"] == "done", "the run is not done")
must(re.search(r"\[1\]", run["report"]), "the report has no mark")
must(run["sources"] and all(on_rig(s["url"]) for s in run["sources"]), "the report has no source, or one that is not on the rig")
words = lambda s: re.sub(r"\W+", " ", s).strip().lower()
quotes = 0
for source in run["sources"]:
    page = urllib.request.urlopen(source["url"]).read().decode()
    page = words(html.unescape(re.sub(r"<[^>]*>", "", page)))
    for quote in source["quotes"]:
        must(words(quote["text"]) in page, f"a quote is not on {source['url']}: {quote['text']}")
        quotes += 1
must(quotes, "no source is quoted")
print(f"rig: {len(search['results'])} results; a report of {len(run['report'])} characters, {len(run['sources'])} sources, {quotes} quotes, each found on its page")
PYTHON
