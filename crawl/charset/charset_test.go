package charset

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// samples are texts of our own in the languages that legacy encodings serve.
var samples = []struct {
	name string
	e    encoding.Encoding
	text string
}{
	{"gb18030", simplifiedchinese.GBK, "昨天下午，市图书馆重新开放。三楼的阅览室换了新的灯，靠窗的座位也增加了不少。馆长介绍说，这次整修一共用了八个月，费用由市政府和两家本地企业共同承担。今后每个星期三晚上，馆里都会举行免费的讲座，内容包括历史、天文和园艺。记者在现场看到，许多老人带着孩子前来参观。有一位退休教师告诉我们，他从小就在这里看书，现在又带孙子来，觉得十分亲切。图书馆还准备在明年春天开设一个修补旧书的工作室。"},
	{"big5", traditionalchinese.Big5, "昨天下午，市立圖書館重新開放。三樓的閱覽室換了新的燈，靠窗的座位也增加了不少。館長介紹說，這次整修一共用了八個月，費用由市政府和兩家本地企業共同承擔。今後每個星期三晚上，館裡都會舉行免費的講座，內容包括歷史、天文和園藝。記者在現場看到，許多老人帶著孩子前來參觀。有一位退休教師告訴我們，他從小就在這裡看書，現在又帶孫子來，覺得十分親切。"},
	{"shift_jis", japanese.ShiftJIS, "昨日の午後、市立図書館が改装を終えて再び開館しました。三階の閲覧室には新しい照明が入り、窓ぎわの席も増えています。館長によると、工事には八か月かかり、費用は市と地元の企業二社が分担したそうです。これからは毎週水曜日の夜に、歴史や天文、園芸についての無料の講座が開かれます。会場には子どもを連れたお年寄りの姿も多く見られました。"},
	{"euc-jp", japanese.EUCJP, "昨日の午後、市立図書館が改装を終えて再び開館しました。三階の閲覧室には新しい照明が入り、窓ぎわの席も増えています。館長によると、工事には八か月かかり、費用は市と地元の企業二社が分担したそうです。これからは毎週水曜日の夜に、歴史や天文、園芸についての無料の講座が開かれます。会場には子どもを連れたお年寄りの姿も多く見られました。"},
	{"euc-kr", korean.EUCKR, "어제 오후 시립 도서관이 새 단장을 마치고 다시 문을 열었다. 삼 층 열람실에는 새로운 조명이 설치되었고 창가 자리도 많이 늘어났다. 관장은 이번 공사에 여덟 달이 걸렸으며 비용은 시와 지역 기업 두 곳이 함께 부담했다고 밝혔다. 앞으로 매주 수요일 저녁에는 역사와 천문, 원예를 주제로 한 무료 강좌가 열린다. 현장에는 아이들을 데리고 온 어르신들이 많이 보였다."},
	{"windows-1251", charmap.Windows1251, "Вчера днём после ремонта снова открылась городская библиотека. В читальном зале на третьем этаже поставили новые лампы, у окон прибавилось мест. По словам директора, работы заняли восемь месяцев, а расходы разделили город и два местных предприятия. Теперь каждую среду вечером здесь будут проходить бесплатные лекции по истории, астрономии и садоводству. На открытие пришло много пожилых людей с внуками."},
	{"koi8-r", charmap.KOI8R, "Вчера днём после ремонта снова открылась городская библиотека. В читальном зале на третьем этаже поставили новые лампы, у окон прибавилось мест. По словам директора, работы заняли восемь месяцев, а расходы разделили город и два местных предприятия. Теперь каждую среду вечером здесь будут проходить бесплатные лекции по истории, астрономии и садоводству. На открытие пришло много пожилых людей с внуками."},
	{"windows-1252", charmap.Windows1252, "Hier après-midi, la bibliothèque municipale a rouvert ses portes. La salle de lecture du troisième étage a reçu un nouvel éclairage et les places près des fenêtres sont plus nombreuses. D’après la directrice, les travaux ont duré huit mois ; la ville et deux sociétés de la région en ont partagé les frais. Désormais, chaque mercredi soir, des conférences gratuites y présenteront l’histoire, l’astronomie et le jardinage. Beaucoup de personnes âgées étaient venues avec des enfants."},
	{"windows-1252", charmap.Windows1252, "Gestern Nachmittag öffnete die städtische Bücherei nach dem Umbau wieder. Der Lesesaal im dritten Stock hat neue Lampen bekommen, und an den Fenstern gibt es mehr Plätze. Nach Angaben der Leiterin dauerten die Arbeiten acht Monate; die Kosten trugen die Stadt und zwei örtliche Firmen. Künftig gibt es hier jeden Mittwochabend kostenlose Vorträge über Geschichte, Himmelskunde und Gärten. Viele ältere Menschen kamen mit ihren Enkeln."},
	{"windows-1250", charmap.Windows1250, "Včera odpoledne se po opravě znovu otevřela městská knihovna. Čítárna ve třetím patře dostala nová světla a u oken přibylo míst. Podle ředitelky trvaly práce osm měsíců a náklady nesly společně město a dvě místní firmy. Nyní se zde každou středu večer budou konat bezplatné přednášky o dějinách, hvězdářství a zahradnictví. Na otevření přišlo mnoho starších lidí s vnoučaty."},
	{"windows-1254", charmap.Windows1254, "Dün öğleden sonra şehir kütüphanesi yenileme çalışmalarının ardından yeniden açıldı. Üçüncü kattaki okuma salonuna yeni ışıklar takıldı, pencere kenarındaki yerler çoğaldı. Müdürün söylediğine göre çalışmalar sekiz ay sürdü; masrafları belediye ile iki yerel şirket paylaştı. Artık her çarşamba akşamı tarih, gökbilim ve bahçecilik üzerine ücretsiz konuşmalar yapılacak."},
	{"windows-1253", charmap.Windows1253, "Χθες το απόγευμα άνοιξε ξανά η δημοτική βιβλιοθήκη μετά την ανακαίνιση. Το αναγνωστήριο στον τρίτο όροφο απέκτησε νέα φώτα και οι θέσεις κοντά στα παράθυρα έγιναν περισσότερες. Οι εργασίες κράτησαν οκτώ μήνες και τα έξοδα μοιράστηκαν ο δήμος και δύο τοπικές εταιρείες. Από εδώ και πέρα κάθε Τετάρτη βράδυ θα γίνονται δωρεάν διαλέξεις."},
	{"windows-1256", charmap.Windows1256, "أعيد افتتاح المكتبة العامة بعد ظهر أمس إثر أعمال الترميم. وزودت قاعة القراءة في الطابق الثالث بمصابيح جديدة وزاد عدد المقاعد قرب النوافذ. وقالت المديرة إن العمل استغرق ثمانية أشهر وتقاسمت المدينة وشركتان محليتان التكاليف. وستقام هنا مساء كل أربعاء محاضرات مجانية في التاريخ والفلك والبستنة."},
	{"windows-874", charmap.Windows874, "เมื่อบ่ายวานนี้ห้องสมุดประชาชนเปิดให้บริการอีกครั้งหลังจากปรับปรุง ห้องอ่านหนังสือบนชั้นสามติดตั้งหลอดไฟใหม่และมีที่นั่งริมหน้าต่างมากขึ้น ผู้อำนวยการกล่าวว่างานใช้เวลาแปดเดือนและเมืองกับบริษัทท้องถิ่นสองแห่งร่วมกันออกค่าใช้จ่าย ต่อจากนี้ทุกเย็นวันพุธจะมีการบรรยายฟรี"},
}

