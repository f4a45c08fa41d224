package app

import (
	"os"
	"strings"

	"github.com/hobkin/hobkin/computeruse"
)

// barWords are what the strip on the screen says, in the language of the window.
func (c *Core) barWords() computeruse.Words {
	w, ok := barLanguages[languageOf(c.cfg.Load().Desktop.Language)]
	if !ok {
		w = barLanguages["en"]
	}
	return w
}

// languageOf is the two letters of a language: that of the settings, else of the
// system.
func languageOf(set string) string {
	for _, name := range []string{set, os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")} {
		if name != "" {
			return strings.ToLower(name[:min(2, len(name))])
		}
	}
	return "en"
}

// barLanguages have the few words of the strip: the background process has no
// window that could translate them.
var barLanguages = map[string]computeruse.Words{
	"en": {Using: "Hobkin is using %s", Waiting: "Hobkin waits for you", Paused: "Hobkin is paused", Pause: "Pause"},
	"de": {Using: "Hobkin benutzt %s", Waiting: "Hobkin wartet auf Sie", Paused: "Hobkin pausiert", Pause: "Pause"},
	"es": {Using: "Hobkin usa %s", Waiting: "Hobkin le espera", Paused: "Hobkin está en pausa", Pause: "Pausar"},
	"fr": {Using: "Hobkin utilise %s", Waiting: "Hobkin vous attend", Paused: "Hobkin est en pause", Pause: "Pause"},
	"ja": {Using: "Hobkin が %s を操作中", Waiting: "Hobkin は待機中です", Paused: "Hobkin は一時停止中です", Pause: "一時停止"},
	"zh": {Using: "Hobkin 正在使用 %s", Waiting: "Hobkin 正在等您", Paused: "Hobkin 已暂停", Pause: "暂停"},
}
