package compute_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"deepresearch/internal/compute"
	"deepresearch/internal/sandbox"
)

// hostile are programs that want more than they may have. Each says how it may
// end: with a broken limit, with an error of the program, or in peace ("") when
// the language is what keeps it harmless.
var hostile = []struct{ name, code, want string }{
	{"list doubles", "x = [1]\nwhile True:\n    x = x + x\n", "memory"},
	{"list appends", "x = []\nwhile True:\n    x.append(\"abcdefgh\" * 100)\n", "memory|steps"},
	{"list extends itself", "x = [1]\nwhile True:\n    x.extend(list(x))\n", "memory"},
	{"list times", "x = [0] * 1000000000\n", "memory|program"},
	{"list times list", "x = [[0] * 10000] * 10000\ny = [list(r) for r in x]\n", "memory"},
	{"tuple doubles", "x = (1,)\nwhile True:\n    x = x + x\n", "memory"},
	{"string doubles", "x = \"a\"\nwhile True:\n    x = x + x\n", "memory|program"},
	{"string times", "x = \"abcdefgh\" * 130000000\n", "memory|program"},
	{"string joins", "x = \",\".join([\"a\" * 1000000] * 1000)\n", "memory"},
	{"string replaces", "x = \"aaaaaaaaaa\"\nwhile True:\n    x = x.replace(\"a\", \"aaaaaaaaaa\")\n", "memory"},
	{"format grows", "x = \"%s\"\nwhile True:\n    x = x % (x + x)\n", "memory|program"},
	{"format method grows", "x = \"a\"\nwhile True:\n    x = \"{0}{0}{0}{0}{0}{0}{0}{0}\".format(x)\n", "memory|program"},
	{"repr of shared lists", "x = [1]\nfor i in range(60):\n    x = [x, x]\nprint(x)\n", "memory|time|program"},
	{"result of shared lists", "x = [1]\nfor i in range(18):\n    x = [x, x]\nresult(\"x\", x)\n", "program"},
	{"json of shared lists", "x = [1]\nfor i in range(60):\n    x = [x, x]\njson.encode(x)\n", "memory|time"},
	{"compare shared lists", "x = [1]\ny = [1]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nresult(\"x\", x == y)\n", "time|program"},
	{"dict grows", "x = {}\ni = 0\nwhile True:\n    x[i] = str(i) * 50\n    i += 1\n", "memory|steps|time"},
	{"set grows", "x = set()\ni = 0\nwhile True:\n    x.add(str(i) * 50)\n    i += 1\n", "memory|steps|time"},
	{"big integer squares", "x = 3\nwhile True:\n    x = x * x\n", "memory|time"},
	{"big integer prints", "x = 3\nfor i in range(24):\n    x = x * x\nprint(x)\n", "time|memory|"},
	{"big integer results", "x = 1 << 500\nx = x * x * x * x\nresult(\"x\", x)\n", "program"},
	{"shift", "x = 1 << 100000000000\n", "program"},
	{"factorial", "x = 1\nfor i in range(1, 1000000):\n    x *= i\n", "time|steps"},
	{"recursion", "def f(n):\n    return f(n + 1)\nf(0)\n", "program"},
	{"mutual recursion", "def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\nf(0)\n", "program"},
	{"recursion by value", "def f(g, n):\n    return g(g, n + 1)\nf(f, 0)\n", "program"},
	{"lambda recursion", "f = lambda g: g(g)\nf(f)\n", "program"},
	{"endless loop", "while True:\n    pass\n", "steps"},
	{"endless nested loops", "for a in range(1000000000):\n    for b in range(1000000000):\n        pass\n", "steps"},
	{"huge range as list", "x = list(range(1000000000))\n", "memory|time"},
	{"sum of a huge range", "result(\"x\", sum(range(100000000000)))\n", "time"},
	{"sorted huge range", "x = sorted(range(100000000), key=lambda n: -n)\n", "memory|steps|time"},
	{"sort with heavy keys", "x = sorted([i for i in range(2000)], key=lambda n: str(n) * 100000)\n", "memory"},
	{"rows sort with heavy keys", "x = rows.sort([{\"a\": i} for i in range(2000)], lambda r: [r[\"a\"]] * 100000)\n", "memory"},
	{"rows join explodes", "x = [{\"a\": 1, \"b\": i} for i in range(5000)]\nrows.join(x, x, \"a\")\n", "program"},
	{"deep parentheses", "x = " + strings.Repeat("(", 30000) + "1" + strings.Repeat(")", 30000) + "\n", "program"},
	{"deep lists in code", "x = " + strings.Repeat("[", 30000) + strings.Repeat("]", 30000) + "\n", "program"},
	{"deep unary", "x = " + strings.Repeat("-", 60000) + "1\n", "program"},
	{"deep json", "json.decode(\"[\" * 50000000)\n", "crash|memory|program"},
	{"deep list printed", "x = []\nfor i in range(2000000):\n    x = [x]\nprint(x)\n", "crash|memory|time|"},
	{"deep list as result", "x = []\nfor i in range(100):\n    x = [x]\nresult(\"x\", x)\n", "program"},
	{"list in itself", "x = []\nx.append(x)\nresult(\"x\", x)\n", "program"},
	{"dict in itself printed", "x = {}\nx[\"x\"] = x\nprint(x)\n", ""},
	{"huge print", "while True:\n    print(\"a\" * 1000)\n", "steps|time"},
	{"huge text as result", "result(\"x\", \"a\" * 100000000)\n", "program"},
	{"many results", "for i in range(100000):\n    result(str(i), i)\n", "program"},
	{"many rows", "table(\"t\", [\"a\"], [[i] for i in range(100000)])\n", "program"},
	{"tables near the output limit", "for i in range(20):\n    table(str(i), [\"a\"], [[\"x\" * 9000] for j in range(2000)])\n", "output|memory"},
	{"error text is huge", "fail(\"x\" * 100000000)\n", "program|output|memory"},
	{"opens a file", "open(\"/etc/passwd\")\n", "program"},
	{"loads a file", "load(\"/etc/passwd\", \"x\")\n", "program"},
	{"loads a module", "load(\"os\", \"system\")\n", "program"},
	{"imports", "import os\nos.system(\"id\")\n", "program"},
	{"asks the network", "http.get(\"http://127.0.0.1/\")\n", "program"},
	{"evaluates", "eval(\"1\")\n", "program"},
	{"reaches into objects", "result(\"x\", getattr(inputs, \"__class__\"))\n", "program"},
	{"infinite result", "x = 1e308 * 10\nresult(\"x\", x)\n", "program"},
	{"result that is no number", "x = 1e308 * 10\nresult(\"x\", x - x)\n", "program"},
	{"infinity in a chart", "bar(\"x\", [\"a\"], [float(\"inf\")])\n", "program"},
	{"infinity in a table", "table(\"x\", [\"a\"], [[float(\"nan\")]])\n", "program"},
	{"split blows up", "x = (\"a\" * 50000000).split(\"a\")\n", "memory"},
	{"elements blow up", "x = list((\"a\" * 100000000).elems())\n", "memory"},
	{"count is quadratic", "x = \"a\" * 5000000\nfor i in range(100000):\n    x.count(\"aa\")\n", "time"},
	{"find is quadratic", "x = \"a\" * 1000000\ny = \"a\" * 500000 + \"b\"\nfor i in range(1000000):\n    y in x\n", "time"},
	{"hash collisions", "x = {}\nfor i in range(3000000):\n    x[(i * 4294967296, i)] = i\n", "memory|steps|time"},
	{"zip of much", "x = list(zip(*[range(100000)] * 10000))\n", "memory|program"},
	{"enumerate of much", "x = list(enumerate(range(1000000000)))\n", "memory|time"},
	{"code of one long line", "x = [" + strings.Repeat("1,", 32000) + "]\n", ""},
	{"null bytes", "x = 1\x00\n", "program"},
	{"code that is no UTF-8", "x = \"\xff\xfe\"\n", "program|"},
}

