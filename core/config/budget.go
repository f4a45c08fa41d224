package config

import (
	"math"
	"reflect"
	"strconv"
)

// A Budget bounds what models may use in a turn, a session, a day or a month.
type Budget struct {
	Scope  string `toml:"scope" required:"true" enum:"turn,session,day,month" comment:"What it is for. A day and a month are of all sessions together."`
	Tokens int    `toml:"tokens" min:"0" comment:"Tokens of questions and answers together; 0 is no bound."`
	USD    string `toml:"usd" money:"usd" comment:"US dollars in quotes, such as \"2.50\", at the prices that are known; empty is no bound."`
	At     string `toml:"at" required:"true" enum:"warn,pause,stop" comment:"When it is spent: warn says so, pause asks you and stops when you are not there, stop ends the turn."`
}

// Dollars is USD as a number; 0 where it is empty.
func (b Budget) Dollars() float64 {
	v, err := strconv.ParseFloat(b.USD, 64)
	if err != nil {
		return 0 // the settings were checked
	}
	return v
}

// mostDollars is more than anyone means to spend here.
const mostDollars = 1e6

func checkMoney(s slot, value string) (near, problem string) {
	if s.tag.Get("money") == "" || s.typ.Kind() != reflect.String || value == "" {
		return "", ""
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || v <= 0 || v > mostDollars {
		return "", `must be an amount of US dollars in quotes, such as "2.50"`
	}
	return "", ""
}

// checkBudgets finds budgets that bound nothing.
func checkBudgets(d *document, c *Config) (out []Problem) {
	for i, b := range c.Budgets {
		if b.Tokens > 0 || b.USD != "" {
			continue
		}
		path := []string{"budgets", strconv.Itoa(i)}
		if e, ok := d.find(path); ok {
			out = append(out, d.problemAt(e, "", "%s bounds nothing: set tokens or usd", joinKey(path)))
		}
	}
	return out
}
