"""The places of nodes."""

import numpy as np

from mcp_graphrag.drawing.layout import lay_out

STAR = [[0, leaf] for leaf in range(1, 12)]


def test_a_picture_is_the_same_again_and_no_two_nodes_are_in_one_place() -> None:
    links = [*STAR, [12, 13], [13, 13]]  # two parts, a link to itself, and a node alone
    places = lay_out(15, links)
    assert np.array_equal(places, lay_out(15, links))
    apart = np.hypot(*(places[:, None] - places).T) + 1000 * np.eye(15)
    assert apart.min() > 20
    assert lay_out(0, []).shape == (0, 2)


def test_what_has_a_place_keeps_it_and_new_nodes_come_near_what_they_are_linked_to() -> None:
    placed = [[0.0, 0.0], [5000.0, 0.0], None]
    places = lay_out(3, [[1, 2]], placed)
    assert places[:2].tolist() == placed[:2]
    assert np.hypot(*(places[2] - places[1])) < 500


def test_new_parts_of_a_picture_stand_below_what_has_a_place_and_not_far_from_it() -> None:
    links = [*STAR, *([12 + each, 13 + each] for each in range(0, 60, 2))]
    before = lay_out(12, STAR)
    places = lay_out(72, links, [tuple(map(float, each)) for each in before] + [None] * 60)
    assert np.array_equal(places[:12], before)
    assert places[12:, 1].min() > before[:, 1].max()
    assert np.ptp(places, axis=0).max() < 3000
