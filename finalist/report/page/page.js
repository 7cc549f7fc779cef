const { points, plots } = JSON.parse(document.getElementById("data").textContent);
const form = document.getElementById("filters");
const UNSAFE = ["broken", "withdrawn"];
const finish = {}; // what ends the plot that an element had before

/* What the reader has chosen. */
function chosen() {
  const checked = (name) => new Set([...form.querySelectorAll(`[name=${name}]:checked`)].map((box) => box.value));
  const [operation] = checked("operation");
  const broken = document.getElementById("broken").checked;
  return { machines: checked("machine"), ciphers: checked("cipher"), operation, broken };
}

function isShown(one, wanted) {
  return (one.machine === undefined || wanted.machines.has(one.machine))
    && (one.cipher === undefined || wanted.ciphers.has(one.cipher))
    && (one.operation === undefined || one.operation === wanted.operation)
    && (wanted.broken || !UNSAFE.includes(one.state));
}

/* The data of a plot: that of a study stands in the plot itself, and is not filtered. */
function values(plot, wanted) {
  if (!plot.ids) return plot.spec.data.values;
  const own = plot.ids.map((id, place) => ({ ...points[id], ...(plot.more ? plot.more[place] : {}) }));
  return own.filter((one) => isShown(one, wanted));
}

async function draw(name, wanted) {
  const plot = plots[name];
  const own = values(plot, wanted);
  const spec = { ...plot.spec, data: { name: "points", values: own } };
  const step = spec.height.step; // where the width is that of the page, Vega-Lite takes no rows of a height
  if (step) spec.height = step * Math.max(1, new Set(own.map((one) => one.cipher)).size);
  const element = document.getElementById(name);
  element.dataset.marks = own.length;
  finish[name]?.();
  if (own.length === 0) {
    element.textContent = "Nothing that is chosen has figures here.";
    return;
  }
  const made = await window.vegaEmbed(element, spec, { renderer: "svg", actions: false });
  made.view.addEventListener("click", (_, item) => {
    if (item && item.datum && item.datum.id !== undefined) show(item.datum.id);
  });
  finish[name] = made.finalize;
}

function filterRows(wanted) {
  for (const row of document.querySelectorAll("tr[data-machine]")) row.hidden = !isShown(row.dataset, wanted);
  for (const part of document.querySelectorAll("article[data-machine]")) {
    part.hidden = !wanted.machines.has(part.dataset.machine);
  }
  const count = points.filter((one) => isShown(one, wanted)).length;
  document.getElementById("count").textContent = `${count} of ${points.length} programs are shown`;
}

/* Plots are drawn when they come near the screen, and again where what is shown has changed since. */
const stale = new Set(Object.keys(plots));
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) renew(entry.target.id);
}, { rootMargin: "600px" });

/* One after the other, so that what was chosen last is what stays. */
let queue = Promise.resolve();

function renew(name) {
  const turn = queue.then(async () => {
    if (stale.delete(name)) await draw(name, chosen());
  });
  queue = turn.catch(() => {});
  return turn;
}

function changed() {
  const wanted = chosen();
  filterRows(wanted);
  for (const [name, plot] of Object.entries(plots)) {
    if (plot.ids) {
      stale.add(name);
      near.unobserve(document.getElementById(name));
    }
    near.observe(document.getElementById(name));
  }
}

async function drawAll() {
  for (const name of [...stale]) await renew(name);
}
window.drawAll = drawAll;

/* On paper nothing can be unfolded: the tables and claims of studies are, those of single programs are left out. */
let folded = [];

function unfoldStudies() {
  folded = [...document.querySelectorAll("#papers details:not([open])")];
  for (const part of folded) part.open = true;
}
window.addEventListener("beforeprint", () => { unfoldStudies(); drawAll(); });
window.addEventListener("afterprint", () => { for (const part of folded) part.open = false; });

/* -- the command and code of a point ------------------------------------------------------------------ */

const panel = document.getElementById("panel");
let before = null;

function show(id) {
  const one = points[id];
  before = document.activeElement;
  document.getElementById("panel-title").textContent = `${one.cipher}, ${one.operation}, key of ${one.key} bits, ${one.machine}`;
  const shown = { throughput: `${one.throughput ?? "-"} ${one.unit}`, schedule: one.schedule, timing: one.timing,
    verified: one.verified, taken: one.taken, spread: `${Math.round(100 * one.spread)} %` };
  const list = panel.querySelector("dl");
  list.replaceChildren(...Object.entries(shown).flatMap(([name, text]) => {
    const term = document.createElement("dt"), about = document.createElement("dd");
    term.textContent = name;
    about.textContent = text;
    return [term, about];
  }));
  document.getElementById("command").textContent = one.command;
  document.getElementById("source").href = `#code-${one.cipher}`;
  panel.hidden = false;
  document.getElementById("copy").focus();
}

function close() {
  panel.hidden = true;
  if (before) before.focus();
}

async function copy() {
  const command = document.getElementById("command");
  const range = document.createRange();
  range.selectNodeContents(command);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  try {
    await navigator.clipboard.writeText(command.textContent);
  } catch {
    document.execCommand("copy"); // a page from the disk has no clipboard
  }
}

/* A link to what is folded unfolds it. */
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  if (target) target.scrollIntoView();
}

/* A heading sorts its table: by numbers where there are any. */
function sort(head) {
  const body = head.closest("table").tBodies[0];
  const place = head.cellIndex, falls = head.ariaSort === "ascending";
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.ariaSort = falls ? "descending" : "ascending";
  const key = (row) => row.cells[place]?.dataset.v ?? row.cells[place]?.textContent ?? "";
  const rows = [...body.rows].sort((a, b) => {
    const [one, other] = [key(a), key(b)];
    const order = one !== "" && other !== "" && !isNaN(one) && !isNaN(other) ? one - other : one.localeCompare(other);
    return falls ? -order : order;
  });
  body.append(...rows);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.id !== undefined) show(Number(button.dataset.id));
  if (button?.dataset.all !== undefined) {
    for (const box of button.closest("fieldset").querySelectorAll("input")) box.checked = button.dataset.all === "1";
    changed();
  }
  const head = event.target.closest("th");
  if (head) sort(head);
});
for (const head of document.querySelectorAll("th")) {
  head.tabIndex = 0;
  head.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      sort(head);
    }
  });
}
document.getElementById("close").addEventListener("click", close);
document.getElementById("source").addEventListener("click", () => { panel.hidden = true; });
document.getElementById("copy").addEventListener("click", copy);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = getComputedStyle(root).colorScheme === "dark";
  root.dataset.theme = dark ? "light" : "dark";
});
form.addEventListener("change", changed);
form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", unfold);
changed();
unfold();
if (location.hash === "#print") { unfoldStudies(); drawAll(); }
document.documentElement.dataset.ready = "1";
