"use strict";
const form = document.getElementById("filter");
const all = Array.from(document.querySelectorAll("article"));
function filter() {
  const rule = form.elements.rule.value;
  const severity = form.elements.severity.value;
  const path = form.elements.path.value.trim().toLowerCase();
  let shown = 0;
  for (const one of all) {
    const fits = (!rule || one.dataset.rule === rule) && (!severity || one.classList.contains(severity))
      && (!path || one.dataset.paths.toLowerCase().includes(path));
    one.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  form.elements.shown.value = shown + " of " + all.length;
}
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
const asked = new URLSearchParams(location.hash.slice(1));
for (const name of ["rule", "severity", "path"]) {
  if (asked.has(name)) form.elements[name].value = asked.get(name);
}
form.hidden = false;
filter();
