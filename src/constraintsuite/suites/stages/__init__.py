"""The stages of a build, one file each, in the order of `build.build.STAGES`."""
