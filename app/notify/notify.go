// Package notify shows desktop notifications with buttons.
//
// One session has one notification: a newer one takes the place of the older,
// so that a busy session cannot pile them up. The desktop's server may be
// missing, or may not know buttons; both are told, not hidden.
package notify

import (
	"context"
	"errors"
)

// A Notification is a message to the person at the desktop.
type Notification struct {
	Session string // opened on a click; a newer notification of the same session takes this one's place
	Title   string
	Body    string // plain text
	Urgency Urgency
	Actions []Action

	// Do is called, on a goroutine of its own, with the key of the button that
	// was pressed, or with [ActionOpen] for a click on the notification.
	Do func(key string)
}

// An Action is a button.
type Action struct{ Key, Label string }

// ActionOpen is the key for a click on the notification itself.
const ActionOpen = "default"

// Urgency says how much it may disturb.
type Urgency byte

// The urgencies, as the desktop specification numbers them.
const (
	Low      Urgency = 0
	Normal   Urgency = 1
	Critical Urgency = 2
)

// ErrUnavailable is returned where no notification can be shown.
var ErrUnavailable = errors.New("no notification server answers; install one, such as xfce4-notifyd or dunst")

// A Server shows notifications.
type Server interface {
	// Show shows n and returns the id, never 0, to withdraw it by. It returns
	// [ErrUnavailable] where no server answers in time.
	Show(ctx context.Context, n Notification) (uint32, error)
	// Withdraw takes a notification off the screen, if it is still there; one
	// that took its place stays.
	Withdraw(id uint32)
	// Actions reports whether buttons will be shown.
	Actions() bool
	// Close withdraws nothing, and frees the connection.
	Close() error
}
