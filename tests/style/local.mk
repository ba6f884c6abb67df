# The house rules, executed; none of these needs anything built.
TESTS += tests/style/includes.py tests/style/text.py tests/style/waits.py
EXTRA_DIST += tests/style/includes.py tests/style/text.py tests/style/waits.py tests/style/style.py
