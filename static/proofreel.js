// What the pages do beyond HTML and htmx: clocks that tick, polling that is patient, a player that is left alone.
"use strict";

const byId = (id) => document.getElementById(id);

/* Clocks. The server says how many seconds have passed or are left; this clock only counts on from there. */

function duration(seconds) {
  const whole = Math.floor(seconds);
  const two = (number) => String(number).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

const heard = new WeakMap();

function secondsSince(element) {
  if (!heard.has(element)) heard.set(element, performance.now());
  return (performance.now() - heard.get(element)) / 1000;
}

function tick() {
  for (const element of document.querySelectorAll("[data-elapsed]")) {
    element.textContent = duration(Number(element.dataset.elapsed) + secondsSince(element));
  }
  for (const element of document.querySelectorAll("[data-countdown]")) {
    const left = Math.ceil(Number(element.dataset.countdown) - secondsSince(element));
    element.textContent = left > 0 ? `in ${duration(left)}` : "now";
  }
}

function localTimes(root) {
  for (const element of root.querySelectorAll("time[data-local]")) {
    const options = { dateStyle: "long", timeStyle: "short" };
    element.textContent = new Date(element.dateTime).toLocaleString(undefined, options);
    element.removeAttribute("data-local");
  }
}

/* Polling: every second, every five in a tab that nobody looks at; a lost connection is said quietly. */

const HIDDEN_PAUSE_MS = 5000;
let polledAt = 0;

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id !== "poll") return;
  if (document.hidden && performance.now() - polledAt < HIDDEN_PAUSE_MS) {
    event.preventDefault();
    return;
  }
  polledAt = performance.now();
});

function connection(isLost) {
  const line = byId("connection");
  if (line && line.hidden === isLost) line.hidden = !isLost;
}

for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(failure, () => connection(true));
}
document.addEventListener("htmx:afterOnLoad", (event) => {
  if (event.detail.xhr.status < 400) connection(false);
});

/* The player: a video that somebody watches is not taken away; the newer one waits until it is wanted or the old one
   has ended. */

let newer = null;

function isWatched(video) {
  return video && !video.ended && (!video.paused || video.currentTime > 0);
}

function showNewer() {
  if (newer === null) return;
  byId("player").replaceChildren(...newer);
  byId("newer").hidden = true;
  newer = null;
}

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  if (target.id === "tries") {
    for (const card of [...fragment.querySelectorAll("li[id]")]) {
      if (byId(card.id) !== null) card.remove();
    }
  }
  if (target.id === "player" && isWatched(target.querySelector("video"))) {
    newer = [...fragment.childNodes].map((node) => node.cloneNode(true));
    byId("newer").hidden = false;
    event.preventDefault();
  }
});

document.addEventListener("ended", (event) => {
  if (event.target.closest("#player")) showNewer();
}, true);

/* A file that the server no longer has leaves words instead of a dead player. */

document.addEventListener("error", (event) => {
  if (!event.target.matches) return;
  if (event.target.matches(".thumb img")) {
    const sign = document.createElement("span");
    sign.className = "no-thumb";
    sign.textContent = "∴";
    sign.setAttribute("aria-hidden", "true");
    event.target.replaceWith(sign);
  }
  if (!event.target.matches("video")) return;
  const words = document.createElement("p");
  words.className = "quiet";
  words.textContent = "This video cannot be played: its file may be gone. Reload the page to see what is there.";
  event.target.replaceWith(words);
}, true);

/* Forms. */

function count(counter) {
  const box = byId(counter.dataset.counts);
  const limit = Number(box.dataset.limit);
  const show = () => {
    const length = [...box.value].length;
    const isOver = length > limit;
    counter.textContent = `${length.toLocaleString("en")} of ${limit.toLocaleString("en")} characters`;
    counter.classList.toggle("over", isOver);
    box.setCustomValidity(isOver ? `These are ${(length - limit).toLocaleString("en")} characters too many.` : "");
  };
  box.addEventListener("input", show);
  show();
}

document.addEventListener("click", (event) => {
  const example = event.target.closest("[data-fills]");
  if (example) {
    const box = byId(example.dataset.fills);
    event.preventDefault();
    box.focus();
    box.select();
    // As if it were typed, so that undo brings back what stood there.
    if (!document.execCommand("insertText", false, example.textContent)) {
      box.value = example.textContent;
      box.dispatchEvent(new Event("input"));
    }
  }
  const copies = event.target.closest("[data-copies]");
  if (copies) {
    const field = byId(copies.dataset.copies);
    field.select();
    navigator.clipboard.writeText(field.value).then(() => { copies.textContent = "Copied"; });
  }
  if (event.target.id === "show-newer") {
    showNewer();
    byId("player").querySelector("video")?.focus(); // the button that had the focus is gone
  }
});

document.addEventListener("submit", (event) => {
  if (event.target.dataset.once === undefined) return;
  // Going back brings back what was typed, but a fresh hidden field: this keeps the form the same form.
  history.replaceState({ submission: event.target.elements.submission.value }, "");
  const button = event.target.querySelector("button.primary");
  setTimeout(() => { button.disabled = true; });
});

window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("[data-once]")) {
    form.querySelector("button.primary").disabled = false;
    if (history.state && history.state.submission) form.elements.submission.value = history.state.submission;
  }
});

document.addEventListener("DOMContentLoaded", () => {
  tick();
  setInterval(tick, 1000);
  localTimes(document);
  document.querySelectorAll("[data-counts]").forEach(count);
  if (navigator.clipboard) {
    for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
  }
});
document.addEventListener("htmx:afterSwap", tick);
