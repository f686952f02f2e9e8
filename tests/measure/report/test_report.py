"""The report of a comparison that is over: what it says, and that nothing can spoil it."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from math import inf, isnan, nan

import jsonschema
import pytest
from measure.report.comparisons import LAGGED, Telemetry, comparison, recorded
from measure.runs import a_run, replayed

import warmroute.measure.report as room
from warmroute.cli import main
from warmroute.errors import MissingExtraError, WarmrouteError
from warmroute.measure.criteria import Criteria
from warmroute.measure.report import render_report, report_schema, write_report
from warmroute.measure.report.build import build
from warmroute.measure.report.document import Report
from warmroute.measure.report.tally import RunTally
from warmroute.measure.run import Run

FIGURES = {"forest-1", "distribution", "shares", "hit-rate", "course", "order"}
ARMS, DUMB = ("random", "prefix"), {"told": False}
VOID = {"meta", "link", "br"}
HOSTILE = '</script><img src=x onerror="alert(1)">&\'"$x$<!--'


class Page(HTMLParser):
    """What a browser would make of a page, as far as tests ask."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.ids, self.open, self.heads = [], [], [], [], []
        self.tables, self.figure_marks, self._figure = {}, {}, ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append((tag, found))
        self.ids += [found["id"]] if "id" in found else []
        if tag not in VOID:
            self.open.append(tag)
        if tag == "figure":
            self._figure = found["id"]
        if tag in {"path", "use"} and "figure" in self.open:
            self.figure_marks[self._figure] = self.figure_marks.get(self._figure, 0) + 1
        if re.fullmatch("h[1-6]", tag):
            self.heads.append(int(tag[1]))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).replace("\N{NO-BREAK SPACE}", " ").split())


def written(folder, made):
    found = write_report(folder, made)
    text = found.page.read_text(encoding="utf-8")
    document = json.loads(found.document.read_text(encoding="utf-8"))
    jsonschema.validate(document, report_schema(), jsonschema.Draft202012Validator)
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert len(text) < 1_000_000
    return page, Report.model_validate(document), text


def documented(made):
    """The document alone, without the time that drawing takes."""
    return build(made, {run.key: RunTally.of(run) for run in made.runs})


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """Two candidates, one of them with cache hits, failures and an invalid run."""
    folder = tmp_path_factory.mktemp("usual")
    made = comparison(
        folder,
        {"random": 1.0, "prefix": 0.6, "lor": 1.0},
        options={
            "random": {"segments": ("chat", "search")},
            "prefix": {"cached": 0.78, "segments": ("chat", "search")},
            "lor": {"failing": 0.002, "segments": ("chat", "search")},
        },
        invalid={("lor", 2)},
        criteria=Criteria(verdicts=2, guards={}),
        notes=("The trace was sent twice as fast.",),
    )
    return folder, made, *written(folder, made)


def test_the_verdict_comes_first_with_its_reasons(usual):
    _, made, page, report, _ = usual

    start = page.text.index("Do prefix and lor pay off against random?")
    adopt = page.text.index("Adopt prefix.")
    assert start < adopt < page.text.index("Whether to adopt lor is open") < page.text.index("Time to first token")
    assert report.verdicts[0].decision == "adopt"
    for verdict in made.verdicts:
        for reason in verdict.reasons:
            assert reason in page.text


def test_every_figure_is_drawn_twice_and_has_its_table_and_its_description(usual):
    *_, page, _, text = usual

    expected = FIGURES | {"forest-2", "segments-1", "segments-2"}
    assert {found["id"] for tag, found in page.tags if tag == "figure"} == expected
    for name in expected:
        assert page.figure_marks[name] > 10, name
        part = text[
            text.index(f'<figure id="{name}"') if f'<figure id="{name}"' in text else text.index(f'id="{name}"') :
        ]
        part = part[: part.index("</figure>")]
        assert part.count("<svg") == part.count("<title") == part.count("<desc") == 2
        assert part.count("<table>") == 1
        assert part.count("<tr>") > 2


