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

// places finds where the page shows the quotation, whatever blanks, signs and tags
// stand between its words, and returns the boxes of its first and last letter on
// the page. Where the reader left something out in the middle, the beginning and
// the end are looked for apart.
const places = (quote) => {
  const letter = /[\p{L}\p{N}]/u
  const shown = [] // by UTF-16 unit of text
  let text = ''
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility({ visibilityProperty: true })) continue
    let at = 0
    for (const c of node.data) {
      if (letter.test(c)) {
        const folded = c.toLowerCase()
        text += folded
        for (let i = 0; i < folded.length; i++) shown.push({ node, start: at, end: at + c.length })
      }
      at += c.length
    }
  }
  const whole = [...quote].filter((c) => letter.test(c)).join('').toLowerCase()
  const spans = []
  for (let i = text.indexOf(whole); i >= 0 && spans.length < 50; i = text.indexOf(whole, i + 1)) spans.push([i, i + whole.length])
  if (!spans.length) {
    const head = whole.slice(0, 16)
    const tail = whole.slice(-16)
    for (let i = text.indexOf(head); i >= 0; i = text.indexOf(head, i + 1)) {
      const end = text.indexOf(tail, i) + tail.length
      if (end > i && end - i < 2 * whole.length + 40) spans.push([i, end])
    }
  }
  const box = ({ node, start, end }) => {
    const range = document.createRange()
    range.setStart(node, start)
    range.setEnd(node, end)
    const r = range.getBoundingClientRect()
    return { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height }
  }
  return spans.map(([start, end]) => {
    const first = box(shown[start])
    return { first, last: box(shown[end - 1]), inView: first.y + first.height > scrollY && first.y < scrollY + innerHeight }
  })
}

// highlighted reports whether the box has the colour of the highlight.
async function highlighted(page, box) {
  await page.evaluate(({ x, y }) => {
    if (y < scrollY || y > scrollY + innerHeight - 40) scrollTo(x, y - 100)
  }, box)
  const clip = { x: Math.max(0, box.x - 1), y: Math.max(0, box.y), width: Math.max(2, box.width + 2), height: Math.max(2, box.height) }
  const image = PNG.sync.read(Buffer.from(await page.screenshot({ clip, captureBeyondViewport: false })))
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
    const found = await page.evaluate(places, link.quote)
    if (!found.length) return 'the page does not show the quoted words'
    const inView = found.filter((p) => p.inView)
    if (!inView.length) return 'not scrolled to the quoted words'
    let why = 'the first word is not highlighted'
    for (const { first, last } of inView) {
      if (!await highlighted(page, first)) continue
      if (await highlighted(page, last)) return ''
      why = 'the last word is not highlighted'
    }
    return why
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
