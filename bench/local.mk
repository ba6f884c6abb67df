EXTRA_DIST += bench/start.py
