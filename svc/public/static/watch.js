// Counts what is really watched, and shows captions and descriptions as lines under the picture.
"use strict";

const SEND_EVERY = 5000; // milliseconds
const LONGEST_STEP = 2; // seconds between two timeupdates; more is a jump
const SMALL_PICTURE = 560; // CSS pixels

function countPlay(video) {
  const address = video.dataset.plays;
  let playId = null;
  let starting = false;
  let position = null; // where the last counted moment ended; null: unknown, as after a seek
  let watched = 0;
  let sent = 0;

  async function start() {
    if (playId || starting) return;
    starting = true;
    try {
      const answer = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
      if (answer.ok) playId = (await answer.json()).playId;
    } catch {
      // Offline for a moment: the next tick tries again.
    }
    starting = false;
  }

  function send() {
    if (!playId || watched <= sent) return;
    const message = new Blob([JSON.stringify({ watchedSeconds: watched })], { type: "application/json" });
    if (navigator.sendBeacon(`${address}/${playId}`, message)) sent = watched;
  }

  function count() {
    const step = position === null ? 0 : video.currentTime - position;
    if (step > 0 && step <= LONGEST_STEP * video.playbackRate) watched += step;
    position = video.currentTime;
  }

  video.addEventListener("play", () => { position = video.currentTime; start(); });
  video.addEventListener("timeupdate", () => { if (!video.seeking) count(); });
  video.addEventListener("seeking", () => { position = null; });
  video.addEventListener("seeked", () => { position = video.currentTime; });
  for (const end of ["pause", "ended"]) video.addEventListener(end, () => { if (!video.seeking) count(); send(); });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") send(); });
  window.addEventListener("pagehide", send);
  setInterval(() => {
    if (!video.paused) start();
    send();
  }, SEND_EVERY);
}

// Captions in several languages are chosen from a list, in which the viewer's own language is chosen at first if nothing
// else would say what is spoken.
function chooseCaptions(video, choice) {
  const select = choice.querySelector("select");
  const line = document.querySelector('[data-line="captions"]');
  const elements = [...video.querySelectorAll('track[kind="captions"], track[kind="subtitles"]')];

  function write() {
    const chosen = elements.find((each) => each.srclang === select.value);
    const cues = chosen ? [...(chosen.track.activeCues || [])] : [];
    line.textContent = cues.map((cue) => cue.getCueAsHTML().textContent).join(" ");
  }

  function set() {
    for (const each of elements) each.track.mode = each.srclang === select.value ? "hidden" : "disabled";
    line.lang = select.value;
    line.dir = select.selectedOptions[0].dataset.direction || "auto";
    line.hidden = !select.value;
    line.parentElement.hidden = [...line.parentElement.children].every((each) => each.hidden);
    write();
  }

  for (const each of elements) {
    each.track.addEventListener("cuechange", write);
    each.addEventListener("load", write);
  }
  select.addEventListener("change", set);
  select.value = preferred(select, document.querySelector("h1").lang) || (pictureIsSmall(video) ? select.options[1].value : "");
  choice.hidden = false;
  set();
}

// The caption language of someone who reads none of the languages that are spoken; empty: none is needed, or there is none.
function preferred(select, spoken) {
  const base = (code) => code.split("-")[0];
  const read = navigator.languages.map(base);
  if (read.includes(base(spoken))) return "";
  const there = [...select.options].filter((each) => read.includes(base(each.value)));
  return there.sort((a, b) => read.indexOf(base(a.value)) - read.indexOf(base(b.value)))[0]?.value || "";
}

// "hidden": the browser reads the cues and leaves drawing them to us; "disabled" would not read them.
function showLine(video, kind, atFirst) {
  const element = video.querySelector(`track[kind="${kind}"]`);
  if (!element) return;
  const track = element.track;
  const line = document.querySelector(`[data-line="${kind}"]`);
  const toggle = document.querySelector(`[data-toggle="${kind}"]`);
  if (!toggle) return; // within a page of another site

  function set(on) {
    toggle.setAttribute("aria-pressed", String(on));
    track.mode = on ? "hidden" : "disabled";
    line.hidden = !on;
    line.parentElement.hidden = [...line.parentElement.children].every((each) => each.hidden);
  }

  function write() {
    const cues = [...(track.activeCues || [])];
    line.textContent = cues.map((cue) => cue.getCueAsHTML().textContent).join(" ");
  }

  track.addEventListener("cuechange", write);
  element.addEventListener("load", write);
  toggle.addEventListener("click", () => set(toggle.getAttribute("aria-pressed") !== "true"));
  toggle.hidden = false;
  set(atFirst);
}

// The picture has captions of its own. Only a wide one on a small screen makes them too small to read.
function pictureIsSmall(video) {
  return video.width > video.height && video.clientWidth < SMALL_PICTURE;
}

function jumpFrom(link, video) {
  link.addEventListener("click", () => {
    video.currentTime = Number(link.dataset.at);
    video.play().catch(() => {}); // a browser may insist on its own button
  });
}

const video = document.getElementById("video");
countPlay(video);
const choice = document.querySelector('[data-choice="captions"]');
if (choice) chooseCaptions(video, choice);
else showLine(video, "captions", pictureIsSmall(video));
showLine(video, "descriptions", false);
for (const link of document.querySelectorAll("[data-at]")) jumpFrom(link, video);
