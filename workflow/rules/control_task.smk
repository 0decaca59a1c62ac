# In:  the vectors of all words; the folds.
# Out: <model>/control/ and control-search/, predictions of the control task and their tables of
#      cross-validation: a file per layer and classifier.

classify_controls(
    "control_task",
    CONFIG.models,
    CONFIG.classify[:1],
    STUDY_FILES["control_task"]["predictions"],
    STUDY_FILES["control_task"]["searches"],
    "control-task",
)