var full = flag.Bool("full", false, "give hostile programs the real limits")

func TestHostilePrograms(t *testing.T) {
	// Small limits show the same in a fifth of the time; some programs then
	// run out of time before they run out of memory.
	box := compute.Sandbox{Limits: sandbox.Limits{Memory: 48 << 20, Time: time.Second}}
	most, longest := int64(128<<20), 5*time.Second
	if *full {
		box.Limits, most = sandbox.Limits{}, 256<<20
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			peak := watchChildren(t)
			started := time.Now()
			_, err := box.Run(t.Context(), compute.Program{Code: h.code})
			took := time.Since(started)
			how, seen := outcome(err), peak()
			t.Logf("%-8s %6.2f s %4d MiB  %v", how, took.Seconds(), seen>>20, err)
			if !allowed(h.want, how) && (*full || how != "time" && how != "memory") {
				t.Errorf("it ended with %q (%v), want %q", how, err, h.want)
			}
			if took > longest {
				t.Errorf("it took %v", took)
			}
			if seen > most {
				t.Errorf("its child held %d MiB", seen>>20)
			}
		})
	}
	if _, err := box.Run(t.Context(), compute.Program{Code: "result(\"x\", 1)"}); err != nil {
		t.Errorf("after all of them a peaceful program fails: %v", err)
	}
}

func allowed(want, how string) bool {
	for w := range strings.SplitSeq(want, "|") {
		if w == how {
			return true
		}
	}
	return false
}

// outcome names how a program ended.
func outcome(err error) string {
	var wrong *compute.ProgramError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &wrong) && strings.Contains(wrong.Message, "too many steps"):
		return "steps"
	case errors.As(err, &wrong):
		return "program"
	case errors.Is(err, sandbox.ErrMemory):
		return "memory"
	case errors.Is(err, sandbox.ErrTime):
		return "time"
	case errors.Is(err, sandbox.ErrOutput):
		return "output"
	case errors.Is(err, sandbox.ErrCrash):
		return "crash"
	}
	return "other"
}

// watchChildren measures, independently of the sandbox, the largest resident
// size that any child reaches (VmHWM, which the kernel keeps exactly) until the
// returned function is called.
func watchChildren(t *testing.T) func() int64 {
	t.Helper()
	stop, largest := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				largest <- most
				return
			case <-tick.C:
				most = max(most, childrenPeak())
			}
		}
	}()
	return func() int64 { close(stop); return <-largest }
}

func childrenPeak() (most int64) {
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return 0
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue
		}
		for pid := range bytes.FieldsSeq(text) {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%s/status", pid))
			if err != nil {
				continue
			}
			_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
			if fields := bytes.Fields(after); len(fields) > 0 {
				kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
				if err == nil {
					most = max(most, kib<<10)
				}
			}
		}
	}
	return most
}
