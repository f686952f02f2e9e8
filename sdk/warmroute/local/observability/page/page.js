"use strict";
// Asks for the state once a second and shows it. Without "Count from now" every figure is one of the state's own.
const EVERY_MILLISECONDS = 1000;
const KEPT = 120;
const NONE = "–";
const by = id => document.getElementById(id);
const shown = new Map();
let latest = null, baseline = null, paused = false;

const whole = value => value == null ? NONE : value.toLocaleString("en-US");
const percent = value => value == null ? NONE : (100 * value).toFixed(1) + " %";
const seconds = value => value == null ? NONE
  : value < 1 ? Math.round(1000 * value) + " ms" : value.toFixed(2) + " s";
const ratio = (part, all) => part == null || !all ? null : part / all;
const sum = values => Object.values(values).reduce((all, value) => all + value, 0);

const COUNTED = ["requests", "overflow_requests", "displaced_requests", "queried_tokens", "hit_tokens"];

function figures(now, before) {
  const of = {...now, failed: sum(now.failures)};
  if (!before) return of;
  for (const name of COUNTED) if (now[name] != null) of[name] = now[name] - (before[name] || 0);
  of.failed -= sum(before.failures);
  of.overflow_share = ratio(of.overflow_requests, of.requests);
  of.hit_rate = ratio(of.hit_tokens, of.queried_tokens);
  return of;
}

function put(element, text, kind = "") {
  if (element.textContent !== text) element.textContent = text;
  if (element.className !== kind && element.dataset.figure) element.className = kind;
}

const at = (root, name) => root.querySelector(`[data-figure="${name}"]`);
const endpointKey = endpoint => [endpoint.account, endpoint.region, endpoint.name].join("/");
const fleetKey = (endpoint, fleet) => [endpointKey(endpoint), fleet.variant, fleet.component || ""].join("/");

function made(key, parent, make) {
  let node = shown.get(key);
  if (!node) {
    node = make();
    parent.append(node);
    shown.set(key, node);
  }
  node.seen = true;
  return node;
}

const fromTemplate = id => () => by(id).content.firstElementChild.cloneNode(true);