func encoded(t testing.TB, e encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := encoding.ReplaceUnsupported(e.NewEncoder()).Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDetect reads windows of each sample without any label, as HTML.
func TestDetect(t *testing.T) {
	for _, size := range []int{40, 80, 160} {
		right, all := 0, 0
		for _, s := range samples {
			runes := []rune(s.text)
			for from := 0; from+size <= len(runes); from += 20 {
				want := string(runes[from : from+size])
				page := "<html><head><title>x</title><script>var a = 1 < 2;</script></head><body><p>" + want + "</p></body></html>"
				got, name := Text(encoded(t, s.e, page), "text/html")
				all++
				if strings.Contains(string(got), want) {
					right++
				} else if size >= 160 {
					t.Errorf("%s read as %s: %.60s", s.name, name, got)
				}
			}
		}
		if share := float64(right) / float64(all); share < map[int]float64{40: 0.9, 80: 0.96, 160: 1}[size] {
			t.Errorf("%d characters: %d of %d right", size, right, all)
		} else {
			t.Logf("%d characters: %d of %d right", size, right, all)
		}
	}
}

func TestToUTF8BelievesLabels(t *testing.T) {
	const text = "茶叶产于阿萨姆。"
	gbk := encoded(t, simplifiedchinese.GBK, text)
	utf16le := encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), text)
	utf16be := encoded(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), text)
	jis := encoded(t, japanese.ISO2022JP, "日本語の文章")
	meta := func(label string) []byte { return fmt.Appendf(nil, "<meta charset=%q>", label) }
	cases := []struct {
		name, contentType string
		body              []byte
		want              string
	}{
		{"UTF-8", "text/html", []byte(text), text},
		{"UTF-8 with a mark", "text/html; charset=gbk", []byte("\ufeff" + text), text},
		{"UTF-8 under a wrong header", "text/html; charset=iso-8859-1", []byte(text), text},
		{"UTF-8 under a wrong meta", "text/html", append(meta("gb2312"), text...), text},
		{"header", "text/html; charset=GBK", gbk, text},
		{"header, odd spelling", `text/html;charset="gb2312"`, gbk, text},
		{"meta", "text/html", append(meta("gb2312"), gbk...), text},
		{"meta http-equiv", "text/html", append([]byte(`<meta http-equiv="Content-Type" content="text/html; charset=gbk">`), gbk...), text},
		{"meta beyond 1,024 bytes", "text/html", slicesConcat([]byte("<!--"+strings.Repeat("x", 1100)+"-->"), meta("koi8-r"), encoded(t, simplifiedchinese.GBK, samples[0].text)), samples[0].text},
		{"XML declaration", "application/xml", append([]byte(`<?xml version="1.0" encoding="GBK"?>`), gbk...), text},
		{"UTF-16 little", "text/html", utf16le, text},
		{"UTF-16 big", "text/html", utf16be, text},
		{"ISO-2022-JP without a label", "text/html", jis, "日本語の文章"},
		{"ISO-2022-JP", "text/html; charset=iso-2022-jp", jis, "日本語の文章"},
		{"unknown label", "text/html; charset=x-unknown", []byte(text), text},
		{"UTF-8 that is GBK", "text/html; charset=utf-8", encoded(t, simplifiedchinese.GBK, samples[0].text), samples[0].text},
		{"damaged UTF-8", "text/html; charset=utf-8", append([]byte(strings.Repeat(text, 5)), 0xff), strings.Repeat(text, 5) + "\ufffd"},
		{"cut UTF-8", "text/html", []byte(text)[:len(text)-1], "茶叶产于阿萨姆\ufffd"},
		{"plain ASCII", "text/html; charset=windows-1252", []byte("tea"), "tea"},
		{"empty", "text/html", nil, ""},
	}
	for _, c := range cases {
		got, name := Text(c.body, c.contentType)
		if !strings.HasSuffix(string(got), c.want) {
			t.Errorf("%s: as %s: %q", c.name, name, got)
		}
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func FuzzToUTF8(f *testing.F) {
	for _, s := range samples {
		f.Add(encoded(f, s.e, s.text)[:60], "text/html")
	}
	f.Add([]byte("\xff\xfe<\x00a"), "text/html; charset=utf-16")
	f.Add([]byte("<?xml encoding='"), "text/xml")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		got, name := Text(body, contentType)
		if !utf8.Valid(got) {
			t.Errorf("%q as %s is no UTF-8: %q", body, name, got)
		}
	})
}

func BenchmarkToUTF8(b *testing.B) {
	for _, s := range samples[:8] {
		body := bytes.Repeat(encoded(b, s.e, s.text), 40)
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Text(body, "text/html")
			}
		})
	}
}