def test_headings_are_in_order_and_parts_are_named(usual):
    page = usual[2]

    assert page.heads[0] == 1
    assert page.heads.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(page.heads, page.heads[1:], strict=False))
    for tag, found in page.tags:
        if tag == "a":
            assert found["href"].removeprefix("#") in page.ids
        if tag == "svg":
            assert set(found["aria-labelledby"].split()) <= set(page.ids)


def test_nothing_is_loaded_and_nothing_runs(usual):
    _, _, page, _, text = usual

    assert not {"script", "img", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in page.tags}
    for _, found in page.tags:
        assert not any(name.startswith("on") for name in found)
        for name in ("src", "href"):
            assert found.get(name, "#").startswith(("#", "data:,"))
    assert not re.search(r"url\((?!#)|@import|//", text)
    policy = next(found["content"] for tag, found in page.tags if "http-equiv" in found)
    assert policy.startswith("default-src 'none';")


def test_colours_are_those_of_the_page_in_either_scheme(usual):
    text = usual[4]
    body = text[text.index("<body") :]

    assert not re.search(r"#[0-9a-f]{6}\b", body)
    assert set(re.findall(r"var\(--([a-z0-9-]+)\)", body)) <= set(re.findall(r"--([a-z0-9-]+):", text))


def test_the_same_comparison_gives_the_same_bytes(usual, tmp_path, capsys, monkeypatch):
    """Also from the document alone, by the command."""
    folder, made, *_ = usual
    document = (folder / "report.json").read_bytes()
    (tmp_path / "report.json").write_bytes(document)
    monkeypatch.setattr(sys, "argv", ["warmroute", "report", str(tmp_path)])

    with pytest.raises(SystemExit) as ended:
        main()

    assert not ended.value.code
    assert capsys.readouterr().out == f"{tmp_path / 'report.html'}\n"
    assert (tmp_path / "report.html").read_bytes() == (folder / "report.html").read_bytes()
    assert documented(made).model_dump_json(indent=1).encode() + b"\n" == document


def test_figures_of_arms_are_those_of_their_requests(usual):
    report = usual[3]
    arms = {arm.name: arm for arm in report.arms}

    assert list(arms) == ["random", "prefix", "lor"]
    assert (arms["random"].runs, arms["lor"].runs) == (6, 5)
    assert arms["prefix"].requests == 6 * 400
    assert arms["prefix"].hit_rate_delivered.value == pytest.approx(0.78)
    assert arms["prefix"].overflow.value == pytest.approx(0.07, abs=0.02)
    assert isnan(arms["random"].overflow.value)
    assert sum(share.share for share in arms["prefix"].instances) == pytest.approx(1.0)
    assert arms["lor"].failed == sum(run.failed for run in report.runs if run.arm == "lor" and not run.problems)
    assert [point.failed for point in arms["lor"].timeline].count(0) < 48
    middle = min(arms["random"].ttft, key=lambda point: abs(point.probability - 0.5))
    assert middle.all_runs == pytest.approx(0.4, rel=0.1)
    assert middle.lowest_run <= middle.all_runs <= middle.highest_run
    assert arms["random"].bands[0].kind == "cold"
    assert arms["random"].bands[0].to_seconds == 20.0


def test_a_run_whose_partner_is_invalid_is_in_no_figure(tmp_path):
    made = comparison(tmp_path, {"random": 1.0, "prefix": 0.6}, aa=0, count=60, invalid={("random", 2), ("prefix", 4)})

    page, report, _ = written(tmp_path, made)

    assert [arm.runs for arm in report.arms] == [report.verdicts[0].pairs] * 2 == [4, 4]
    assert {(run.pair, run.arm) for run in report.runs if not run.compared} == {
        (pair, arm) for pair in (2, 4) for arm in ("random", "prefix")
    }
    assert page.text.count("left out with its pair") == 2


