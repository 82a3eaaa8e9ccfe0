"use strict";
// Judging by keyboard, and figures that come by themselves. Every page is whole without this.

const form = document.getElementById("judge");
const undo = document.getElementById("undo");

function questionsOf(within) {
  return [...within.querySelectorAll("[data-question]")];
}

function inputsOf(question) {
  return [...question.querySelectorAll("input")];
}

function isAnswered(question) {
  return inputsOf(question).some((input) => input.checked);
}

// "none" and other options exclude each other where several can be chosen.
function keepNoneApart(question) {
  const inputs = inputsOf(question);
  const none = inputs.at(-1);
  question.addEventListener("change", (event) => {
    for (const input of inputs) if (event.target.checked && (event.target === none) !== (input === none)) input.checked = false;
  });
}

// Some browsers send a form twice for a double click; the server takes it once, and this spares it the second.
function sendOnce(one) {
  one.addEventListener("submit", (event) => {
    if (one.dataset.sent) event.preventDefault();
    one.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => { delete one.dataset.sent; });
}

function judgeByKeys() {
  const questions = questionsOf(form);
  const chosen = []; // what was chosen on this page, for undo
  let current = 0;

  const go = (number) => {
    current = number;
    questions.forEach((question, i) => question.classList.toggle("current", i === number));
  };
  const show = () => questions[current]?.scrollIntoView({ block: "nearest" }); // not at the beginning: the texts come first
  const goOn = () => {
    const open = questions.findIndex((question) => question.hasAttribute("data-required") && !isAnswered(question));
    go(open === -1 ? questions.length : open);
    if (open === -1) form.querySelector("button.main").focus({ preventScroll: true });
  };
  const remember = (question) => {
    const state = inputsOf(question).map((input) => input.checked);
    chosen.push([questions.indexOf(question), state]);
  };
  const choose = (number) => {
    const question = questions[current]; // none when all are answered; Tab leads back into one
    const input = question && inputsOf(question)[number - 1];
    if (!input) return;
    remember(question);
    input.checked = input.type === "radio" || !input.checked;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    if (input.type === "radio") goOn();
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
    } else if (!undo.querySelector("button").disabled) undo.requestSubmit();
  };
  const enter = () => {
    const open = questions.findIndex((question) => question.hasAttribute("data-required") && !isAnswered(question));
    if (open === -1) form.requestSubmit(); else go(open);
  };
  const actions = {
    Enter: enter, u: takeBack, Backspace: takeBack,
    n: () => document.getElementById("note").focus(),
    s: () => document.getElementById("skip").click(),
    b: () => document.getElementById("before")?.click(),
    "?": () => { const help = document.getElementById("help"); help.open = !help.open; help.scrollIntoView({ block: "nearest" }); },
  };

  for (const question of questions) {
    question.addEventListener("pointerdown", () => { remember(question); go(questions.indexOf(question)); });
    question.addEventListener("focusin", () => go(questions.indexOf(question)));
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const writes = event.target.matches("textarea, input:not([type=radio], [type=checkbox])");
    if (writes) { if (event.key === "Escape") event.target.blur(); return; }
    const acts = event.key === "Enter" && event.target.matches("a, button, summary");
    if (acts || (event.repeat && event.key !== "Tab")) { if (event.repeat) event.preventDefault(); return; }
    if (/^[1-9]$/.test(event.key)) choose(Number(event.key));
    else if (actions[event.key]) actions[event.key]();
    else return;
    if (event.key !== "?") show();
    event.preventDefault();
  });
  goOn();
}

async function lookAgain(place) {
  const said = document.getElementById("live-said");
  const seen = place.firstElementChild.dataset.seen;
  const answer = await fetch(`${place.dataset.again}&seen=${seen}`);
  if (answer.status === 200) {
    place.innerHTML = await answer.text();
    said.textContent = `Changed at ${new Date().toLocaleTimeString()}.`;
  } else if (answer.status !== 204) said.textContent = "The figures could not be asked for again.";
}

document.querySelectorAll("[data-many]").forEach(keepNoneApart);
document.querySelectorAll("form[method=post]").forEach(sendOnce);
if (form) {
  document.documentElement.classList.add("keys");
  judgeByKeys();
} else if (undo) {
  document.documentElement.classList.add("keys");
  addEventListener("keydown", (event) => { if (event.key === "u" || event.key === "Backspace") undo.requestSubmit(); });
}
const live = document.getElementById("live");
if (live) {
  const said = document.getElementById("live-said");
  said.textContent = "Looks again every 10 seconds.";
  setInterval(() => lookAgain(live).catch(() => { said.textContent = "The site does not answer; these figures may be old."; }), 10_000);
}
