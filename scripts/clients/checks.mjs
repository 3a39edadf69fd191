// What every client SDK must be able to do with this server. A client is
// { errors, call(tool, arguments, options), close() }, where the options are those
// of the TypeScript SDKs; checks throw at the first thing that is wrong.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const web = process.env.WEB; // the address of slow-web.mjs
const most = Number(process.env.CALLS ?? 200);

// load imports a package of NODE_HOME.
export function load(name) {
  const require = createRequire(join(process.env.NODE_HOME, "x.js"));
  return import(pathToFileURL(require.resolve(name)));
}

export const stdio = { command: process.env.SERVER, args: ["stdio", "--data-dir", process.env.DATA], env: process.env, stderr: "ignore" };
export const address = new URL(process.env.URL);

const search = { query: "tower of Tarn" };
// Pages that come 600 ms apart, each a line of progress.
const pages = (n) => ({ urls: Array.from({ length: n }, (_, i) => `${web}/tower/slow/${i}?ms=${600 * (i + 1)}`), max_age_s: 0 });

// No line of progress is lost or comes late, however short the call.
async function progress(client) {
  for (let i = 0; i < most; i++) {
    let lines = 0;
    let last = -1;
    const result = await client.call("web_search", search, {
      onprogress: (p) => {
        assert(p.progress > last, "progress goes back");
        last = p.progress;
        lines++;
      },
    });
    assert(lines > 0, `call ${i}: no progress came before the answer`);
    assert(!result.isError && result.structuredContent.results.length > 0, `call ${i}: no results`);
  }
}

async function fails(promise, pattern) {
  const began = Date.now();
  await assert.rejects(promise, pattern);
  return Date.now() - began;
}

async function timeouts(client) {
  const onprogress = () => {};
  const late = await fails(client.call("crawl", pages(6), { timeout: 1500, onprogress }), /timed? ?out/i);
  assert(late < 3000, `a timeout took ${late} ms`);
  const kept = await client.call("crawl", pages(6), { timeout: 1500, resetTimeoutOnProgress: true, onprogress });
  assert.equal(kept.structuredContent.pages.length, 6, "progress did not keep the call alive");
  await fails(client.call("crawl", pages(6), { timeout: 1500, resetTimeoutOnProgress: true, maxTotalTimeout: 2500, onprogress }), /timed? ?out|maximum total/i);
}

// A call that is given up leaves the client and the server as they were.
async function cancel(client) {
  const given = new AbortController();
  setTimeout(() => given.abort("the user pressed stop"), 300);
  const took = await fails(client.call("crawl", pages(6), { signal: given.signal }), /./);
  assert(took < 1500, `giving up took ${took} ms`);
  assert(!(await client.call("research_status", {})).isError, "the next call fails");
}

async function parallel(client) {
  const counts = Array(20).fill(0);
  const results = await Promise.all(counts.map((_, i) => client.call("web_search", { query: `tower ${i}` }, { onprogress: () => counts[i]++ })));
  results.forEach((r, i) => assert(r.structuredContent.query === `tower ${i}` && counts[i] > 0, `parallel call ${i}`));
}

// Hosts show a model one half of an answer: each must hold the report, its marks
// and the run.
async function halves(client) {
  const ask = { question: "How tall is the tower of Tarn?", effort: "quick" };
  let result = await client.call("deep_research", ask);
  while (result.structuredContent?.status === "running") {
    const { arguments: next } = result.structuredContent.next;
    result = await client.call("research_result", next);
  }
  const content = result.content.filter((c) => c.type === "text").map((c) => c.text).join("\n");
  const structured = JSON.stringify(result.structuredContent);
  for (const [half, text] of Object.entries({ content, structured })) {
    assert.match(text, /tower of Tarn (is|was|carries)/, `${half} has no answer`);
    assert.match(text, /\[\[?1\]/, `${half} has no mark`);
    assert.match(text, /r_[A-Z0-9]+/, `${half} does not name the run`);
  }
}

// The client complains of nothing, but of what was under way to a call that it had
// given up.
async function quiet(client, one) {
  await one(client);
  if (one === timeouts || one === cancel) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    client.errors.length = 0;
  }
  assert.deepEqual(client.errors, [], "errors of the client");
}

// check runs everything over the clients that connect gives, one after the other.
export async function check(sdk, connect) {
  for (const transport of ["stdio", "http"]) {
    for (const era of connect.eras) {
      const client = await connect(transport, era);
      for (const one of [progress, timeouts, cancel, parallel, halves]) {
        await quiet(client, one).catch((error) => {
          console.error(`FAILED: ${sdk} over ${transport}, ${era}: ${one.name}: ${error.stack}`);
          process.exit(1);
        });
      }
      await client.close();
      console.log(`ok: ${sdk} over ${transport}, ${era}: ${most} calls with progress, timeouts, cancel, 20 at once, either half of an answer`);
    }
  }
  process.exit(0);
}
