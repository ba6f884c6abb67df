# A domain a feature, each of them defined and started by tests/e2e/examples.py.
dist_doc_DATA = src/rpc/domus.x README.md ARCHITECTURE.md HACKING.md NEWS.md
examplesdir = $(docdir)/examples
dist_examples_SCRIPTS = examples/tree.py examples/ci.sh examples/ci_program.py
dist_examples_DATA = examples/three-disks.xml examples/minimal.xml examples/disk-formats.xml examples/network-user.xml \
    examples/serial-console.xml examples/vnc.xml examples/windows-guest.xml examples/memory-cells.xml \
    examples/pinned-threads.xml examples/machine-identity.xml
EXTRA_DIST += examples/demo.sh examples/qmp-client.py examples/ci/github.yml examples/ci/gitlab.yml
EXTRA_DIST += dev CONTRIBUTING.md SECURITY.md LICENSE autogen.sh .ci/run .clang-format