def test_shares_of_instances_are_those_of_a_fleet_where_variants_change_roles(tmp_path):
    made = comparison(tmp_path, {"random": 1.0, "prefix": 1.0}, aa=0, count=400, options={"prefix": {"instances": 4}})
    swapped = []
    for run in made.runs:
        fleet = ("blue", "green")[(run.arm == "prefix") ^ (run.pair > 2)]
        rows = [replace(row, instance=f"{fleet}-{row.instance}") for row in run.requests()]
        facts = run.facts() | {"fleet": fleet, "requests": tuple(rows)}
        swapped.append(recorded(tmp_path / "swapped", Run(**facts)))

    report = documented(replace(made, runs=tuple(swapped)))

    for arm in report.arms:
        assert len(arm.instances) == 8
        for fleet in ("blue", "green"):
            shares = [share.share for share in arm.instances if share.instance.startswith(fleet)]
            assert sum(shares) == pytest.approx(1.0)
        busiest = [run.figures["largest_instance_share"] for run in report.runs if run.arm == arm.name]
        assert arm.instances[0].share == pytest.approx(sum(busiest) / len(busiest), rel=0.1)


def test_simulated_engines_may_mislead_and_seen_ones_do_not(tmp_path):
    made = comparison(tmp_path, {"random": 1.0, "prefix": 0.6}, aa=0, count=40)

    def titles(engine):
        runs = tuple(replace(run, engine=engine) for run in made.runs)
        return [threat.title for threat in documented(replace(made, runs=runs)).threats]

    assert titles("simulated by warmroute 0.1.0")[0] == "Engines were simulated"
    assert "Engines were simulated" not in titles("vLLM 0.30.0")

    page, _, _ = written(tmp_path, replace(made, runs=tuple(replace(run, engine="simulated") for run in made.runs)))
    assert "prefix against random, 6 pairs of runs on simulated engines" in page.text


def test_figures_that_too_few_cold_requests_tell_are_named_once(tmp_path):
    page, _, _ = written(tmp_path, comparison(tmp_path, {"random": 1.0, "prefix": 0.6}, aa=0, count=200))

    cold = page.text[page.text.index("While caches are cold") :]
    assert re.search(r"Not known, of so few requests as a rule: [^.]*P99 TTFT", cold)


def test_spans_in_which_instances_come_or_go_are_shown_and_told_apart(tmp_path):
    found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, scaling={("prefix", 1), ("prefix", 3)})

    files = write_report(tmp_path, found)
    report = Report.model_validate_json(files.document.read_bytes())
    page = Page(files.page.read_text("utf-8"))

    random, prefix = report.arms
    assert [(span.kind, span.runs, span.requests) for span in random.spans] == [
        ("cold", 6, 6 * 40),
        ("steady", 6, 6 * 360),
    ]
    assert [(span.kind, span.runs, span.requests) for span in prefix.spans] == [
        ("cold", 6, 6 * 40),
        ("scaling", 2, 2 * 80),
        ("steady", 6, 6 * 360 - 2 * 80),
    ]
    assert sum(span.seconds for span in prefix.spans) == pytest.approx(6 * 205)
    assert [(band.kind, band.from_seconds, band.to_seconds, band.reason) for band in prefix.bands] == [
        ("cold", 0.0, 20.0, ""),
        ("scaling", 80.0, 120.0, "4 to 5 instances"),
    ]
    assert "Pair 1, prefix: 4 to 5 instances, from 80 to 120 s, settling included." in page.text
    assert "compared, scaling apart: 4 to 5 instances" in page.text
    threats = {threat.title: threat.text for threat in report.threats}
    assert threats["Instances came or went"].startswith("Runs in which they did: prefix: 2.")
    assert threats["Arms had fleets of different sizes"].endswith("Pairs: 1, 3, 5.")
    scaling = next(window for window in report.verdicts[0].windows if window.kind == "scaling")
    assert scaling.figures[0].unmeasured


def test_a_program_finds_what_a_verdict_rests_on(usual):
    report = usual[3]
    primary = report.verdicts[0].primary

    assert primary.degrees_of_freedom == len(primary.by_pair) - 1
    assert primary.standard_error == pytest.approx(primary.standard_deviation / len(primary.by_pair) ** 0.5)
    assert primary.low < primary.effect < primary.high
    assert set(report.criteria.secondaries) < set(report.runs[0].figures)
    assert set(report.runs[0].in_windows) == {"cold"}
    assert set(report.runs[0].in_windows["cold"]) == set(report.runs[0].figures)
    for segment in report.verdicts[0].segments:
        assert {guard.compared.metric for guard in segment.guards} <= set(report.criteria.guards)
        assert segment.name in report.runs[-1].segments


