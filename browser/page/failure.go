package page

import "github.com/hobkin/hobkin/core/capability"

// The ways in which reading and working a page fails on purpose.
var (
	BadRef      = &capability.Failure{Code: "bad_ref", When: "the reference is not one that a snapshot gave", Try: "take a snapshot and use a reference from it, such as e12"}
	StaleRef    = &capability.Failure{Code: "stale_ref", When: "the element of the reference is no longer in the page", Try: "use the reference that is offered, or take a new snapshot"}
	NotVisible  = &capability.Failure{Code: "not_visible", When: "the element is not shown", Try: "open what hides it, such as a menu or a tab, and take a new snapshot"}
	NotEnabled  = &capability.Failure{Code: "disabled", When: "the element is disabled", Try: "do first what enables it: fill in what is required, tick the consent"}
	NotStill    = &capability.Failure{Code: "moving", When: "the element does not come to rest", Try: "wait for the page, or stop what moves it, and try again"}
	Covered     = &capability.Failure{Code: "covered", When: "another element lies over it", Try: "close or scroll away what covers it, named in the message"}
	NotEditable = &capability.Failure{Code: "not_editable", When: "the element takes no text", Try: "fill a textbox; click buttons and links, select in lists, check boxes"}
	BadValue    = &capability.Failure{Code: "bad_value", When: "the field does not take that value", Try: "give the value in the form that the message names"}
	NoOption    = &capability.Failure{Code: "no_option", When: "the list has no such option", Try: "choose one of the options in the message, by its text or its value"}
	NotSelect   = &capability.Failure{Code: "not_a_list", When: "the element is not a native list", Try: "click it, take a snapshot, and click the option"}
	NotCheck    = &capability.Failure{Code: "not_a_checkbox", When: "the element cannot be ticked", Try: "use click"}
	Unchanged   = &capability.Failure{Code: "unchanged", When: "the page did not take the change over", Try: "take a snapshot to see what the page shows now"}
	BadKey      = &capability.Failure{Code: "bad_key", When: "there is no such key", Try: "name keys as Enter, Tab, ArrowDown, Control+a, Shift+F10"}
	BadAct      = &capability.Failure{Code: "bad_act", When: "the act lacks something or does not exist", Try: "give what the message names"}
	NoForm      = &capability.Failure{Code: "no_form", When: "the element belongs to no form", Try: "click the button that sends it, or press Enter in the field"}
	Invalid     = &capability.Failure{Code: "invalid_form", When: "the form does not accept what is in it", Try: "correct the fields that the message names"}
	NotThere    = &capability.Failure{Code: "not_in_time", When: "what was waited for did not come in time", Try: "take a snapshot to see what the page shows, or wait longer"}
	NoPage      = &capability.Failure{Code: "no_page", When: "the tab shows no page that can be read", Try: "open an address, or take another tab"}
	PageScript  = &capability.Failure{Code: "script_failed", When: "the function that was waited for fails", Try: "correct the function"}
)
