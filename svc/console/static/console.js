// Copy buttons, and times that stay true. Everything else works without script.
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const said = button.dataset.said || button.innerHTML;
  button.dataset.said = said;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it by hand"; // no permission, or a page that is not served securely
  }
  setTimeout(() => { button.innerHTML = said; }, 1600);
});

function ready(root) {
  for (const button of root.querySelectorAll("[data-copy]")) button.hidden = false;
}

ready(document);
document.addEventListener("htmx:load", (event) => ready(event.target));
