// Opens each link of scripts/links in Chromium and looks at what the browser made
// of it: the first quoted word must be in view, and the first and the last one
// must lie on the highlight that a text fragment gets.
//
//   browser.mjs CHROMIUM PROFILE LINKS COUNT FOLDER...
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { once } from 'node:events'
import readline from 'node:readline'

const require = createRequire(`${process.env.NODE_HOME}/package.json`)
const puppeteer = require('puppeteer-core')
const { PNG } = require('pngjs')

const [chromium, profile, links, count, ...folders] = process.argv.slice(2)
const least = 0.98
const loading = 20000 // ms

// ends finds the quotation among the words that the page shows, whatever blanks,
// signs and tags stand between them, and returns the boxes of its first and last
// word on the page. Where the reader left something out in the middle, the
// beginning and the end are looked for apart.
const ends = (quote) => {
  const word = /[\p{L}\p{N}]/u
  const shown = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility({ visibilityProperty: true })) continue
    let at = 0
    for (const c of node.data) {
      if (word.test(c)) for (const folded of c.toLowerCase()) shown.push({ c: folded, node, start: at, end: at + c.length })
      at += c.length
    }
  }
  const fold = (s) => [...s].filter((c) => word.test(c)).join('').toLowerCase()
  const text = shown.map((s) => s.c).join('')
  const points = [...text]
  const index = (part, from) => {
    const i = text.indexOf(part, from)
    return i
  }
  // Positions in `text` are UTF-16; `shown` counts characters.
  const place = new Map()
  let unit = 0
  points.forEach((c, i) => { place.set(unit, i); unit += c.length })
  const whole = fold(quote)
  let first = index(whole, 0)
  let last = first + whole.length
  if (first < 0) {
    const head = whole.slice(0, 16)
    const tail = whole.slice(-16)
    let best = Infinity
    for (let i = index(head, 0); i >= 0; i = index(head, i + 1)) {
      const j = index(tail, i)
      if (j >= 0 && j + tail.length - i < best) { best = j + tail.length - i; first = i; last = j + tail.length }
    }
    if (best > 2 * whole.length + 40) return null
  }
  const box = (i) => {
    const s = shown[place.get(i)]
    const range = document.createRange()
    range.setStart(s.node, s.start)
    range.setEnd(s.node, s.end)
    const r = range.getBoundingClientRect()
    return { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height }
  }
  const a = box(first)
  const b = box(last - [...text.slice(0, last)].at(-1).length)
  return { first: a, last: b, inView: a.y + a.height > scrollY && a.y < scrollY + innerHeight }
}

// highlighted reports whether the box has the colour of the highlight.
async function highlighted(page, box) {
  const clip = { x: Math.max(0, box.x - 1), y: Math.max(0, box.y), width: Math.max(2, box.width + 2), height: Math.max(2, box.height) }
  const image = PNG.sync.read(Buffer.from(await page.screenshot({ clip, captureBeyondViewport: true })))
  let hits = 0
  for (let i = 0; i < image.data.length; i += 4) {
    if (image.data[i] > 200 && image.data[i + 1] < 90 && image.data[i + 2] > 200) hits++
  }
  return hits > 0.2 * image.width * image.height
}

// reason opens a link and says why the quotation was not shown, '' when it was.
async function reason(browser, link) {
  const page = await browser.newPage()
  try {
    await page.goto(link.link, { waitUntil: 'load', timeout: loading })
    await page.addStyleTag({ content: '::target-text { background-color: rgb(255, 0, 255) !important; color: rgb(255, 0, 255) !important }' })
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const found = await page.evaluate(ends, link.quote)
    if (!found) return 'the page does not show the quoted words'
    if (!await highlighted(page, found.first)) return 'the first word is not highlighted'
    if (!await highlighted(page, found.last)) return 'the last word is not highlighted'
    if (!found.inView) return 'not scrolled to the first word'
    return link.link.includes(':~:text=') ? '' : 'the link has no text fragment'
  } catch (err) {
    return `the page did not load: ${err.message}`
  } finally {
    await page.close()
  }
}

const server = spawn(links, [count, ...folders], { stdio: ['pipe', 'pipe', 'inherit'] })
const browser = await puppeteer.launch({
  executablePath: chromium,
  userDataDir: profile,
  args: process.getuid() === 0 ? ['--no-sandbox'] : [], // Chromium has none for root
  defaultViewport: { width: 1200, height: 900 },
})
let failed = []
let all = []
try {
  const [line] = await once(readline.createInterface({ input: server.stdout }), 'line')
  all = JSON.parse(line)
  for (const link of all) {
    const why = await reason(browser, link)
    if (why) failed.push({ ...link, why })
  }
} finally {
  await browser.close()
  server.stdin.end()
}
for (const f of failed) console.log(`FAILED: ${f.why} (${f.kind})\n  ${f.link}\n  ${f.quote.replaceAll('\n', '\\n').slice(0, 300)}`)
const pages = new Set(all.map((l) => l.url)).size
console.log(`${all.length - failed.length} of ${all.length} links lead to their words, on ${pages} pages`)
if (all.length < 0.9 * count || failed.length > (1 - least) * all.length) process.exit(1)
