"""The stages of a build, one file each; `suites/build.py` has their order."""
