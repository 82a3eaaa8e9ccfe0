// Proposals by keyboard: one of them is the current one; its own buttons are pressed, so that a key does what a click does.
const cards = [...document.querySelectorAll("article.proposal")];
let current = Math.max(0, cards.findIndex((card) => `#${card.id}` === decodeURIComponent(location.hash)));
let leaving = false; // a verdict was given: keys wait for the page that answers it, so that none is taken for another proposal
document.addEventListener("submit", () => { leaving = true; });
window.addEventListener("pageshow", () => { leaving = false; });
function go(place) {
  if (!cards.length) return;
  current = Math.min(Math.max(place, 0), cards.length - 1);
  cards[current].focus({ preventScroll: true });
  cards[current].scrollIntoView({ block: "nearest" });
}
function press(verdict) {
  cards[current]?.querySelector(`.verdicts [value="${verdict}"]`)?.click();
}
function reword() {
  const details = cards[current]?.querySelector("details.reword");
  if (!details) return;
  details.open = true;
  details.querySelector("input").focus();
}
const keys = {
  j: () => go(current + 1),
  k: () => go(current - 1),
  a: () => press("accept"),
  r: () => press("reject"),
  e: reword,
  u: () => document.querySelector("#undo button:enabled")?.click(),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input, select, textarea");
  if (typing && event.key === "Escape") go(current);
  if (typing || leaving || event.repeat || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
document.addEventListener("focusin", (event) => {
  const card = event.target.closest("article.proposal");
  if (card) current = cards.indexOf(card);
});
document.querySelector(".keys").hidden = false;
const refused = cards.findIndex((card) => card.querySelector(".fault"));
if (refused !== -1) {
  go(refused);
  cards[refused].querySelector("details[open] input")?.focus();
} else if (location.hash) go(current);