function line(path, values) {
  const known = values.filter(value => value != null);
  const top = Math.max(...known, 1e-9);
  let drawing = false, d = "";
  values.forEach((value, index) => {
    if (value == null) { drawing = false; return; }
    const x = 120 * (KEPT - values.length + index) / (KEPT - 1), y = 26 - 24 * value / top;
    d += `${drawing ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    drawing = true;
  });
  path.setAttribute("d", d);
}

function routing(fleet) {
  const {routing_strategy: strategy, prefix_length: length, concurrency_threshold: threshold} = fleet.routing;
  const parts = [strategy];
  if (length) parts.push(`prefix ${whole(length)}`, `threshold ${whole(threshold)}`);
  if (fleet.instance_type) parts.push(fleet.instance_type);
  if (fleet.adapters.length) parts.push(`adapters ${fleet.adapters.join(", ")}`);
  return parts.join(" · ");
}

function showTimes(root, of) {
  put(at(root, "ttft_p50"), seconds(of.recent_ttft.p50_seconds));
  put(at(root, "ttft_p90"), seconds(of.recent_ttft.p90_seconds));
}

function showInstance(row, instance, before, fleet, requests, widest) {
  const of = figures(instance, before), threshold = fleet.routing.concurrency_threshold;
  const share = ratio(of.requests, requests), even = 1 / fleet.instances.length;
  put(row.querySelector(".name"), instance.id);
  put(row.querySelector(".status"), instance.status === "InService" ? "" : instance.status);
  put(at(row, "share"), percent(share));
  put(at(row, "requests"), whole(of.requests));
  row.querySelector(".bar i").style.width = `${100 * (share || 0) / widest}%`;
  row.querySelector(".bar b").style.left = `${100 * even / widest}%`;
  put(at(row, "in_flight"), threshold ? `${of.in_flight} / ${threshold}` : whole(of.in_flight),
    threshold && of.in_flight >= threshold ? "over" : "");
  put(at(row, "hit_rate"), percent(of.hit_rate));
  put(at(row, "overflow_requests"), whole(of.overflow_requests));
  put(at(row, "displaced_requests"), whole(of.displaced_requests));
  put(at(row, "failures"), whole(of.failed), of.failed ? "failed" : "");
  showTimes(row, of);
}

function showFleet(endpoint, fleet, parent, elapsed) {
  const key = fleetKey(endpoint, fleet), node = made(key, parent, fromTemplate("fleet"));
  const before = baseline && baseline.fleets.get(key), of = figures(fleet, before && before.fleet);
  put(node.querySelector("h3"), fleet.component ? `${fleet.component} on ${fleet.variant}` : fleet.variant);
  put(node.querySelector(".routing"), routing(fleet));
  const count = fleet.instances.length, [one, more] = fleet.component ? ["copy", "copies"] : ["instance", "instances"];
  put(node.querySelector("caption"), `${whole(count)} ${count === 1 ? one : more}`
    + (count > 1 ? "; the mark on each bar is an even share" : ""));
  const history = node.history || (node.history = {requests: [], rate: [], hits: [], overflow: [], ttft: []});
  const last = node.last, step = name => last ? Math.max(0, fleet[name] - last[name]) : 0;
  const rate = elapsed ? step("requests") / elapsed : null;
  const add = (name, value) => { history[name].push(value); if (history[name].length > KEPT) history[name].shift(); };
  add("rate", rate);
  add("hits", ratio(step("hit_tokens"), step("queried_tokens")));
  add("overflow", ratio(step("overflow_requests"), step("requests")));
  add("ttft", fleet.recent_ttft.p50_seconds);
  node.last = fleet;
  put(at(node, "requests"), whole(of.requests));
  put(at(node, "rate"), rate == null ? "" : `${rate.toFixed(1)} a second`, "beside");
  put(at(node, "hit_rate"), percent(of.hit_rate));
  put(at(node, "hit_tokens"), of.hit_tokens == null ? "not told by the engine"
    : `${whole(of.hit_tokens)} of ${whole(of.queried_tokens)} tokens`, "beside");
  put(at(node, "overflow_share"), percent(of.overflow_share));
  put(at(node, "overflow_requests"), `${whole(of.overflow_requests)} requests`, "beside");
  showTimes(node.querySelector(".tiles"), of);
  node.querySelectorAll("svg path").forEach(
    (path, index) => line(path, history[["rate", "hits", "overflow", "ttft"][index]]));
  const earlier = instance => before && before.instances.get(instance.id);
  const shares = fleet.instances.map(each => ratio(figures(each, earlier(each)).requests, of.requests) || 0);
  const widest = Math.min(1, Math.max(2 / fleet.instances.length, ...shares));
  for (const instance of fleet.instances) {
    const row = made(`${key}/${instance.id}`, node.querySelector("tbody"), fromTemplate("instance"));
    row.dataset.instance = instance.id;
    showInstance(row, instance, earlier(instance), fleet, of.requests, widest);
  }
}

function show(state) {
  const elapsed = latest ? (Date.parse(state.time) - Date.parse(latest.time)) / 1000 : 0;
  for (const node of shown.values()) node.seen = false;
  for (const endpoint of state.endpoints) {
    const node = made(endpointKey(endpoint), by("endpoints"), () => {
      const section = document.createElement("section");
      section.innerHTML = "<h2><span></span> <small></small></h2>";
      return section;
    });
    put(node.querySelector("h2 span"), endpoint.name);
    put(node.querySelector("h2 small"), `${endpoint.status} · ${endpoint.region} · ${endpoint.endpoint_config}`);
    for (const fleet of endpoint.fleets) showFleet(endpoint, fleet, node, elapsed);
  }
  for (const [key, node] of shown) if (!node.seen) { node.remove(); shown.delete(key); }
  by("nothing").hidden = state.endpoints.length > 0;
  const refused = sum(state.refused) - (baseline ? sum(baseline.state.refused) : 0);
  put(by("refused"), refused ? `${whole(refused)} requests were refused before an instance was chosen.` : "");
  latest = state;
}

function connection(state, text) {
  const node = by("connection");
  node.dataset.state = state;
  put(node, text);
}

async function look() {
  if (!paused && !document.hidden) {
    try {
      const answer = await fetch("state", {cache: "no-store"});
      if (!answer.ok) throw new Error(answer.statusText);
      show(await answer.json());
      connection("live", "Live");
    } catch (error) {
      connection("lost", "No answer; is it still running?");
    }
  }
  setTimeout(look, EVERY_MILLISECONDS);
}

by("pause").addEventListener("click", () => {
  paused = !paused;
  by("pause").setAttribute("aria-pressed", String(paused));
  connection(paused ? "waiting" : "live", paused ? "Paused" : "Live");
});

by("from-now").addEventListener("click", () => {
  if (!latest) return;
  const fleets = latest.endpoints.flatMap(endpoint => endpoint.fleets.map(fleet => [fleetKey(endpoint, fleet),
    {fleet, instances: new Map(fleet.instances.map(instance => [instance.id, instance]))}]));
  baseline = {state: latest, fleets: new Map(fleets)};
  put(by("basis"), `Counted since ${new Date(latest.time).toLocaleTimeString()}.`);
  show(latest);
});

look();
