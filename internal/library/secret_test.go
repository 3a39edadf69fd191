package library

import "testing"

func TestSecretNames(t *testing.T) {
	for _, name := range []string{
		".env", ".env.local", "prod.env", "my.env.md", "prod.env.bak", "id_rsa", "id_rsa.old", "ID_ED25519", "deploy_rsa", "server.pem", "server.key",
		"server.key.txt", "x.p8", "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.tfvars.json", "credentials", "credentials.json",
		"credentials.csv", "secrets.yaml", "secret.json", "secrets.yml.bak", "passwords.csv", "kubeconfig", "token.txt", "api_token.json", "api_keys.txt",
		"client_secret_123.apps.json", "service-account.json", "serviceaccount-prod.json", "private_key.txt", "login.keychain-db", "wallet.dat", ".pgpass",
		"shadow", ".htpasswd", "vault.kdbx", "secring.gpg", "home.ovpn",
	} {
		if !Secret(name) {
			t.Errorf("%s may be read", name)
		}
	}
	for _, name := range []string{
		"notes.md", "key.md", "keys.md", "environment.md", "env.md", "secret-garden.txt", "the secret life of bees.md", "shadow.md", "token-ring.md", "tokens.md",
		"credentials-overview.md", "rsa.md", "id_card.txt", "monkey.txt", "password-policy.md", "api.md", "report.json", "2026.old", "account.json", "service.md",
	} {
		if Secret(name) {
			t.Errorf("%s is refused", name)
		}
	}
}
