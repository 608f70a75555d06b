// Copy buttons; and parts that are asked for again and again leave alone what somebody is using. All else works without script.
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || button.dataset.said) return;
  button.dataset.said = button.innerHTML;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it by hand"; // no permission, or a page that is not served securely
  }
  setTimeout(() => { button.innerHTML = button.dataset.said; delete button.dataset.said; }, 1600);
});

// A confirmation closes by Cancel and by Escape; without script its own button closes it. The browser keeps one open at a time.
function closePanel(panel) {
  panel.open = false;
  panel.querySelector("summary").focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-cancel]");
  if (button) closePanel(button.closest("details"));
});

document.addEventListener("keydown", (event) => {
  const panel = event.key === "Escape" && document.querySelector("details.confirm[open]");
  if (panel) closePanel(panel);
});

// One box selects all of a list.
document.addEventListener("change", (event) => {
  const all = event.target.closest("[data-all]");
  if (!all) return;
  for (const box of all.form.querySelectorAll(`[name="${all.dataset.all}"]`)) box.checked = all.checked;
});

function ready(root) {
  for (const part of root.querySelectorAll("[data-copy], [data-cancel], [data-all]")) part.hidden = false;
}

// What polls is marked by hx-trigger="every …"; its next answer comes soon, so this one can be let go.
function inUse(part) {
  return part.contains(document.activeElement) || part.querySelector("details.more[open]");
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const asked = event.detail.requestConfig?.elt?.getAttribute("hx-trigger") || "";
  if (asked.startsWith("every") && inUse(event.detail.target)) event.detail.shouldSwap = false;
});

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (inUse(event.detail.target)) event.detail.shouldSwap = false;
});

ready(document);
document.addEventListener("htmx:load", (event) => ready(event.target));
