"""The steps of a production: their names in the order of work, and the labels that a partner reads as ``currentStep``."""

STEPS = (
    ("script", "Script written"),
    ("narration", "Narration recorded"),
    ("video", "Video rendered"),
    ("captions", "Captions and transcript written"),
    ("description", "Audio description recorded"),
    ("checks", "Quality gates passed"),
    ("certificate", "Compliance certificate issued"),
)
