"use strict";
// The page also works without this script, which adds sorting, filters and a choice of colours.

const NEXT_SCHEME = { auto: "light", light: "dark", dark: "auto" };

function offerSchemes() {
  const button = document.getElementById("scheme");
  if (!button) return; // the site has a choice of its own
  let scheme = "auto";
  const show = () => { button.textContent = `Colours: ${scheme}`; };
  button.addEventListener("click", () => {
    scheme = NEXT_SCHEME[scheme];
    if (scheme === "auto") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
    show();
  });
  show();
  button.hidden = false;
}

function orderOf(cell) {
  if ("order" in cell.dataset) return Number(cell.dataset.order);
  return cell.classList.contains("text") ? cell.textContent.toLowerCase() : null;
}

function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null); // undefined values come last in both orders
  return sign * (typeof a === "string" ? a.localeCompare(b) : a - b);
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  if (rows.length < 2) return;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const turns = head.classList.contains("text") ? ["ascending", "descending"] : ["descending", "ascending"];
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const turn = turns[turns.indexOf(head.ariaSort) + 1]; // the third click restores the original order
      heads.forEach((other) => { other.ariaSort = null; });
      head.ariaSort = turn ?? null;
      const sign = turn === "descending" ? -1 : 1;
      const key = (row) => orderOf(row.cells[column]);
      body.append(...(turn ? rows.toSorted((a, b) => compare(key(a), key(b), sign)) : rows));
    });
  });
}

function makeFilterable(place, items, words) {
  const row = document.createElement("div");
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  row.className = "filter";
  field.type = "search";
  label.append(`${words} `, field);
  row.append(label, count);
  place.before(row);
  const texts = items.map((item) => item.textContent.toLowerCase());
  field.addEventListener("input", () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    items.forEach((item, i) => {
      item.hidden = !wanted.every((word) => texts[i].includes(word));
      shown += !item.hidden;
    });
    count.textContent = wanted.length ? `${shown} of ${items.length}` : "";
  });
}

function unfoldForPrint() {
  const folded = [];
  addEventListener("beforeprint", () => {
    folded.push(...document.querySelectorAll("details:not([open])"));
    folded.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => { folded.splice(0).forEach((one) => { one.open = false; }); });
}

// Opens the folded section that a link leads to; some browsers do this only for content inside it.
function unfoldTarget() {
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
}

offerSchemes();
unfoldForPrint();
unfoldTarget();
for (const table of document.querySelectorAll("main table")) {
  makeSortable(table);
  if (table.tBodies[0].rows.length > 8) makeFilterable(table.parentElement, [...table.tBodies[0].rows], "Filter rows");
}
for (const reading of document.querySelectorAll(".reading")) {
  makeFilterable(reading, [...reading.children], "Filter examples");
}
