// Keeps the exports that are not done up to date while the page is looked at.
"use strict";

const FETCH_EVERY = 3000; // milliseconds

const announced = document.getElementById("exports-said");

async function follow() {
  if (document.visibilityState !== "visible") return;
  const followed = document.querySelectorAll("#exports [data-open]");
  if (!followed.length) return;
  try {
    const answer = await fetch(location.pathname + location.search);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const old of followed) renew(old, page.getElementById(old.id));
  } catch {
    // The server cannot be reached; the next time will tell.
  }
}

function renew(old, now) {
  if (!now || now.dataset.mark === old.dataset.mark) return;
  if (!("open" in now.dataset)) announced.textContent = now.querySelector(".what").textContent.trim();
  const held = old.contains(document.activeElement);
  old.replaceWith(now);
  if (held) now.querySelector("a, button").focus();
}

setInterval(follow, FETCH_EVERY);
