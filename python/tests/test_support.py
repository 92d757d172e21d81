"""docs/support.md says what happens: every cell's kernel again, a row a test."""

import pytest
import support_matrix

TABLES = support_matrix.tables()
ROWS = [(title, row) for title, (_, rows) in TABLES.items() for row in rows]


@pytest.fixture(scope="module")
def cells():
    return support_matrix.read(support_matrix.PAGE.read_text())


@pytest.mark.parametrize(("title", "row"), ROWS, ids=lambda part: part.replace(" ", "-"))
def test_row(cells, title, row):
    types, rows = TABLES[title]
    for dtype in types:
        said = support_matrix.cell(rows[row](dtype))
        assert not any("WRONG" in text for text in said), said
        assert cells[title, row, dtype] == said, (
            f"docs/support.md is stale at {title}, {row}, {dtype}: python python/tests/support_matrix.py writes it anew")


def test_the_page_has_every_cell_and_no_other(cells):
    assert set(cells) == {(title, row, dtype) for title, row in ROWS for dtype in TABLES[title][0]}


def test_the_page_is_as_it_is_written(cells):
    assert support_matrix.page(cells) == support_matrix.PAGE.read_text()


def test_an_outcome_that_changed_is_seen(cells):
    changed = dict(cells)
    changed["Element-wise", "add", "float32"] = ("no", "a reason")
    again = support_matrix.read(support_matrix.page(changed))
    assert again["Element-wise", "add", "float32"] == ("no", "a reason")
    assert again != cells
