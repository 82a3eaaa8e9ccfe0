// Checks queries while a person types, by the rules of the server; faults are shown under the field.
const form = document.getElementById("writing");
let asking = null;
let waiting = 0;
function tell(field, faults) {
  const list = document.getElementById(`${field.id}-faults`);
  const shown = field.value.trim() ? faults : [];
  const before = [...list.children].map((item) => item.textContent);
  if (before.join("\n") === shown.join("\n")) return;
  list.replaceChildren(...shown.map((fault) => Object.assign(document.createElement("li"), { textContent: fault })));
  if (shown.length) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
}
async function check() {
  asking?.abort();
  asking = new AbortController();
  try {
    const answer = await fetch(form.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(form)), signal: asking.signal });
    if (!answer.ok) return;
    const faults = await answer.json();
    for (const [name, found] of Object.entries(faults)) tell(form.elements[name], found);
  } catch (error) {
    if (error.name !== "AbortError") console.warn(error); // the server checks again when the queries are saved
  }
}
form.addEventListener("input", (event) => {
  if (!event.target.closest(".query")) return;
  clearTimeout(waiting);
  waiting = setTimeout(check, 150);
});
document.addEventListener("keydown", (event) => {
  if (event.altKey && event.key === "s") document.getElementById("skip")?.click();
});
for (const hint of document.querySelectorAll(".keys")) hint.hidden = false;
form.querySelector(".query input:enabled")?.focus();
