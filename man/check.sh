#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual says what the programs say.  REGENERATE=1 rewrites the parts that programs print.
# shellcheck disable=SC2154  # abs_top_srcdir and abs_top_builddir come from tests/local.mk
set -u
man=$abs_top_srcdir/man
domusd=$abs_top_builddir/daemon/domusd domsh=$abs_top_builddir/shell/domsh
simvmm=$abs_top_builddir/simvmm/simvmm
n=0

# check SENTENCE COMMAND...: one test; what the command prints is shown if it fails.
check()
{
    local sentence=$1 said
    shift
    n=$((n + 1))
    if said=$("$@" 2>&1); then
        echo "ok $n - $sentence"
    else
        echo "not ok $n - $sentence"
        printf '%s\n' "$said" | sed 's/^/# /'
    fi
}

# The page with what `$@` prints between its marks.
filled()
{
    local page=$1
    shift
    sed '/^\.\\" begin$/q' "$page"
    "$@"
    sed -n '/^\.\\" end$/,$p' "$page"
}

holds()
{
    local page=$1
    [[ $("${@:2}") ]] || { echo "${*:2} prints nothing"; return 1; }
    if [[ ${REGENERATE:-} ]]; then
        filled "$@" >"$page.new" && mv "$page.new" "$page"
    fi
    diff <(filled "$@") "$page"
}

names_options()
{
    local page=$1 option missing=0
    shift
    [[ $("$@") ]] || { echo "$* prints nothing"; return 1; }
    for option in $("$@" | grep -oE -- '--[a-z-]+' | sort -u); do
        grep -qF -- "${option//-/\\-}" "$page" || { echo "$page does not name $option"; missing=1; }
    done
    return $missing
}

renders()
{
    local said
    said=$(groff -man -Tutf8 -ww "$1" 2>&1 >/dev/null)
    [[ -z $said ]] || { echo "$said"; return 1; }
}

check "domusd.conf(5) holds what domusd --help-config-manual prints" \
    holds "$man/domusd.conf.5" "$domusd" --help-config-manual
check "domsh(1) holds what domsh help --manual prints" holds "$man/domsh.1" "$domsh" -q help --manual
check "domusd(8) names every option of domusd --help" names_options "$man/domusd.8" "$domusd" --help
check "domsh(1) names every option of domsh --help" names_options "$man/domsh.1" "$domsh" --help
# Each word of -sim that simvmm -help tells: "-sim word=...".
names_sim_words()
{
    local word missing=0
    for word in $("$simvmm" -help | grep -oP '^ *-sim \K[a-z]+(?==)'); do
        grep -qE "$word ?=" "$man/simvmm.1" || { echo "simvmm.1 does not name $word"; missing=1; }
    done
    return $missing
}
check "simvmm(1) names every word of -sim" names_sim_words
names_actions()
{
    local word missing=0
    for word in $("$simvmm" -help | sed '1,/^Actions/d' | grep -oE '^  [a-z-]+'); do
        grep -qE "^\.(B|BI|BR) .*${word//-/\\\\-}" "$man/simvmm.1" || { echo "simvmm.1 does not name $word"; missing=1; }
    done
    return $missing
}
check "simvmm(1) names every action of a script" names_actions
names_procedures()
{
    local name missing=0
    while read -r name; do
        grep -qE "[0-9] ${name^^}\b" "$man/domus-rpc.7" || { echo "domus-rpc.7 does not name ${name^^}"; missing=1; }
    done < <(sed -n 's/^DOMUS_PROC([0-9]*, domus_\([a-z_]*\),.*/\1/p' "$abs_top_srcdir/src/rpc/procedures.def")
    return $missing
}
check "domus-rpc(7) names every procedure of our program" names_procedures
for page in "$man"/*.[1578]; do
    check "$(basename "$page") renders without a warning" renders "$page"
done
echo "1..$n"
