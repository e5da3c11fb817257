// Keeps what changes on a page up to date. The server sends the part as it now looks, already escaped; the page reads without this.
for (const part of document.querySelectorAll("[data-live]")) {
  const source = new EventSource(part.dataset.live);
  source.addEventListener("part", (event) => { part.innerHTML = event.data; });
  source.addEventListener("end", () => { source.close(); location.reload(); });
  // Otherwise the connection would take one of the few that a browser has for a place.
  addEventListener("pagehide", () => source.close());
}
