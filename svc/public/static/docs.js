// Gives RapiDoc our colours, light or dark as the reader's system has them, and follows when that changes.

const COLOURS = {
  light: { theme: "light", "bg-color": "#f6f6f3", "text-color": "#1b1d21", "primary-color": "#2456b8", "nav-bg-color": "#ffffff", "nav-text-color": "#1b1d21", "nav-hover-bg-color": "#e2eafa", "nav-hover-text-color": "#1b448f", "nav-accent-color": "#2456b8" },
  dark: { theme: "dark", "bg-color": "#131417", "text-color": "#eceae5", "primary-color": "#9dbdff", "nav-bg-color": "#1e2024", "nav-text-color": "#eceae5", "nav-hover-bg-color": "#2b3a5c", "nav-hover-text-color": "#d3e0ff", "nav-accent-color": "#9dbdff" },
};
const dark = matchMedia("(prefers-color-scheme: dark)");
const page = document.querySelector("rapi-doc");

function colour() {
  for (const [name, value] of Object.entries(COLOURS[dark.matches ? "dark" : "light"])) page.setAttribute(name, value);
}

colour();
dark.addEventListener("change", colour);
