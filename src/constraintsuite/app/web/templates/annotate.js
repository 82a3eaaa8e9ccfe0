"use strict";
// Keys for judging, and figures that refresh. Every page also works without this script.
// The next item is loaded into this page, so that keys pressed in the meantime can wait and are then applied in order.

const pendingKeys = []; // pressed while a page loads
let loading = true;
let paused = false; // after a refused answer, keys do nothing until the person has seen the message
let handleKey = () => false; // applies a key to the current page; returns whether it did anything
let shown = "";

function inputsOf(question) {
  return [...question.querySelectorAll("input")];
}

function isAnswered(question) {
  return inputsOf(question).some((input) => input.checked);
}

function isOpen(question) {
  return question.hasAttribute("data-required") && !isAnswered(question);
}

// In a question with several choices, "none" and the other options exclude each other.
function keepNoneApart(question) {
  const inputs = inputsOf(question);
  const none = inputs.at(-1);
  question.addEventListener("change", (event) => {
    for (const input of inputs) if (event.target.checked && (event.target === none) !== (input === none)) input.checked = false;
  });
}

function takeBackByKeys() {
  const undo = document.getElementById("undo");
  if (undo && !undo.querySelector("button").disabled) undo.requestSubmit();
}

function judgeByKeys(form) {
  const questions = [...form.querySelectorAll("[data-question]")];
  const filled = !questions.some(isOpen); // then keys change the choices, one question after the other
  const chosen = []; // choices on this page, for undo
  let current = 0;

  const go = (number) => {
    current = number;
    questions.forEach((question, i) => question.classList.toggle("current", i === number));
  };
  const goOn = (after) => {
    const later = questions.findIndex((question, i) => i > after && (isOpen(question) || (filled && isAnswered(question))));
    const next = later === -1 ? questions.findIndex(isOpen) : later;
    go(next === -1 ? questions.length : next);
    if (next === -1) form.querySelector("button.main").focus({ preventScroll: true });
  };
  const remember = (question) => {
    const state = inputsOf(question).map((input) => input.checked);
    chosen.push([questions.indexOf(question), state]);
  };
  const choose = (number) => {
    const question = questions[current]; // undefined after the last question; Tab goes back to one
    const input = question && inputsOf(question)[number - 1];
    if (!input) return;
    remember(question);
    input.checked = input.type === "radio" || !input.checked;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    if (input.type === "radio") goOn(current);
  };
  const changes = ([number, state]) => inputsOf(questions[number]).some((input, i) => input.checked !== state[i]);
  const takeBack = () => {
    let last = chosen.pop();
    while (last && !changes(last)) last = chosen.pop();
    if (last) {
      const [number, state] = last;
      inputsOf(questions[number]).forEach((input, i) => { input.checked = state[i]; });
      document.activeElement?.blur();
      go(number);
    } else takeBackByKeys();
  };
  const enter = () => {
    const open = questions.findIndex(isOpen);
    if (open === -1) form.requestSubmit(); else go(open);
  };
  const actions = {
    Enter: enter, u: takeBack, Backspace: takeBack,
    n: () => {
      const words = form.querySelector("[data-words]");
      words.focus();
      words.setSelectionRange(words.value.length, words.value.length); // at the end of the text
    },
    s: () => document.getElementById("skip")?.click(),
    b: () => document.getElementById("before")?.click(),
    "?": () => { const help = document.getElementById("help"); if (help) { help.open = !help.open; help.scrollIntoView({ block: "nearest" }); } },
  };

  for (const question of questions) {
    question.addEventListener("pointerdown", () => { remember(question); go(questions.indexOf(question)); });
    question.addEventListener("focusin", () => go(questions.indexOf(question)));
  }
  goOn(-1);
  return (key) => {
    if (/^[1-9]$/.test(key)) choose(Number(key));
    else if (actions[key]) actions[key]();
    else return false;
    if (key !== "?") questions[current]?.scrollIntoView({ block: "nearest" }); // not when the page opens, since the texts are above
    return true;
  };
}

function isField(one) {
  return one.matches("textarea, input:not([type=radio], [type=checkbox])");
}

