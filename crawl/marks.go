package crawl

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Bounds on the length of a page's text, in bytes, under which a weak sign
// decides: a page with more text than that is a page, whatever it embeds.
const (
	thinChallenge = 1500
	thinPaywall   = 2000
	thinShell     = 500
	lookAt        = 256 << 10 // of the source
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
	if isBinary(body) || !textual(f.ContentType) {
		return pageMarks{}
	}
	source := bytes.ToLower(body[:min(len(body), lookAt)])
	m := pageMarks{
		challenge: contains(source, challengeSigns) || length < thinChallenge && contains(source, weakChallengeSigns),
		paywall:   length < thinPaywall && (notFree().Match(source) || contains(source, paywallSigns)),
	}
	m.shell = !m.challenge && length < thinShell && scriptShell(source, length)
	return m
}

// challenge reports whether body surely is a challenge, for the decision
// whether asking again has a point.
func challenge(body []byte) bool {
	source := bytes.ToLower(body[:min(len(body), lookAt)])
	return contains(source, challengeSigns) || contains(source, weakChallengeSigns)
}

func contains(source []byte, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return bytes.Contains(source, []byte(s)) })
}

// challengeSigns stand only in challenge pages.
var challengeSigns = []string{
	"_cf_chl_opt", "cf-browser-verification", "<title>just a moment...</title>", "<title>attention required! | cloudflare", // Cloudflare
	"anomaly-modal", "id=\"challenge-form\"", // DuckDuckGo
	"captcha-delivery.com/captcha", "window._pxappid = ", "<title>ddos-guard</title>", "window.awswafcookiedomainlist", "awswafcaptcha",
	"wappass.baidu.com", "<title>百度安全验证</title>",
}

// weakChallengeSigns also stand in ordinary pages, which have text besides.
var weakChallengeSigns = []string{
	"checking your browser", "verify you are human", "verify that you are human", "verifying you are human", "confirm you are human", "are you a robot", "are you human",
	"i'm not a robot", "not a robot", "unusual traffic from your computer", "enable javascript and cookies to continue", "enable cookies and reload", "please complete the security check",
	"g-recaptcha", "h-captcha", "hcaptcha.com", "cf-turnstile", "captcha-delivery.com", "datadome", "_incapsula_resource", "px-captcha", "perimeterx", "aws-waf-token", "/_sec/cp_challenge",
	"kpsdk", "bot detection", "access to this page has been denied", "pardon our interruption", "request unsuccessful. incapsula",
	"安全验证", "人机验证", "滑动验证", "请完成验证", "访问过于频繁", "请输入验证码",
}

// notFree finds the statement of schema.org that a page is not free.
var notFree = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"isaccessibleforfree"\s*:\s*"?(?:https?://schema\.org/)?false`)
})

var paywallSigns = []string{
	"subscribe to continue reading", "subscribe to read the full", "subscribe to keep reading", "to continue reading, subscribe", "to read the full story, subscribe", "this article is for subscribers", "this content is for subscribers",
	"this post is for paid subscribers", "this post is for paying subscribers", "you have reached your limit of free articles", "you've reached your limit of free articles", "you have read your last free article", "already a subscriber? sign in", "already a subscriber? log in",
	"subscribers only", "purchase access to this article", "buy this article", "get full access to this article", "class=\"paywall", "id=\"paywall",
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
// a root to fill and scripts to fill it, or a plea to switch scripts on.
func scriptShell(source []byte, length int) bool {
	if !bytes.Contains(source, []byte("<script")) {
		return false
	}
	if contains(source, wantsScripts) || contains(source, appRoots) {
		return true
	}
	return length == 0 && !hasBodyText(source)
}

// hasBodyText reports whether anything but scripts stands in the body.
func hasBodyText(source []byte) bool {
	_, body, found := strings.Cut(string(source), "<body")
	if !found {
		return true
	}
	rest := []byte(body)
	for len(rest) > 0 {
		rest = afterTag(rest)
		text, next, _ := bytes.Cut(rest, []byte("<"))
		if len(bytes.TrimSpace(text)) > 0 {
			return true
		}
		rest = next
	}
	return false
}
