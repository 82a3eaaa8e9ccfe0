"""ConstraintSuite: does a retrieval system do what it was asked?"""

__version__ = "0.1.0"
