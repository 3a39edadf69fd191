package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Abbreviations by what may follow their full stop. All are lower case.
var (
	// titles never end a sentence.
	titles = set(strings.Fields(`dr mr mrs mx prof gen col sgt capt cpt lt maj rep sen gov hon rev mt messrs mme mlle mgr
		vs cf eg ie viz resp approx ca bzw hr hrn fra herrn frau sra srta dra ee vgl sog evtl ggf inkl exkl zb dh ua
		ed eds trans pres supt insp adm cmdr dipl ing phil med nat`))
	// numbered abbreviations do not end a sentence before a number.
	numbered = set(strings.Fields(`no nos nr fig figs eq eqs vol vols ch chap sec sect art arts p pp para abs abb tab ref refs app
		núm pág págs num n° bd kap ziff v op ex str rs
		jan feb mar apr jun jul aug sep sept oct nov dec janv févr avr juil déc okt dez`))
	// doubtful ones end a sentence only before a word that likes to begin one.
	doubtful = set(strings.Fields(`ms st ft inc corp ltd co llc plc bros etc al jr sr am pm usw usf ave blvd rd dept univ assn est u.s u.k e.u
		jan feb mar apr jun jul aug sep sept oct nov dec mio mrd gmbh ag s.a ph.d m.d b.a m.a d.c bc ad ed resp
		min max avg std misc intl natl govt tel ext`))
	// openers are capitalised words that begin a sentence rather than go on.
	openers = set(strings.Fields(`the a an it its he she they we i you this that these those there here in on at by for from with after
		before during since while when where who what why how if although though however but and or so yet then thus also
		as to of our his her their my your some many most all each every no not one two both another other such
		according despite instead moreover furthermore meanwhile recently today yesterday now once until unlike because
		is was are were did does do can could will would should may might let see
		der die das ein eine es er sie wir ich und aber doch im am in auf bei mit nach seit dies diese dieser
		le la les un une il elle ils elles on ce cette ces dans en pour mais et
		el los las una ella ellos este esta estos en para pero y`))
	// ordinalLead are German words before an ordinal number ("am 3. Tag").
	ordinalLead = set(strings.Fields(`am im der die das dem den des vom zum zur bis ab ein einen jeder jeden ihr sein seit`))
)

// abbreviated reports whether the full stop at i belongs to an abbreviation,
// initial or ordinal, so that the sentence from start goes on at next.
func (sp *splitter) abbreviated(start, i, next int) bool {
	s := sp.s
	word, from := wordBefore(s, start, i)
	lower := strings.ToLower(word)
	digitNext := isDigit(at(s, next)) || at(s, next) == '#'
	switch {
	case word == "":
		return false
	case isDigit(word[len(word)-1]):
		return ordinalBefore(s, start, from, i, next)
	case titles[lower]:
		return true
	case digitNext && (numbered[lower] || strings.HasSuffix(lower, "str")):
		return true
	case utf8.RuneCountInString(word) == 1:
		return initial(s, start, from, next, word)
	case strings.Contains(word, ".") || doubtful[lower]:
		return !opens(s, next) || titles[strings.ReplaceAll(lower, ".", "")]
	}
	return false
}

// wordBefore returns the letters, digits and inner full stops that end at i.
func wordBefore(s string, start, i int) (string, int) {
	from := i
	for from > start && i-from < 24 {
		r, size := utf8.DecodeLastRuneInString(s[start:from])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '°' {
			break
		}
		from -= size
	}
	word := strings.TrimLeft(s[from:i], ".")
	return word, i - len(word)
}

// lastWord is the word that ends at i.
func lastWord(s string, start, i int) string {
	word, _ := wordBefore(s, start, i)
	return word
}

// ordinalBefore reports whether the number [from, i) before a full stop is a list
// number or an ordinal.
func ordinalBefore(s string, start, from, i, next int) bool {
	if from == start {
		return i-from <= 3 && plainDigits(s, from, i)
	}
	if !plainDigits(s, from, i) || i-from > 2 {
		return false
	}
	if month, _ := monthAt(s, next); month > 0 {
		return true
	}
	lead, _ := wordBefore(s, start, len(strings.TrimRight(s[start:from], " "))+start)
	return ordinalLead[strings.ToLower(lead)] && unicode.IsUpper(runeAt(s, next)) && !openers[strings.ToLower(s[next:wordAt(s, next)])]
}

// initial reports whether a single letter before a full stop is an initial. "Plan
// B. It" and "vitamin C. The" end a sentence: a word that begins one follows.
func initial(s string, start, from, next int, word string) bool {
	if before := runeBefore(s, from); from > start && !isSpace(before) && !strings.ContainsRune(".-–([\"“«'’/", before) {
		return false
	}
	if unicode.IsLower(runeAt(word, 0)) || from == start {
		return true
	}
	return !opens(s, next) || runeBefore(s, len(strings.TrimRight(s[:from], " "))) == '.'
}

// opens reports whether the word at i, past opening quotes and brackets, is one
// that begins sentences.
func opens(s string, i int) bool {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("\"'“‘(«", r) {
			break
		}
		i += size
	}
	return !unicode.IsLower(runeAt(s, i)) && openers[strings.ToLower(s[i:wordAt(s, i)])]
}
