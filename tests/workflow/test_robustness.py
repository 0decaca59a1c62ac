"""Every line of docs/reference/faults.md has tests that exist."""

import re

from checkout import REPOSITORY

# The start of a line, and a test that shows the outcome.
TESTS = """
SIGKILL: test_a_killed_run_ends_like_an_undisturbed_run
SIGKILL: test_after_a_signal_the_same_command_continues
a second run: test_a_second_run_is_refused_and_the_first_is_not_disturbed
other settings: test_fewer_words_leave_no_page_behind
other settings: test_a_new_key_adds_only_its_jobs
results copied: test_a_copy_of_the_checkout_is_up_to_date
extraction fails: test_killed_in_the_middle_and_two_at_once_after_it
a file emptied: test_damage_is_found
a file emptied: test_one_run_repairs_everything
a flipped bit: test_a_flipped_bit_is_found_in_the_layer_that_is_read
an input replaced: test_an_input_replaced_by_an_older_file_is_noticed
a damaged download: test_a_damaged_file_of_the_download_is_ignored
a damaged model file: test_from_the_hub_then_from_the_cache
full disk: test_a_full_disk_is_one_error_and_a_rerun_with_space_succeeds
full disk: test_a_disk_error_names_the_file_and_leaves_the_old_one
a job fails: test_a_failing_job_shows_the_end_of_its_log_at_once
a job fails: test_a_killed_job_is_reported_and_changes_no_result
code or an input: test_a_job_refuses_inputs_that_changed_since_the_run_began
`wsd clean`: test_beside_a_damaged_map_nothing_is_deleted
SLURM: test_a_job_over_its_memory_is_killed_and_passes_with_more
a malformed line: test_a_malformed_line_is_named
a malformed line: test_a_short_run
wrong positions: test_a_corpus_of_other_words_is_refused
too few sentences: test_a_corpus_too_small_to_fold
weights that are NaN: test_a_vector_that_is_not_finite_names_the_instance
pickled weights: test_a_damaged_folder_is_refused
an archive: test_an_archive_of_another_kind_has_limits
HTML: test_hostile_text_stays_text
HTML: test_formula_cells_are_guarded_and_others_stay
HTML: test_a_label_in_a_corpus_cannot_steer_a_terminal
words such as: test_hostile_words_make_safe_names
a damaged or unknown: test_files_that_are_no_model_are_refused
an output: test_an_input_is_not_overwritten
an output: test_nothing_is_put_into_a_store_by_hand
"""


def test_every_line_has_tests_that_exist() -> None:
    text = (REPOSITORY / "docs/reference/faults.md").read_text(encoding="utf-8")
    lines = re.findall(r"^- (.+)$", text[text.index("## What happens") :], re.MULTILINE)
    tests = [line.split(": ") for line in TESTS.strip().splitlines()]
    starts = {start for start, _ in tests}
    found = [[start for start in starts if line.startswith(start)] for line in lines]
    assert len(lines) == len(starts)
    assert sorted(found) == [[start] for start in sorted(starts)]
    sources = [path.read_text("utf-8") for path in (REPOSITORY / "tests").rglob("test_*.py")]
    existing = {name for source in sources for name in re.findall(r"^def (\w+)", source, re.M)}
    assert {name for _, name in tests} <= existing
