"""Every line of docs/reference/faults.md has tests that exist."""

import re

from checkout import REPOSITORY

# By the start of a line: files in tests/ and the tests that show the outcome.
TESTS = {
    "SIGKILL": [
        "workflow/test_crash.py::test_a_killed_run_ends_like_an_undisturbed_run",
        "workflow/test_survival.py::test_after_a_signal_the_same_command_continues",
    ],
    "a second run": [
        "workflow/test_survival.py::test_a_second_run_is_refused_and_the_first_is_not_disturbed"
    ],
    "other settings": [
        "workflow/test_workflow.py::test_fewer_words_leave_no_page_behind",
        "workflow/test_workflow.py::test_a_new_key_adds_only_its_jobs",
    ],
    "results copied": ["workflow/test_every_kind.py::test_a_copy_of_the_checkout_is_up_to_date"],
    "extraction fails": [
        "encoder/test_word_extraction.py::test_killed_in_the_middle_and_two_at_once_after_it",
    ],
    "a file emptied": [
        "storage/test_checksums.py::test_damage_is_found",
        "workflow/test_every_kind.py::test_one_run_repairs_everything",
    ],
    "a flipped bit": [
        "encoder/test_embed.py::test_a_flipped_bit_is_found_in_the_layer_that_is_read"
    ],
    "an input replaced": [
        "workflow/test_every_kind.py::test_an_input_replaced_by_an_older_file_is_noticed"
    ],
    "a damaged download": ["run/test_check.py::test_a_damaged_file_of_the_download_is_ignored"],
    "a damaged model file": ["encoder/test_hub.py::test_from_the_hub_then_from_the_cache"],
    "full disk": [
        "workflow/test_survival.py::test_a_full_disk_is_one_error_and_a_rerun_with_space_succeeds",
        "storage/test_atomic.py::test_a_disk_error_names_the_file_and_leaves_the_old_one",
    ],
    "a job fails": [
        "workflow/test_survival.py::test_a_failing_job_shows_the_end_of_its_log_at_once",
        "workflow/test_survival.py::test_a_killed_job_is_reported_and_changes_no_result",
    ],
    "code or an input": [
        "run/test_guard.py::test_a_job_refuses_inputs_that_changed_since_the_run_began"
    ],
    "`wsd clean`": ["run/test_clean.py::test_beside_a_damaged_map_nothing_is_deleted"],
    "SLURM": ["slurm/test_slurm.py::test_a_job_over_its_memory_is_killed_and_passes_with_more"],
    "a malformed line": [
        "corpora/test_text_format.py::test_a_malformed_line_is_named",
        "fuzz/test_fuzz.py::test_a_short_run",
    ],
    "wrong positions": [
        "corpora/test_focal_form_check.py::test_a_corpus_of_other_words_is_refused"
    ],
    "too few sentences": ["workflow/test_workflow.py::test_a_corpus_too_small_to_fold"],
    "weights that are NaN": [
        "encoder/test_encoder.py::test_a_vector_that_is_not_finite_names_the_instance"
    ],
    "pickled weights": [
        "fuzz/test_model_folders.py::test_a_damaged_folder_is_refused",
    ],
    "an archive": ["corpora/test_download.py::test_an_archive_of_another_kind_has_limits"],
    "HTML": [
        "report/test_render.py::test_hostile_text_stays_text",
        "storage/test_csv.py::test_formula_cells_are_guarded_and_others_stay",
        "workflow/test_hostile.py::test_a_label_in_a_corpus_cannot_steer_a_terminal",
    ],
    "words such as": ["storage/test_file_names.py::test_hostile_words_make_safe_names"],
    "a damaged or unknown": ["fitted/test_wsd_file.py::test_files_that_are_no_model_are_refused"],
    "an output": [
        "run/test_guard.py::test_an_input_is_not_overwritten",
        "run/test_guard.py::test_nothing_is_put_into_a_store_by_hand",
    ],
}


def test_every_line_has_tests_that_exist() -> None:
    text = (REPOSITORY / "docs/reference/faults.md").read_text(encoding="utf-8")
    rows = re.findall(r"^- (.+)$", text[text.index("## What happens") :], re.MULTILINE)
    found = [[start for start in TESTS if row.startswith(start)] for row in rows]
    assert all(len(starts) == 1 for starts in found), found
    assert {start for (start,) in found} == TESTS.keys() and len(rows) == len(TESTS)
    for test in (test for tests in TESTS.values() for test in tests):
        file, name = test.split("::")
        source = (REPOSITORY / "tests" / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {name}\(", source, re.MULTILINE), test
