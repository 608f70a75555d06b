// Copy buttons, forms that are sent once and not lost, and parts that are asked for again and again and leave alone what somebody is
// using. All else works without script.
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

// A form is sent once: its buttons rest until the answer takes the page's place. (The server, too, carries it out once.)
const RESTS = 10000; // milliseconds, after which it may be sent again: the connection may have failed

function buttonsOf(form) {
  return [...form.elements].filter((each) => each.tagName === "BUTTON" && each.type === "submit");
}

function wake(form) {
  delete form.dataset.sent;
  for (const button of buttonsOf(form)) button.disabled = false;
}

function isPost(form) {
  return form.method === "post" && !form.hasAttribute("hx-post");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !isPost(form)) return;
  if (form.dataset.sent || (!event.submitter?.formNoValidate && refusesLength(form))) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  // Afterwards: a button that rests is no part of what is sent.
  setTimeout(() => { for (const button of buttonsOf(form)) button.disabled = true; });
  setTimeout(() => wake(form), RESTS);
});

// The address of a filtered list names the filters that are set, and no others.
document.addEventListener("formdata", (event) => {
  if (event.target.method !== "get") return;
  for (const [name, value] of [...event.formData]) if (value === "") event.formData.delete(name);
});

// A page that the browser has kept, and shows again by Back, is meant anew; its filters are those of the list below them.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.forms) wake(form);
  for (const form of document.querySelectorAll("form.filters")) if (form.method === "get") form.reset();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  for (const field of document.querySelectorAll('input[name="once"]')) field.value = fresh;
});

// A long text says how much of its room is used. One that is too long is kept as it was pasted, and is not sent.
const written = new Intl.NumberFormat("en-GB");
const lengthOf = (field) => [...field.value.trim()].length; // as the server counts

function showLength(field) {
  const most = Number(field.dataset.longest);
  const length = lengthOf(field);
  let shown = document.getElementById(`${field.id}-count`);
  if (!shown) {
    shown = Object.assign(document.createElement("p"), { id: `${field.id}-count` });
    field.after(shown);
    field.setAttribute("aria-describedby", `${field.getAttribute("aria-describedby") || ""} ${shown.id}`.trim());
  }
  shown.removeAttribute("role");
  shown.className = length > most ? "error count" : "hint count";
  shown.textContent = `${written.format(length)} of ${written.format(most)} characters` +
    (length > most ? `: ${written.format(length - most)} too many` : "");
}

function refusesLength(form) {
  const field = [...form.elements].find((each) => each.dataset.longest && lengthOf(each) > Number(each.dataset.longest));
  if (!field) return false;
  for (let part = field.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  const shown = document.getElementById(`${field.id}-count`);
  shown.setAttribute("role", "alert");
  shown.textContent = `Not sent: this text has ${written.format(lengthOf(field))} characters, and at most ` +
    `${written.format(Number(field.dataset.longest))} fit. Shorten it, and send it again.`;
  field.setAttribute("aria-invalid", "true");
  field.focus();
  return true;
}

document.addEventListener("input", (event) => {
  if (!event.target.dataset?.longest) return;
  if (lengthOf(event.target) <= Number(event.target.dataset.longest)) event.target.removeAttribute("aria-invalid");
  showLength(event.target);
});

// Leaving a form that was changed asks; sending it does not.
function isChanged(field) {
  const isForm = field.form.matches(".fields, .stack"); // of a list, boxes and choices are no work that is lost
  if (!field.name || field.type === "hidden" || field.type === "password") return false;
  if (field.type === "checkbox" || field.type === "radio") return isForm && field.checked !== field.defaultChecked;
  if (field.type === "file") return field.files.length > 0;
  if (field.tagName === "SELECT") {
    const given = [...field.options].filter((each) => each.defaultSelected);
    const before = given.length || field.multiple ? given : [...field.options].slice(0, 1);
    const now = [...field.selectedOptions];
    return isForm && (now.length !== before.length || now.some((each) => !before.includes(each)));
  }
  return "defaultValue" in field && field.value !== field.defaultValue;
}

function hasUnsaved() {
  const forms = [...document.querySelectorAll("main form")].filter(isPost);
  const works = forms.filter((form) => form.matches(".fields, .stack"));
  const isAnswer = document.querySelector("main[data-unsaved]") && !works.some((form) => form.dataset.sent);
  return (isAnswer && works.length > 0) || forms.some((form) => !form.dataset.sent && [...form.elements].some(isChanged));
}

let isMeant = false; // to be left without what was typed

document.addEventListener("click", (event) => { isMeant = event.target.closest("[data-leave]") !== null; });

window.addEventListener("beforeunload", (event) => {
  if (isMeant || document.body.classList.contains("bare") || !hasUnsaved()) return;
  event.preventDefault();
  setTimeout(() => { for (const form of document.forms) wake(form); }); // for those who stay
});

function ready(root) {
  for (const field of root.querySelectorAll("[data-longest]")) showLength(field);
  for (const part of root.querySelectorAll("[data-copy], [data-cancel], [data-all], [data-scripted]")) part.hidden = false;
  showTimes(root);
}

// Days of filters are those of the browser's zone, too, which the server learns from a cookie.
function tellZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const root = document.querySelector('meta[name="console"]')?.content;
  if (!zone || !root) return;
  document.cookie = `zone=${encodeURIComponent(zone)}; path=${root}; max-age=31536000; samesite=lax` +
    (location.protocol === "https:" ? "; secure" : "");
}

