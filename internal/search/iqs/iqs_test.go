package iqs

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

const good = `{"requestId": "35", "pageItems": [
 {"title": "潮汐发电", "link": "https://example.cn/chaoxi", "snippet": "潮汐如何推动涡轮机。", "publishedTime": "2026-10-02T08:00:00+08:00", "hostname": "示例", "rerankScore": 0.8},
 {"title": "拦潮坝", "link": "https://example.cn/ba", "snippet": null, "mainText": "拦潮坝的正文。", "publishedTime": null}],
 "sceneItems": [], "searchInformation": {"searchTime": 900}}`

var suite = searchtest.Case{
	New: New, Good: good, Empty: `{"requestId": "36", "pageItems": [], "sceneItems": []}`,
	Want: []search.Result{
		{Title: "潮汐发电", URL: "https://example.cn/chaoxi", Snippet: "潮汐如何推动涡轮机。", Published: "2026-10-02T00:00:00Z"},
		{Title: "拦潮坝", URL: "https://example.cn/ba", Snippet: "拦潮坝的正文。", Raw: "拦潮坝的正文。"},
	},
	Asked: []string{"POST /search/unified", `"query":"tidal power"`, `"engineType":"Generic"`, `"timeRange":"OneMonth"`, "Authorization: Bearer "},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }
