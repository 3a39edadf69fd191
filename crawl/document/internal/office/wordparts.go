package office

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// list is the levels of a numbering definition.
type list []listLevel

type listLevel struct {
	ordered bool
	start   int
}

// readStyles reads which paragraph styles are headings or lists.
func readStyles(a *Archive, part string) (map[string]style, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	styles := map[string]style{}
	err = p.each("style", func(e xml.StartElement) error {
		var s style
		var visit func(e xml.StartElement) error
		visit = func(e xml.StartElement) error {
			val := attr(e, "val")
			switch e.Name.Local {
			case "name":
				if level := namedHeading(val); level > 0 {
					s.heading = level
				}
			case "basedOn":
				s.based = val
			case "outlineLvl":
				s.heading = headingLevel(val)
			case "numId":
				s.list = val
			case "ilvl":
				s.level = number(val)
			case "pPr", "numPr":
				return p.children(visit)
			}
			return p.skip()
		}
		err := p.children(visit)
		styles[attr(e, "styleId")] = s
		return err
	})
	return styles, err
}

// headingLevel is the level of an outline level, which counts from 0 and has 9
// for body text.
func headingLevel(outline string) int {
	n, err := strconv.Atoi(outline)
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return min(n+1, 6)
}

// namedHeading is the level of a built-in style: files name those in English
// whatever language the program speaks.
func namedHeading(name string) int {
	name = strings.ToLower(name)
	if name == "title" {
		return 1
	}
	if digits, ok := strings.CutPrefix(name, "heading "); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 {
			return min(n, 6)
		}
	}
	return 0
}

// readLists reads the numbering definitions by their ids.
func readLists(a *Archive, part string) (map[string]list, error) {
	p, err := a.parse(part)
	if err != nil {
		return nil, err
	}
	abstract, lists := map[string]list{}, map[string]list{}
	var visit func(e xml.StartElement) error
	visit = func(e xml.StartElement) error {
		switch e.Name.Local {
		case "abstractNum":
			l, err := readLevels(p)
			abstract[attr(e, "abstractNumId")] = l
			return err
		case "num":
			return p.children(func(inner xml.StartElement) error {
				if inner.Name.Local == "abstractNumId" {
					lists[attr(e, "numId")] = abstract[attr(inner, "val")]
				}
				return p.skip()
			})
		}
		return p.children(visit)
	}
	return lists, whole(p.children(visit))
}

func readLevels(p *parser) (list, error) {
	const most = 9
	l := make(list, most)
	for i := range l {
		l[i].start = 1
	}
	err := p.children(func(e xml.StartElement) error {
		n := number(attr(e, "ilvl"))
		if e.Name.Local != "lvl" || n >= most {
			return p.skip()
		}
		return p.children(func(e xml.StartElement) error {
			switch val := attr(e, "val"); e.Name.Local {
			case "numFmt":
				l[n].ordered = val != "bullet" && val != "none"
			case "start":
				l[n].start = max(number(val), 1)
			}
			return p.skip()
		})
	})
	return l, err
}