tellZone();

// The rail is scrolled to the link of this page, where it has not room for all.
document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest" });

// Times are shown in the zone of the browser, with its offset; relative ones go on. The clock is the server's.
const zoned = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "shortOffset",
});
const ahead = Number(document.querySelector('meta[name="now"]').content) - Date.now();
const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
const LONG_AGO = 30 * 86400; // seconds, from which on a date is shown

function ago(at) {
  const seconds = (at - Date.now() - ahead) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 1) return "now";
  if (distance >= LONG_AGO) return null;
  const [size, unit] = UNITS.find(([size]) => distance >= size);
  const amount = `${Math.floor(distance / size)} ${unit}`;
  return seconds > 0 ? `in ${amount}` : `${amount} ago`;
}

function showTimes(root) {
  for (const each of root.querySelectorAll("time[data-shows]")) {
    const at = Date.parse(each.dateTime);
    const relative = ago(at);
    const exact = zoned.format(at).replace("GMT", "UTC").replace(/UTC\+0$/, "UTC");
    const lasts = relative === "now" ? "just now" : relative?.replace(/^(.+) ago$/, "for $1");
    const [shown, title] = {
      exact: [exact, relative ?? ""],
      lasting: [lasts ?? each.textContent, `since ${exact}`],
      ago: [relative ?? each.textContent, exact],
    }[each.dataset.shows];
    if (each.textContent !== shown) each.textContent = shown;
    each.title = title;
    if (!each.closest("tbody, ul, ol, a, button")) each.tabIndex = 0; // rows lead to a page with the exact time
  }
}

setInterval(() => { if (!document.hidden) showTimes(document); }, 5000);

// Of a chart one day is in the order of Tab; the arrows lead to the others.
document.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const day = step && event.target.closest?.(".chart .day");
  if (!day) return;
  const days = [...day.closest(".chart").querySelectorAll(".day")];
  const next = days[days.indexOf(day) + step];
  if (!next) return;
  day.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
});

// The video of the tab that was left stops.
document.addEventListener("change", (event) => {
  if (event.target.name !== "film") return;
  for (const video of document.querySelectorAll(".panels video")) video.pause();
});

// The search opens by Ctrl K or ⌘K; the arrows lead through what was found.
const finder = document.getElementById("find");

function openFinder(event) {
  event.preventDefault();
  document.getElementById("navigation").hidePopover?.();
  if (!finder.open) finder.showModal();
  document.getElementById("find-words").select();
}

if (finder) {
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") openFinder(event);
  });
  document.querySelector("[data-find]").addEventListener("click", openFinder);
  document.querySelector("[data-find] kbd").hidden = false;
  if (/Mac|iPhone|iPad/.test(navigator.platform)) document.querySelector("[data-find] kbd").textContent = "⌘K";
  finder.addEventListener("click", (event) => { if (event.target === finder) finder.close(); });
  finder.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing) { // a field of searches would only be emptied by the first
      event.preventDefault();
      return finder.close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = [document.getElementById("find-words"), ...finder.querySelectorAll("#found a")];
    stops[Math.min(Math.max(stops.indexOf(document.activeElement) + step, 0), stops.length - 1)].focus();
    event.preventDefault();
  });
  finder.querySelector("form").addEventListener("submit", (event) => {
    const shown = finder.querySelector("[data-words]"); // what was found for an earlier word is not meant
    const first = shown?.dataset.words === document.getElementById("find-words").value.trim() && shown.querySelector("a");
    if (!first) return;
    event.preventDefault();
    location.assign(first.href);
  });
}

// What polls is marked by hx-trigger="every …"; its next answer comes soon, so this one can be let go.
function plays(video) {
  return !video.paused || (video.currentTime > 0 && !video.ended);
}

function isSelected(part) {
  const selection = document.getSelection();
  return (!selection.isCollapsed && part.contains(selection.anchorNode)) || part.querySelector('[type="checkbox"]:checked');
}

