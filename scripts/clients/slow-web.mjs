// A search engine and its pages on the loopback, slow on purpose: a run over it
// takes as long as a test needs. Arguments: the milliseconds that a page takes
// whose address does not say (?ms=). It speaks SearXNG's JSON
// (docs.searxng.org/dev/search_api) and prints its address.
import { createServer } from "node:http";

const pageTakes = Number(process.argv[2] ?? 2000);
const pages = 8;

function results(base, query) {
  return Array.from({ length: pages }, (_, i) => ({
    url: `${base}/tower/${encodeURIComponent(query)}/${i}`,
    title: `The tower of Tarn, part ${i}`,
    content: `How tall the tower of Tarn is, and who built it, part ${i}.`,
    engine: "slow",
    score: pages - i,
  }));
}

function page(path) {
  const n = Number(path.split("/").pop()) || 0;
  return `<!doctype html><html lang="en"><title>The tower of Tarn, part ${n}</title>
<article><h1>The tower of Tarn, part ${n}</h1>
<p>The tower of Tarn is ${120 + n} metres tall. The tower of Tarn was built in ${1890 + n} by the masons of the town, who took the stone from the quarry at the river.</p>
<p>The tower of Tarn carries a clock whose bell weighs ${3 + n} tonnes and is heard in ${4 + n} villages of the valley.</p></article></html>`;
}

const server = createServer((request, response) => {
  const base = `http://${request.headers.host}`;
  const url = new URL(request.url, base);
  if (url.pathname === "/search") {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ query: url.searchParams.get("q"), results: results(base, url.searchParams.get("q") ?? "") }));
  } else if (url.pathname.startsWith("/tower/")) {
    setTimeout(() => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(page(url.pathname));
    }, Number(url.searchParams.get("ms") ?? pageTakes));
  } else {
    response.statusCode = 404;
    response.end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
