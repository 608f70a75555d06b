"""Brief in, files out: the media engine, usable without the rest of the service.

``steps`` has the seven steps, and ``model`` what they hand on: brief, script, scenes, timeline.

- The script: ``script`` reads the brief's Markdown and divides it into scenes, of which
  ``agendas`` finds some, and ``review`` applies what people change. ``text`` and ``maths`` write
  and speak words, figures and formulas; ``pictures`` and ``meaning`` choose illustrations.
- The narration: ``speech`` speaks it, ``music`` plays beneath it, ``captions`` divides it into
  cues.
- The video: ``video`` makes a storyboard of its frames and encodes them. ``slides`` draws what a
  scene says, a module for each kind; ``drawing`` what is around it, from the canvas to the
  captions; ``figure`` the presenter, ``maps`` countries, ``brand`` and ``clips`` what the account
  has of its own; ``motion`` moves it all.
- The rest: ``checks`` has the quality gates, ``proof`` the certificate, ``social`` the text
  beside the video.
"""