def test_typical_runs_have_the_ratio_that_the_pairs_have(usual):
    report = usual[3]

    for verdict in report.verdicts:
        primary = verdict.primary
        assert primary.candidate / primary.baseline == pytest.approx(primary.effect)
        assert [pair.pair for pair in primary.by_pair] == sorted(pair.pair for pair in primary.by_pair)


def test_threats_are_told_from_the_runs(usual):
    _, _, page, report, _ = usual
    titles = {threat.title for threat in report.threats}

    assert {"Few pairs", "Pairs left out", "Requests failed", "One trace, one span of time"} <= titles
    assert f"Pair 2, lor: {LAGGED}" in page.text
    assert "The trace was sent twice as fast." in page.text
    assert "Machines and routing cannot be told apart" not in titles


def test_how_to_repeat_it_has_the_manifest_and_what_was_declared(usual):
    page = usual[2]

    assert '"seed": 7' in page.text
    assert "ab" * 32 in page.text
    assert "5 %, for 2 verdicts together" in page.text


@pytest.mark.parametrize("made", ["one pair", "all fail", "no pair", "no verdict", "not told", "unmeasured"])
def test_whatever_runs_there_are_the_report_is_complete(tmp_path, made):
    match made:
        case "one pair":
            found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=1, count=30, aa=0, windows=False)
            said = "The baseline was not run against itself (A/A)"
        case "all fail":
            options = {"random": {"failing": 1.1}, "prefix": {"failing": 1.1}}
            found = comparison(tmp_path, {"random": 1.0, "prefix": 1.0}, options=options, count=40, aa=0)
            said = "prefix: 240 of 240. They count as infinitely slow"
        case "no pair":
            invalid = {("random", 0), ("prefix", 1)}
            found = comparison(tmp_path, {"random": 1.0, "prefix": 1.0}, pairs=2, count=40, aa=0, invalid=invalid)
            said = "Valid pairs: 0; at least 5 are needed."
        case "no verdict":
            found = comparison(tmp_path, {"random": 1.0}, pairs=0, count=40)
            said = "Nothing was compared with random yet"
        case "not told":
            options = {"random": {"told": False}, "prefix": {"told": False}}
            found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, options=options, count=60, aa=2)
            said = "The endpoint does not tell which instance served a request."
        case _:
            found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=5, count=40, aa=0)
            rows = [replayed("prefix", 5, n, nan, instance=None, cached_tokens=None) for n in range(40)]
            other = [replayed("random", 5, n, 1.0) for n in range(40)]
            runs = [recorded(tmp_path, a_run(rows[0].arm, 5, requests=tuple(rows)))]
            runs += [recorded(tmp_path, a_run("random", 5, requests=tuple(other)))]
            found = replace(found, runs=found.runs + tuple(runs))
            said = "Time to first token"

    page, report, _ = written(tmp_path, found)

    assert said in page.text
    assert page.heads.count(2) == 8 + len(found.verdicts)
    assert not {"nan", "inf"} & set(re.findall(r"\w+", page.text))
    for verdict in report.verdicts:
        assert verdict.pairs == len(verdict.primary.by_pair) or verdict.primary.unmeasured


def test_many_instances_and_segments_fit(tmp_path):
    names = tuple(f"tenant {number}" for number in range(30))
    options = {arm: {"instances": 12, "segments": names} for arm in ("random", "prefix")}
    found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=5, count=600, aa=0, options=options)

    page, report, _ = written(tmp_path, found)

    assert len(report.verdicts[0].segments) == 30
    assert all(name in page.text for name in names)
    assert len(report.arms[0].instances) == 12


