package crawl

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"deepresearch/crawl/charset"
)

// Bounds under which a weak sign decides, measured on 1,497 ordinary pages of
// all kinds: a page with more text is a page, whatever it embeds, and a
// challenge is a small document. Text and source are counted in bytes.
const (
	thinChallenge  = 1500
	thinWidget     = 300
	thinPaywall    = 2000
	thinShell      = 250
	smallChallenge = 60 << 10 // source
	lookAt         = 256 << 10
)

// pageMarks are what a page's source gives away about a text that is missing.
type pageMarks struct {
	challenge bool // the site wants proof of a human
	paywall   bool
	shell     bool // an application that would write the text itself
}

// look judges the source of a page of which length bytes of text were read.
func look(f Fetched, body []byte, length int) pageMarks {
	if f.Header.Get("Cf-Mitigated") == "challenge" {
		return pageMarks{challenge: true}
	}
	if length >= thinPaywall || charset.Binary(body) || !textual(f.ContentType) {
		return pageMarks{}
	}
	if challenges(body, length) {
		return pageMarks{challenge: true}
	}
	source := bytes.ToLower(body[:min(len(body), lookAt)])
	return pageMarks{
		paywall: notFree().Match(source) || contains(source, paywallSigns),
		shell:   length < thinShell && scriptShell(source, length),
	}
}

// challenges reports whether body, of which length bytes of text were read,
// is a challenge.
func challenges(body []byte, length int) bool {
	if len(body) > smallChallenge {
		return false
	}
	source := bytes.ToLower(body)
	return contains(source, challengeSigns) ||
		length < thinChallenge && contains(source, challengePhrases) ||
		length < thinWidget && contains(source, challengeWidgets)
}

func contains(source []byte, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return bytes.Contains(source, []byte(s)) })
}

// challengeSigns stand only in challenge pages.
var challengeSigns = []string{
	"_cf_chl_opt", "cf-browser-verification", "<title>just a moment...</title>", "<title>attention required! | cloudflare", // Cloudflare
	"anomaly-modal", "id=\"challenge-form\"", // DuckDuckGo
	"captcha-delivery.com/captcha", "<title>ddos-guard</title>", "window.awswafcookiedomainlist", "awswafcaptcha",
	"wappass.baidu.com", "<title>百度安全验证</title>",
}

// challengePhrases are what challenges say. An article may say it too, at
// greater length.
var challengePhrases = []string{
	"checking your browser", "verify you are human", "verify that you are human", "verifying you are human", "confirm you are human", "are you a robot", "are you human",
	"i'm not a robot", "not a robot", "unusual traffic from your computer", "enable javascript and cookies to continue", "enable cookies and reload", "please complete the security check",
	"access to this page has been denied", "pardon our interruption", "request unsuccessful. incapsula",
	"安全验证", "人机验证", "滑动验证", "请完成验证", "访问过于频繁", "请输入验证码",
}

// challengeWidgets also guard the forms of ordinary pages.
var challengeWidgets = []string{
	"g-recaptcha", "h-captcha", "hcaptcha.com", "cf-turnstile", "captcha-delivery.com", "datadome", "_incapsula_resource", "px-captcha", "perimeterx", "aws-waf-token",
	"/_sec/cp_challenge", "kpsdk", "bot detection",
}

// notFree finds the statement of schema.org that a page is not free.
var notFree = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"isaccessibleforfree"\s*:\s*"?(?:https?://schema\.org/)?false`)
})

var paywallSigns = []string{
	"subscribe to continue reading", "subscribe to read the full", "subscribe to keep reading", "to continue reading, subscribe", "to read the full story, subscribe", "this article is for subscribers", "this content is for subscribers",
	"this post is for paid subscribers", "this post is for paying subscribers", "you have reached your limit of free articles", "you've reached your limit of free articles", "you have read your last free article", "already a subscriber? sign in", "already a subscriber? log in",
	"subscribers only", "purchase access to this article", "buy this article", "get full access to this article",
	"本文为付费", "付费后阅读", "订阅后阅读", "订阅后继续阅读", "开通会员阅读", "会员专享",
}

// appRoots are the places that the common frameworks fill in the browser.
var appRoots = []string{
	`id="root"`, `id=root`, `id="app"`, `id=app`, `id="__next"`, `id="__nuxt"`, `id="___gatsby"`, `id="svelte"`, `id="q-app"`, `id="main-app"`, `id="react-root"`, `id="app-root"`, `id="mount"`,
	"<app-root", "ng-app", "data-reactroot", "id='root'", "id='app'",
}

var wantsScripts = []string{
	"enable javascript", "enable your javascript", "turn on javascript", "javascript enabled", "javascript is required", "requires javascript", "javascript is disabled", "javascript is not enabled", "without javascript", "javascript to run this app", "needs javascript", "need javascript", "javascript must be",
	"启用javascript", "启用 javascript", "开启javascript", "开启 javascript", "支持javascript", "啟用 javascript", "javascriptを有効",
}

// scriptShell reports whether a page with hardly any text is an application:
// a root to fill and scripts to fill it, a plea to switch scripts on, or
// nothing but scripts.
func scriptShell(source []byte, length int) bool {
	if !contains(source, []string{"<script", `as="script"`, "modulepreload"}) {
		return false
	}
	return length == 0 || contains(source, wantsScripts) || contains(source, appRoots)
}
