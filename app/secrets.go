package app

import (
	"context"
	"errors"
	"strings"

	"github.com/hobkin/hobkin/core/config"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/secret"
)

// OpenSecrets opens the store of secrets alone. Ask is asked for the passphrase
// of the sealed file.
func OpenSecrets(ask secret.Passphrase) (*secret.Store, error) {
	paths, err := config.DefaultPaths()
	if err != nil {
		return nil, err
	}
	if err := paths.Create(); err != nil {
		return nil, err
	}
	return secret.Open(secret.Options{Dir: paths.Secrets(), Passphrase: ask})
}

// unlockModel opens the sealed file when the key of the main model is in it.
func (c *Core) unlockModel(ctx context.Context, ask secret.Passphrase) error {
	cfg := c.cfg.Load()
	p, _ := cfg.Provider(cfg.Models.Main.Provider) // one that is not there has no key, and is told where it is wanted
	name, ok := strings.CutPrefix(p.Key, "keyring:")
	if !ok || !c.secrets.IsLocked(name) {
		return nil
	}
	phrase, err := ask(ctx, false)
	if errors.Is(err, secret.ErrLocked) {
		return nil // no one can be asked; the request to the model says so
	}
	if err != nil {
		return err
	}
	return c.unlockSecrets(ctx, control.Unlock{Passphrase: phrase.Reveal()})
}

// unlockSecrets opens the sealed file for as long as this core runs. The
// passphrase comes over the owner's own socket and is not kept.
func (c *Core) unlockSecrets(ctx context.Context, r control.Unlock) error {
	err := c.secrets.UnlockWith(ctx, secret.NewValue(r.Passphrase))
	if errors.Is(err, secret.ErrPassphrase) {
		return &control.Error{Code: "wrong_passphrase", Message: "the passphrase is wrong"}
	}
	return err
}

// lockSecrets forgets the key of the sealed file.
func (c *Core) lockSecrets(context.Context, none) (any, error) {
	c.secrets.Lock()
	return nil, nil
}