@pytest.mark.parametrize("name", [HOSTILE, "\u202egnp.exe\u200f\nbreak\x00\x1b[31m \ud800"])
def test_no_name_becomes_markup_or_breaks_a_figure(tmp_path, name):
    clean = name.encode("utf-8", "replace").decode()
    segments = (clean, "a" * 3_000, "漢字 \U0001f9d1", "'; --", "$a_b^c$", "chat", "\u05d0\u05d1 abc")
    options = {arm: {"segments": segments} for arm in ("random", "prefix")}
    found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=5, count=210, aa=0, options=options)
    verdict = replace(found.verdicts[0], candidate=name, adopt_for=(name,), left_out=(name,))
    runs = [
        replace(run, arm={"prefix": name}.get(run.arm, run.arm), endpoint_arn=name, fleet=name) for run in found.runs
    ]
    runs = tuple(replace(run, summary=replace(run.summary, arm=run.arm)) for run in runs)
    found = replace(found, verdicts=(verdict,), runs=runs, notes=(name,), manifest={clean: clean})

    page, report, text = written(tmp_path, found)

    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "img"})
    assert report.verdicts[0].candidate == clean
    assert not re.search("[\x00-\x09\x0b-\x1f\u202a-\u202e\u200e\u200f\ud800-\udfff]", text)
    assert max(len(found) for found in re.findall("<text[^>]*>([^<]*)", text)) < 60
    if name == HOSTILE:
        assert f"Does {HOSTILE} pay off against random?" in page.text


def test_no_prompt_is_in_any_file(usual):
    folder, *_ = usual

    for name in ("report.html", "report.json"):
        assert "prompt is here" not in (folder / name).read_text(encoding="utf-8")
    columns = set(re.findall(r'"(\w*(?:body|messages|content|prompt)\w*)"', json.dumps(report_schema())))
    assert columns <= {"Manifest"}


def test_what_telemetry_tells_is_shown(tmp_path):
    options = dict.fromkeys(ARMS, DUMB)
    found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=2, count=60, aa=0, options=options)
    values = {
        "hit_rate": {"ceiling": 0.9, "predicted": 0.81, "delivered": None},
        "overflow": {"at_least": 0.0, "at_most": 0.2, "basis": "bounded", "meaning": "Nobody counted them."},
        "instance_shares": {"i-a": 0.25, "i-b": 0.75},
        "queue_depth": [{"seconds": 0.0, "value": 3.0}, {"seconds": 1.0, "value": 5.0}],
        "kv_cache_usage": None,
        "ttft": {"count": 9, "mean_seconds": 0.2, "p50_seconds": 0.1, "p90_seconds": 0.3, "p99_seconds": None},
        "unavailable": {"hit_tokens": "No counter of hits.", "kv_cache_usage": "No gauge."},
    }
    found = replace(found, telemetry={run.key: Telemetry(values) for run in found.runs})

    page, report, _ = written(tmp_path, found)
    arm = report.arms[1]
    servers = {figure.label: figure.known for figure in arm.servers}

    assert arm.hit_rate_ceiling.value == pytest.approx(0.9)
    assert arm.hit_rate_predicted.value == pytest.approx(0.81)
    assert isnan(arm.hit_rate_delivered.value)
    assert arm.hit_rate_delivered.note.endswith("No counter of hits.")
    assert isnan(arm.overflow.value)
    assert arm.overflow.note == "Between 0.0 and 20.0 %, bounded from the outside. Nobody counted them."
    shares = [(share.instance, share.requests, share.share) for share in arm.instances]
    assert shares == [("i-b", None, 0.75), ("i-a", None, 0.25)]
    assert servers["Requests that wait in the engines, mean"].value == pytest.approx(4.0)
    assert servers["The same, at most"].value == pytest.approx(5.0)
    assert servers["P90 TTFT at the servers"].value == pytest.approx(0.3)
    assert servers["KV cache in use, the fullest instance at most"].note == "No gauge."
    assert "prefix: No gauge." in page.text
    assert report.runs[0].telemetry == values


def test_overflow_that_the_router_counted_is_a_figure(tmp_path):
    options = dict.fromkeys(ARMS, DUMB)
    found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=2, count=60, aa=0, options=options)
    counted = {"overflow": {"at_least": 0.1, "at_most": 0.1, "basis": "measured", "meaning": "All requests."}}
    found = replace(found, telemetry={run.key: Telemetry(counted) for run in found.runs})

    known = documented(found).arms[1].overflow

    assert (known.value, known.note) == (pytest.approx(0.1), "Counted by the router. All requests.")


