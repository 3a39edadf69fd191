package library

import (
	"path"
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// The names of files that hold keys or passwords, in small letters. What a file
// is called is all that is looked at: it is refused before it is opened.
var (
	// secretNames as they are.
	secretNames = []string{
		".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", "htpasswd", "shadow", "gshadow",
		"aws_credentials", "credentials", "secret", "secrets", "kubeconfig", "wallet.dat",
	}
	// secretStems with any ending: passwords.csv.
	secretStems = []string{
		"credentials", "secrets", "passwords", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "private_key", "private-key", "privatekey",
		"api_key", "api_keys", "apikey", "apikeys", "application_default_credentials",
	}
	// secretEndings, also before one of [wrapping].
	secretEndings = []string{
		".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".jks", ".keystore", ".kdb", ".kdbx", ".keychain", ".keychain-db", ".ppk", ".asc", ".gpg",
		".age", ".ovpn", ".tfstate", ".tfvars",
	}
	// wrapping are endings that copies and notes get: terraform.tfstate.backup, my.env.md.
	wrapping = []string{".bak", ".backup", ".old", ".orig", ".save", ".copy", ".txt", ".md", ".json", ".yaml", ".yml", ".local", ".enc", "~"}
	// secretForm are names of which a part varies.
	secretForm = text.NewPattern(`^(\.env.*|id_(rsa|dsa|ecdsa|ed25519)[^a-z].*|.*[-_.](rsa|ed25519)|(client|service)[-_]?(secret|account)[^/]*\.json|secret\.(json|ya?ml|toml|ini|txt)|(api[-_]?)?tokens?\.(json|txt))$`)
)

// Secret reports whether a file or folder of this name is likely to hold keys or
// passwords. Such files are never read.
func Secret(base string) bool {
	b := strings.ToLower(base)
	stem, _, _ := strings.Cut(b, ".")
	if slices.Contains(secretNames, b) || slices.Contains(secretStems, stem) || secretForm.MatchString(b) {
		return true
	}
	for {
		if slices.Contains(secretEndings, path.Ext(b)) {
			return true
		}
		i := slices.IndexFunc(wrapping, func(w string) bool { return strings.HasSuffix(b, w) })
		if i < 0 {
			return false
		}
		b = strings.TrimSuffix(b, wrapping[i])
	}
}
