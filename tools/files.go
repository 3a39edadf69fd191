package tools

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/internal/library"
	"deepresearch/research"
)

// rootsWithin bounds asking a client for its roots.
const rootsWithin = 2 * time.Second

// files are the paths that a run may read: those the caller named, checked and
// with all links resolved, or the operator's own when it named none.
func (s *surface) files(ctx context.Context, c *call, named []string) ([]string, error) {
	if len(named) == 0 {
		return s.Defaults.Files, nil
	}
	if !c.caller.Local {
		return nil, &research.InputError{Field: "files", Reason: "callers over HTTP name no paths on the server's machine", Fix: "send the text as documents; the operator may add documents with --files"}
	}
	roots := s.roots(ctx, c)
	out := make([]string, 0, len(named))
	for _, p := range named {
		resolved, err := permitted(p, roots)
		if err != nil {
			return nil, err
		}
		out = append(out, resolved)
	}
	return out, nil
}

// libraries are those that a run searches: the ones that the caller named, or the
// operator's when it named none. A caller over HTTP has the operator's only.
func (s *surface) libraries(c *call, named []string) ([]string, error) {
	if len(named) == 0 {
		return s.Defaults.Libraries, nil
	}
	for _, name := range named {
		if !c.caller.Local && !slices.Contains(s.Defaults.Libraries, name) {
			return nil, &research.InputError{Field: "libraries", Reason: fmt.Sprintf("this server shares no library %q over HTTP", name), Fix: "leave it out; the operator shares libraries with --libraries"}
		}
	}
	return named, nil
}

// roots are the folders that this call may name files under: the operator's and
// those the client declared, with all links resolved.
func (s *surface) roots(ctx context.Context, c *call) []string {
	folders := append([]string{}, s.FilesRoots...)
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if ok && session.GetClientCapabilities().Roots != nil && c.server != nil && !server.IsModernRequest(ctx) {
		ctx, cancel := context.WithTimeout(ctx, rootsWithin)
		defer cancel()
		// A client that declared roots and gives none has none.
		if declared, err := c.server.RequestRoots(ctx, mcp.ListRootsRequest{}); err == nil {
			for _, r := range declared.Roots {
				folders = append(folders, localPath(r.URI))
			}
		}
	}
	var out []string
	for _, f := range folders {
		if resolved, err := filepath.EvalSymlinks(f); err == nil && filepath.IsAbs(resolved) && filepath.Dir(resolved) != resolved {
			out = append(out, resolved)
		}
	}
	return out
}

// localPath is the path that a file URL names; a plain path stays what it is.
func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "file" {
		return s
	}
	if u.Host != "" && u.Host != "localhost" {
		return ""
	}
	p := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, `\`)
	}
	return p
}

// permitted resolves a path and checks that a run may read it.
func permitted(named string, roots []string) (string, error) {
	refuse := func(reason, fix string) (string, error) {
		return "", &research.InputError{Field: "files", Reason: quote(clip(named, 200)) + " " + reason, Fix: fix}
	}
	const openUp = "name a path under a folder that the server was started with as --files-root, or send the text as documents"
	if len(roots) == 0 {
		return refuse("may not be read: this server has no folder for files", "start it with --files-root FOLDER, or send the text as documents")
	}
	p := localPath(named)
	if !filepath.IsAbs(p) {
		if len(roots) > 1 || p == "" {
			return refuse("is not an absolute path", openUp)
		}
		p = filepath.Join(roots[0], p)
	}
	resolved, err := filepath.EvalSymlinks(filepath.Clean(p))
	rel := ""
	if err == nil {
		rel = below(resolved, roots)
	}
	if rel == "" {
		// What does not exist and what lies outside get the same answer, so that
		// nobody can feel their way around the file system.
		return refuse("is not there, or does not lie under --files-root", openUp)
	}
	if part := secretPart(rel); part != "" {
		return refuse(fmt.Sprintf("is not read, because %q is hidden or holds keys; --files-root does not open such files", part), "name another file")
	}
	if st, err := os.Stat(resolved); err != nil || !st.IsDir() && !st.Mode().IsRegular() {
		return refuse("is neither a file nor a folder", "name a file, or a folder, under --files-root")
	}
	return resolved, nil
}

// below is the path from the root that holds resolved, "." for the root itself, or
// empty when none does.
func below(resolved string, roots []string) string {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, resolved); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return ""
}

// secretPart is the first part of a path that is hidden or holds keys.
func secretPart(rel string) string {
	if !fs.ValidPath(filepath.ToSlash(rel)) {
		return rel
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part != "." && strings.HasPrefix(part, ".") || library.Secret(part) {
			return part
		}
	}
	return ""
}