def test_fleets_that_never_change_roles_are_a_threat(tmp_path):
    found = comparison(tmp_path, {"random": 1.0, "prefix": 0.7}, pairs=5, count=60, aa=0)
    runs = tuple(replace(run, fleet=run.arm, summary=replace(run.summary, fleet=run.arm)) for run in found.runs)

    titles = [threat.title for threat in documented(replace(found, runs=runs)).threats]

    assert titles[0] == "Machines and routing cannot be told apart"


def test_a_report_does_not_grow_with_the_number_of_requests(tmp_path):
    few, many = (
        documented(comparison(tmp_path / str(count), {"random": 1.0, "prefix": 0.7}, pairs=2, count=count, aa=0))
        for count in (300, 3_000)
    )

    for less, more in zip(few.arms, many.arms, strict=True):
        assert len(more.ttft) == len(less.ttft) == 49
        assert len(more.timeline) == len(less.timeline) == 48
    assert len(many.model_dump_json()) < 1.1 * len(few.model_dump_json())


def test_the_schema_that_ships_is_that_of_the_document():
    shipped = files(room).joinpath("report.schema.json").read_text(encoding="utf-8")

    assert shipped == json.dumps(report_schema(), indent=2) + "\n", "write report_schema() to report.schema.json"
    jsonschema.Draft202012Validator.check_schema(json.loads(shipped))


def test_infinite_and_unknown_numbers_survive_json(usual):
    report = usual[3]
    point = report.arms[0].ttft[0]
    for value in (inf, -inf, nan):
        text = point.model_copy(update={"all_runs": value}).model_dump_json()
        again = type(point).model_validate_json(text).all_runs
        assert again == value or (isnan(again) and isnan(value))


def test_a_folder_without_a_report_is_told(tmp_path, capsys):
    with pytest.raises(
        WarmrouteError, match=r"report.json: No such file or directory. Give the folder of a comparison."
    ):
        render_report(tmp_path)
    for text in ("{", "[]", '{"version": 2}'):
        (tmp_path / "report.json").write_text(text)
        with pytest.raises(WarmrouteError, match="not a report of version 1"):
            render_report(tmp_path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda report: report["criteria"].update(primary="speed"), "criteria.primary"),
        (lambda report: report["verdicts"][0]["primary"].update(metric="speed"), "verdicts.0.primary.metric"),
        (lambda report: report["arms"][1].update(servers=[]), "its parts do not fit together"),
    ],
)
def test_a_document_that_somebody_has_edited_is_told_in_one_line(usual, tmp_path, change, told):
    report = json.loads((usual[0] / "report.json").read_bytes())
    change(report)
    (tmp_path / "report.json").write_text(json.dumps(report), "utf-8")

    with pytest.raises(WarmrouteError) as error:
        render_report(tmp_path)

    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_that_cannot_be_written_is_told(usual, tmp_path):
    _, made, *_ = usual
    (tmp_path / "file").write_text("")

    with pytest.raises(WarmrouteError, match="Give a folder that can be written"):
        write_report(tmp_path / "file", made)


def test_without_matplotlib_the_extra_is_named_and_nothing_is_spoilt(usual, tmp_path, monkeypatch):
    folder, *_ = usual
    (tmp_path / "report.json").write_bytes((folder / "report.json").read_bytes())
    (tmp_path / "report.html").write_text("earlier")
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingExtraError, match=re.escape("warmroute[report]")):
        render_report(tmp_path)
    assert (tmp_path / "report.html").read_text() == "earlier"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.json"]


def test_without_matplotlib_the_document_is_written_all_the_same(usual, tmp_path, monkeypatch):
    folder, made, *_ = usual
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    with pytest.raises(MissingExtraError):
        write_report(tmp_path, made)
    assert (tmp_path / "report.json").read_bytes() == (folder / "report.json").read_bytes()
    assert not (tmp_path / "report.html").exists()
