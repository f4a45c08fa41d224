package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobkin/hobkin/computeruse"
	"github.com/hobkin/hobkin/core/control"
	"github.com/hobkin/hobkin/core/provider"
)

// calibrateComputer has the main model point at discs in a drawn picture, and
// keeps for it how its answers are to be read: a model that names places in
// another way than is assumed misses everything by a factor.
func (c *Core) calibrateComputer(ctx context.Context, _ none) (control.Calibration, error) {
	choices, err := c.choose(ctx, "main", "")
	if err != nil {
		return control.Calibration{}, err
	}
	return c.calibrate(ctx, choices[0].Model)
}

func (c *Core) calibrate(ctx context.Context, m provider.Model) (control.Calibration, error) {
	info := m.Info()
	if !info.Images {
		return control.Calibration{}, &control.Error{Code: "blind_model", Message: title(info) + " cannot see pictures, so that it cannot use the screen", Try: "choose a model that sees pictures"}
	}
	sees := c.computer.modelOf(info.Model)
	got, err := computeruse.Calibrate(ctx, sees.Limits, func(ctx context.Context, picture []byte, question string) (string, error) {
		return answerTo(ctx, m, picture, question)
	})
	if err != nil {
		return control.Calibration{}, &control.Error{Code: "no_aim", Message: strings.TrimPrefix(err.Error(), "computeruse: "), Try: "try again, or choose another model"}
	}
	out := control.Calibration{Model: info.Model, Coordinates: string(got.Coordinates), Set: string(sees.Coordinates), Off: got.Off}
	if !got.Good() {
		return out, &control.Error{
			Code: "no_aim", Message: fmt.Sprintf("%s misses the discs by %.0f pixels on average, however its answers are read", title(info), got.Off),
			Try: "choose a model that was trained to point at things on a screen",
		}
	}
	if out.Coordinates == out.Set {
		return out, nil
	}
	err = c.file.Set(ctx, fmt.Sprintf("computer_use.models.%q.coordinates", info.Model), out.Coordinates)
	if err == nil {
		err = c.reload()
	}
	out.Saved = err == nil
	return out, err
}

// answerTo is what a model says to a picture and a question.
func answerTo(ctx context.Context, m provider.Model, picture []byte, question string) (string, error) {
	var text strings.Builder
	for e, err := range m.Stream(ctx, provider.Request{Messages: []provider.Message{{Role: provider.RoleUser, Parts: []provider.Part{
		provider.Image{MIME: "image/png", Data: picture}, provider.Text{Text: question},
	}}}}) {
		if err != nil {
			return "", err
		}
		if d, ok := e.(provider.TextDelta); ok {
			text.WriteString(string(d))
		}
	}
	return text.String(), nil
}
