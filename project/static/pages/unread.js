// Keeps the number of unread notifications up to date while the page is looked at.
"use strict";

const EVERY = 15000; // milliseconds

const badge = document.getElementById("unread");
const number = document.getElementById("unread-number");
const said = document.getElementById("unread-said");
const fresh = document.getElementById("fresh"); // on the page of the inbox only
const title = document.title;
let shown = Number(badge.dataset.count);

function show(count) {
  document.title = count ? `(${count}) ${title}` : title;
  if (count === shown) return;
  if (fresh && count > shown) fresh.hidden = false;
  shown = count;
  number.textContent = count;
  badge.hidden = count === 0;
  said.textContent = count === 1 ? "1 unread notification" : `${count} unread notifications`;
}

async function refresh() {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(badge.dataset.url, { headers: { Accept: "application/json" } });
    if (answer.ok) show((await answer.json()).total_unread_notifications_count);
  } catch {
    // The server cannot be reached; the next time will tell.
  }
}

show(shown);
setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", refresh);
