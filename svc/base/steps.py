"""The steps of a production in their order: names, and the labels that partners
see as ``currentStep``.
"""

STEPS = (
    ("script", "Script written"),
    ("narration", "Narration recorded"),
    ("video", "Video rendered"),
    ("captions", "Captions and transcript written"),
    ("description", "Audio description recorded"),
    ("checks", "Quality gates passed"),
    ("certificate", "Compliance certificate issued"),
)
SPEAKING_STEPS = ("narration", "description")  # those that need a voice
