// Shows the text of the node under the pointer or the focus next to the picture, and highlights its edges.

function showNodes(picture, detail) {
  const nodes = [...picture.querySelectorAll(".node")];
  const edges = [...picture.querySelectorAll(".edge")];
  const release = () => {
    picture.classList.remove("holding");
    [...nodes, ...edges].forEach((one) => one.classList.remove("held"));
  };
  const hold = (node) => {
    release();
    picture.classList.add("holding");
    node.classList.add("held");
    const number = node.dataset.node;
    edges.filter((edge) => edge.dataset.ends.split(" ").includes(number)).forEach((edge) => edge.classList.add("held"));
    const card = document.getElementById(`node-${number}`);
    detail.replaceChildren(...[...card.childNodes].map((child) => child.cloneNode(true)));
  };
  nodes.forEach((node) => {
    node.addEventListener("pointerenter", () => hold(node));
    node.addEventListener("focus", () => hold(node));
    node.addEventListener("pointerleave", release);
    node.addEventListener("blur", release);
  });
  picture.addEventListener("keydown", (event) => {
    if (event.key === "Escape") release();
  });
}

const detail = document.getElementById("detail");
detail.hidden = false;
for (const picture of document.querySelectorAll("svg.walk")) showNodes(picture, detail);
