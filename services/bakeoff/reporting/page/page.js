// Sorting, filtering and the choice of a metric for the tables of cases. The page says everything without it.
"use strict";
document.documentElement.classList.add("js");

for (const section of document.querySelectorAll(".drill")) {
  const list = section.querySelector(".cases");
  const cases = [...list.querySelectorAll(".case")];
  const cells = new Map(cases.map((one) => [one, [...one.querySelectorAll(":scope > summary .cell")]]));
  const words = new Map(cases.map((one) => [one, one.querySelector(":scope > summary").textContent.toLowerCase()]));
  const metric = section.querySelector("[name=metric]");
  const search = section.querySelector("[name=search]");
  const show = section.querySelector("[name=show]");
  const order = section.querySelector("[name=order]");
  const count = section.querySelector(".count");

  const lower = () => "lower" in metric.selectedOptions[0].dataset;
  const values = (one) => cells.get(one).map((cell) => JSON.parse(cell.dataset.scores)[metric.selectedIndex]);
  const binary = [...metric.options].map((option) => "binary" in option.dataset);
  const disagree = (one) => cells.get(one).some((cell) => {
    const found = JSON.parse(cell.dataset.scores).filter((value, place) => binary[place] && value.s !== "not_applicable");
    return new Set(found.map((value) => (value.s === "failed" ? 0 : value.v))).size > 1;
  });
  const numbers = (one) => values(one).map((value) => value.v).filter((value) => value !== null);
  const gap = (one) => {
    const found = values(one).map((value) => (value.s === "failed" && !lower() ? 0 : value.v)).filter((value) => value !== null);
    return found.length > 1 ? Math.max(...found) - Math.min(...found) : 0;
  };
  const merit = (one) => {
    const found = numbers(one);
    const mean = found.reduce((sum, value) => sum + value, 0) / found.length;
    return found.length ? (lower() ? -mean : mean) : -Number.MAX_VALUE;
  };

  function paint() {
    section.querySelector(".shown").textContent = metric.value;
    for (const one of cases) {
      values(one).forEach((value, place) => {
        const cell = cells.get(one)[place];
        cell.textContent = value.t;
        cell.title = value.r;
        cell.className = "cell " + value.s;
        cell.style.setProperty("--share", value.h);
      });
    }
  }

  function filter() {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    for (const one of cases) {
      const states = values(one).map((value) => value.s);
      const fits = words.get(one).includes(wanted) && {
        all: () => true,
        differ: () => gap(one) > 0,
        disagree: () => disagree(one),
        imperfect: () => numbers(one).some((value) => value < 1),
        failed: () => states.includes("failed"),
        na: () => states.includes("not_applicable"),
      }[show.value]();
      one.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    count.textContent = shown + " of " + cases.length + " cases";
  }

  function sort() {
    const place = (one) => cases.indexOf(one);
    const by = {
      plan: (a, b) => place(a) - place(b),
      gap: (a, b) => gap(b) - gap(a) || place(a) - place(b),
      worst: (a, b) => merit(a) - merit(b) || place(a) - place(b),
      best: (a, b) => merit(b) - merit(a) || place(a) - place(b),
    };
    list.append(...[...cases].sort(by[order.value]));
  }

  metric.addEventListener("change", () => { paint(); filter(); sort(); });
  search.addEventListener("input", filter);
  show.addEventListener("change", filter);
  order.addEventListener("change", sort);
  filter();
}