// Applies a key that waited, as if it were pressed now.
function press(key) {
  const field = document.activeElement ?? document.body;
  if (!isField(field)) handleKey(key);
  else if (key === "Escape") field.blur();
  else if (key === "Backspace") field.setRangeText("", Math.max(0, field.selectionStart - 1), field.selectionEnd, "end");
  else field.setRangeText(key === "Enter" ? "\n" : key, field.selectionStart, field.selectionEnd, "end");
}

function startPage() {
  const form = document.getElementById("judge");
  const undo = document.getElementById("undo");
  shown = location.pathname + location.search;
  document.querySelectorAll("[data-many]").forEach(keepNoneApart);
  if (form || undo) document.documentElement.classList.add("keys");
  if (form) handleKey = judgeByKeys(form);
  else handleKey = (key) => { const back = undo && (key === "u" || key === "Backspace"); if (back) takeBackByKeys(); return back; };
  paused = Boolean(form && document.querySelector("#main [autofocus]"));
  document.querySelector("#main [autofocus]")?.focus(); // browsers do this only when a page is opened
  loading = false;
  if (paused) pendingKeys.length = 0;
  while (pendingKeys.length && !loading) press(pendingKeys.shift());
}

// Replaces the content of this page by that of another; throws if the answer is not such a page.
async function loadPage(address, sent) {
  loading = true;
  const answer = await fetch(address, sent);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok && !page.getElementById("judge")) throw new Error(`no page to go on with: ${answer.status}`);
  for (const part of ["header.site nav", "#main"]) document.querySelector(part).replaceChildren(...document.adoptNode(page.querySelector(part)).childNodes);
  document.title = page.title;
  if (answer.ok && answer.url !== location.href) history.pushState(null, "", answer.url);
  scrollTo(0, 0);
  startPage();
}

// Keys with modifiers belong to the browser, except Shift, which some keyboards need for digits and signs.
function isOurs(event) {
  return !(event.ctrlKey || event.altKey || event.metaKey || event.isComposing || (event.shiftKey && event.key.length > 1));
}

addEventListener("keydown", (event) => {
  if (event.key === "Tab") paused = false;
  if (!isOurs(event)) return;
  const waits = event.key.length === 1 || ["Enter", "Escape", "Backspace"].includes(event.key);
  if (loading) {
    if (waits && !event.repeat) pendingKeys.push(event.key);
    if (waits) event.preventDefault();
  } else if (isField(event.target)) {
    if (event.key === "Escape") event.target.blur();
  } else if (paused) {
    if (event.key === "Escape") paused = false;
    if (waits) event.preventDefault();
  } else if (event.repeat) {
    if (waits && event.key !== " ") event.preventDefault();
  } else if (!(event.key === "Enter" && event.target.matches("a, button, summary")) && handleKey(event.key)) event.preventDefault();
});
addEventListener("pointerdown", () => { paused = false; });
addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("#judge, #undo")) return;
  event.preventDefault();
  if (loading) return; // a double click
  loadPage(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => form.submit()); // the page of the answer says what is wrong
});
addEventListener("click", (event) => {
  const link = event.target.closest("a[data-within]");
  if (!link || event.button || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!loading) loadPage(link.href).catch(() => location.assign(link.href));
});
addEventListener("popstate", () => { if (location.pathname + location.search !== shown) location.reload(); });
addEventListener("pageshow", (event) => { if (event.persisted) { loading = false; pendingKeys.length = 0; } }); // restored by the back button

async function refresh(place) {
  const said = document.getElementById("live-said");
  const seen = place.firstElementChild.dataset.seen;
  const answer = await fetch(`${place.dataset.again}&seen=${seen}`);
  if (answer.status === 200) {
    place.innerHTML = await answer.text();
    said.textContent = `Changed at ${new Date().toLocaleTimeString()}.`;
  } else if (answer.status !== 204) said.textContent = "The figures could not be refreshed.";
}

function watch() {
  const live = document.getElementById("live");
  if (!live) return;
  const said = document.getElementById("live-said");
  said.textContent = "Refreshes every 10 seconds.";
  setInterval(() => refresh(live).catch(() => { said.textContent = "The site does not answer; these figures may be out of date."; }), 10_000);
}

addEventListener("DOMContentLoaded", () => { startPage(); watch(); });
