from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from warmroute.measure.report.markup import join, name, shortened, tag, visible


class Parsed(HTMLParser):
    def __init__(self, markup):
        super().__init__()
        self.text, self.tags = "", []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


@given(st.text())
def test_text_comes_back_from_markup_as_it_was_but_for_what_nobody_sees(text):
    found = Parsed(tag("p", text, title=text))

    assert found.tags == [("p", {"title": visible(text)})]
    assert found.text.replace("\N{NO-BREAK SPACE}", " ") == visible(text).replace("\N{NO-BREAK SPACE}", " ")


@given(st.text(), st.integers(8, 40))
def test_a_shortened_name_has_a_bounded_length_its_begin_and_its_end(text, most):
    found = shortened(text, most)

    assert len(found) <= most
    if len(text) > most:
        assert found.startswith(visible(text)[: most // 2])
        assert found.endswith(visible(text)[-(most // 2 - 1) :])
    else:
        assert found == visible(text)


def test_a_name_keeps_its_direction_to_itself():
    assert name("\u05d0\u05d1 <b>") == "<bdi>\u05d0\u05d1 &lt;b&gt;</bdi>"
    assert name("a\u202eb") == "<bdi>a\N{REPLACEMENT CHARACTER}b</bdi>"


def test_a_number_and_its_unit_stay_on_one_line():
    assert join("5 % in 3 ms, 2 points") == "5\N{NO-BREAK SPACE}% in 3\N{NO-BREAK SPACE}ms, 2\N{NO-BREAK SPACE}points"


def test_what_is_nothing_is_left_out():
    assert tag("p", None, "a", id=None) == "<p>a</p>"
