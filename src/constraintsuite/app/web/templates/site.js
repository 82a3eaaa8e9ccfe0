// The choice of colours: system, light or dark. It is stored in this browser.
const schemes = ["", "light", "dark"];
function applyScheme(name) {
  if (name) document.documentElement.dataset.scheme = name; else delete document.documentElement.dataset.scheme;
}
function offerScheme() {
  const button = document.getElementById("colours");
  applyScheme(localStorage.getItem("scheme") || "");
  if (!button) return;
  const label = () => { button.textContent = `Colours: ${document.documentElement.dataset.scheme || "system"}`; };
  button.hidden = false;
  label();
  button.addEventListener("click", () => {
    const next = schemes[(schemes.indexOf(document.documentElement.dataset.scheme || "") + 1) % schemes.length];
    localStorage.setItem("scheme", next);
    applyScheme(next);
    label();
  });
}
offerScheme();
