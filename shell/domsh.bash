# SPDX-License-Identifier: Apache-2.0
# Completion of domsh in bash: the shell itself knows its commands, their options and the domains.
_domsh()
{
    local line=${COMP_LINE:0:COMP_POINT} word
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#* }
    while [[ $line == -* && $line == *' '* ]]; do       # options before the command
        [[ ! $line =~ ^(-[ckK]|--connect|--keepalive-(interval|count))\  ]] || line=${line#* }
        line=${line#* }
    done
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <("${COMP_WORDS[0]}" --complete "$line" 2>/dev/null)
}
complete -F _domsh domsh
