# The house rules, executed; none of these needs anything built.
TESTS += tests/style/includes.py tests/style/text.py
EXTRA_DIST += tests/style/includes.py tests/style/text.py tests/style/style.py
