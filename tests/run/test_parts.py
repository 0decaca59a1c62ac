"""Every word is in one part, in its order, and no part is much larger than it should be."""

from hypothesis import given
from hypothesis import strategies as st

from wsd.run.files import SENTENCES, in_parts


@given(st.lists(st.integers(1, 3 * SENTENCES), min_size=1, max_size=50))
def test_every_word_is_in_one_part(sizes: list[int]) -> None:
    sentences = {f"w{i}": n for i, n in enumerate(sizes)}
    parts = in_parts(list(sentences), sentences)
    assert [word for part in parts for word in part] == list(sentences)
    for part in parts:
        assert part and sum(sentences[word] for word in part[:-1]) < SENTENCES
    assert len(parts) <= 1 + sum(sizes) // SENTENCES