function inUse(part) {
  return part.contains(document.activeElement) || isSelected(part) || part.querySelector("details.more[open], details.confirm[open]") ||
    [...part.querySelectorAll("video")].some(plays);
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const asked = event.detail.requestConfig?.elt?.getAttribute("hx-trigger") || "";
  if (!asked.startsWith("every")) return;
  // The head comes along: while somebody is about to press one of its buttons, all of it can wait.
  const head = event.detail.serverResponse?.includes('id="head"') && document.getElementById("head");
  if (inUse(event.detail.target) || (head && inUse(head))) event.detail.shouldSwap = false;
});

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (inUse(event.detail.target)) event.detail.shouldSwap = false;
});

// The scenes of a script are moved by a handle, by buttons, by Alt and an arrow, or by typing a position. Those around a scene move, and
// not the scene itself: it keeps the focus, and a preview that plays.
const sceneList = document.querySelector("[data-scenes]");
const scenesNow = () => [...sceneList.querySelectorAll("[data-scene]")];

function placeScene(scene, place) {
  const others = scenesNow().filter((each) => each !== scene);
  const index = Math.min(Math.max(place, 0), others.length);
  scene.before(...others.slice(0, index));
  scene.after(...others.slice(index));
  scenesNow().forEach((each, number) => {
    each.querySelector("[data-place]").textContent = number + 1;
    each.querySelector('[name="position"]').value = number + 1;
  });
  document.querySelector("[data-moved]").textContent = `Now scene ${index + 1} of ${others.length + 1}.`;
}

function moveScene(scene, step) {
  placeScene(scene, scenesNow().indexOf(scene) + step);
  scene.scrollIntoView({ block: "nearest" });
}

function dragScene(scene, at) {
  const grip = scene.querySelector("[data-drag]");
  sceneList.classList.add("sorting");
  scene.classList.add("held");
  scrollBy(0, grip.getBoundingClientRect().top - at.clientY); // only legends are left, so the scene is elsewhere

  function follow(event) {
    const others = scenesNow().filter((each) => each !== scene);
    const middle = (each) => { const box = each.getBoundingClientRect(); return box.top + box.height / 2; };
    const place = others.filter((each) => middle(each) < event.clientY).length;
    if (place !== scenesNow().indexOf(scene)) placeScene(scene, place);
    if (event.clientY < 64) scrollBy(0, -16);
    if (event.clientY > innerHeight - 64) scrollBy(0, 16);
  }

  function drop() {
    document.removeEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) document.removeEventListener(name, drop);
    sceneList.classList.remove("sorting");
    scene.classList.remove("held");
    scene.scrollIntoView({ block: "nearest" });
  }

  document.addEventListener("pointermove", follow);
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, drop);
}

if (sceneList) {
  sceneList.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (button) moveScene(button.closest("[data-scene]"), Number(button.dataset.move));
  });
  sceneList.addEventListener("keydown", (event) => {
    const step = event.altKey && { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const scene = step && event.target.closest("[data-scene]");
    if (!scene) return;
    event.preventDefault();
    moveScene(scene, step);
  });
  sceneList.addEventListener("change", (event) => {
    const scene = event.target.closest("[data-scene]");
    if (event.target.name === "position" && event.target.checkValidity()) placeScene(scene, event.target.value - 1);
  });
  sceneList.addEventListener("pointerdown", (event) => {
    const grip = event.button === 0 && event.target.closest("[data-drag]");
    if (!grip) return;
    event.preventDefault();
    dragScene(grip.closest("[data-scene]"), event);
  });
  // A key phrase whose words are no longer said is said to be so, before it is replaced on saving.
  sceneList.addEventListener("input", (event) => {
    const scene = event.target.closest("[data-scene]");
    if (scene) showStalePhrase(scene);
  });
}

const folded = (text) => text.split(/\s+/).filter(Boolean).join(" ").toLowerCase();

function showStalePhrase(scene) {
  const [phrase, narration, heading] = ["keyPhrase", "narration", "heading"].map((name) => scene.querySelector(`[name="${name}"]`));
  const isLeft = phrase.value === phrase.defaultValue;
  const words = folded(phrase.value);
  const isStale = isLeft && words && !folded(narration.value).includes(words) && words !== folded(heading.value);
  let note = scene.querySelector("[data-stale]");
  if (!note) {
    note = Object.assign(document.createElement("p"), { className: "hint", id: `${phrase.id}-stale` });
    note.dataset.stale = "";
    note.setAttribute("role", "status");
    phrase.after(note);
  }
  const text = isStale ? "No longer said: another one is chosen when you save." : "";
  if (note.textContent !== text) note.textContent = text;
}

ready(document);
document.addEventListener("htmx:load", (event) => ready(event.target));
