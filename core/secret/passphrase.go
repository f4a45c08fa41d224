package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A Passphrase asks for the passphrase of the sealed file; fresh says that a
// new one is chosen. It fails with [ErrLocked] where no one can be asked.
type Passphrase func(ctx context.Context, fresh bool) (Value, error)

// The variables that say where a passphrase is. It is never in a variable
// itself, nor in an argument: every program of the owner's can read those.
const (
	PassphraseFile = "HOBKIN_PASSPHRASE_FILE" // a file that only the owner can read
	AskpassProgram = "HOBKIN_ASKPASS"         // a program that asks, and prints the answer; its argument is the question
)

const (
	askpassTime  = 2 * time.Minute // for a person to type
	askpassGrace = time.Second
)

// FromEnvironment gets the passphrase from where the environment says; where
// it says nothing it is [ErrLocked].
func FromEnvironment(ctx context.Context, fresh bool) (Value, error) {
	if path := os.Getenv(PassphraseFile); path != "" {
		return phraseFile(path)
	}
	if program := os.Getenv(AskpassProgram); program != "" {
		return askpass(ctx, program, fresh)
	}
	return Value{}, ErrLocked
}

func phraseFile(path string) (Value, error) {
	const others = 0o077
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Value{}, fmt.Errorf("secret: %s: %w", PassphraseFile, err)
	case !info.Mode().IsRegular():
		return Value{}, fmt.Errorf("secret: %s: %s is not a file", PassphraseFile, path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&others != 0:
		return Value{}, fmt.Errorf("secret: %s can be read by others; close it with: chmod 600 %s", path, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return Value{}, fmt.Errorf("secret: %s: %w", PassphraseFile, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, mostPhrase+2))
	if err != nil {
		return Value{}, fmt.Errorf("secret: %s: %w", PassphraseFile, err)
	}
	return phrase(text)
}

// askpass runs a program as ssh and sudo run theirs. What it prints beside the
// answer is dropped: it may quote it.
func askpass(ctx context.Context, program string, fresh bool) (Value, error) {
	ctx, cancel := context.WithTimeout(ctx, askpassTime)
	defer cancel()
	question := "Passphrase of Hobkin's sealed secrets:"
	if fresh {
		question = "New passphrase for Hobkin's sealed secrets:"
	}
	cmd := exec.CommandContext(ctx, program, question)
	cmd.WaitDelay = askpassGrace
	out := &bounded{most: mostPhrase + 2}
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Value{}, fmt.Errorf("secret: %s did not answer in time", program)
	case err != nil:
		return Value{}, fmt.Errorf("secret: %s gave no passphrase: %w", program, err)
	}
	return phrase(out.Bytes())
}

// bounded is a buffer that drops what is too much.
type bounded struct {
	buf  bytes.Buffer
	most int
}

// Bytes is what was kept.
func (b *bounded) Bytes() []byte { return b.buf.Bytes() }

// Write keeps what there is room for.
func (b *bounded) Write(p []byte) (int, error) {
	_, err := b.buf.Write(p[:min(len(p), b.most-b.buf.Len())])
	return len(p), err
}

// phrase is a line without its end.
func phrase(line []byte) (Value, error) {
	text := strings.TrimRight(string(line), "\r\n")
	if text == "" {
		return Value{}, errors.New("secret: the passphrase is empty")
	}
	return Value{text}, nil
}
