// Keys for proposals. One proposal is the current one; a key clicks its buttons.
// A verdict is sent by this script, so that keys pressed in the meantime wait and none is lost.
const main = document.getElementById("main");
const cards = () => [...main.querySelectorAll("article.proposal")];
const waiting = []; // keys pressed and buttons clicked while a verdict is being sent
let current = Math.max(0, cards().findIndex((card) => `#${card.id}` === decodeURIComponent(location.hash)));
let sending = false;

function go(place) {
  const found = cards();
  if (!found.length) return;
  current = Math.min(Math.max(place, 0), found.length - 1);
  found[current].focus({ preventScroll: true });
  found[current].scrollIntoView({ block: "nearest" });
}
function press(verdict) {
  cards()[current]?.querySelector(`.verdicts [value="${verdict}"]`)?.click();
}
function reword() {
  const details = cards()[current]?.querySelector("details.reword");
  if (!details) return;
  details.open = true;
  const field = details.querySelector("input");
  field.select();
  const typed = waiting.splice(0).filter((each) => typeof each === "string").join("");
  if (typed) field.setRangeText(typed, 0, field.value.length, "end"); // keys after the e are text, not verdicts
}
const keys = {
  j: () => go(current + 1),
  k: () => go(current - 1),
  a: () => press("accept"),
  r: () => press("reject"),
  e: reword,
  u: () => main.querySelector("#undo button:enabled")?.click(),
};
function catchUp() {
  while (waiting.length && !sending) {
    const next = waiting.shift();
    if (typeof next === "string") keys[next]?.();
    else main.querySelector(next.card)?.querySelector(`.verdicts [value="${next.verdict}"]`)?.click();
  }
}

// Edited fields of other proposals, which must not be lost.
function editedFields(sent) {
  return [...main.querySelectorAll("details.reword input")].filter((field) => field.form !== sent && field.value !== field.defaultValue);
}
function show(page, url, sent) {
  const words = editedFields(sent).map((field) => [field.id, field.value]);
  const place = new URL(url);
  const at = place.searchParams.get("at");
  const before = current;
  main.replaceChildren(...document.adoptNode(page.getElementById("main")).childNodes);
  document.title = page.title;
  for (const [id, value] of words) {
    const field = document.getElementById(id);
    if (!field) continue;
    field.value = value;
    field.closest("details").open = true;
  }
  place.searchParams.delete("at");
  place.searchParams.delete("told");
  place.hash = at || "";
  if (!place.pathname.endsWith("/answer")) history.replaceState(null, "", place);
  begin(at ? cards().findIndex((card) => card.id === at) : before);
}
async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  const answer = await fetch(form.action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.querySelector("#main form#undo")) throw new Error(`not the proposals: ${answer.status}`);
  show(page, answer.url, form);
}
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method !== "post" || form.dataset.plain) return;
  event.preventDefault();
  const button = event.submitter;
  if (sending) {
    const card = form.closest("article.proposal");
    if (card && button.closest(".verdicts")) waiting.push({ card: `#${CSS.escape(card.id)}`, verdict: button.value });
    return;
  }
  sending = true;
  try {
    await send(form, button);
  } catch (error) {
    form.dataset.plain = "yes"; // the page of the answer says what is wrong
    form.requestSubmit(button);
    return;
  }
  sending = false;
  catchUp();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input, select, textarea");
  if (typing && event.key === "Escape") go(current);
  if (typing || event.repeat) return;
  if (sending && event.key.length === 1) waiting.push(event.key);
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});
document.addEventListener("focusin", (event) => {
  const card = event.target.closest("article.proposal");
  if (card) current = cards().indexOf(card);
});
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); }); // restored by the back button, and out of date
function begin(place) {
  main.querySelector(".keys").hidden = false;
  const refused = cards().findIndex((card) => card.querySelector(".fault"));
  if (refused === -1) {
    if (place !== -1) go(place);
    return;
  }
  go(refused);
  cards()[refused].querySelector("details[open] input")?.focus();
}
begin(location.hash ? current : -1);
