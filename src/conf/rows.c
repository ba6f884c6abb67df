/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/rows.h"

#include "base/text.h"
#include "conf/cpuset.h"

DEFINE_WORDS(end_mode, "bind", "connect");
DEFINE_WORDS(sgio, "filtered", "unfiltered");
const struct codec codec_end_mode = WORDS_CODEC(end_mode), codec_sgio = WORDS_CODEC(sgio);

bool alias_is_users(const void *member)
{
    const char *alias = *(const char *const *) member;
    return alias && text_starts(alias, "ua-");
}

static bool parse_cpuset(const struct codec *c, struct arena *a, const char *text, void *out)
{
    const char *normal = cpuset_normalise(text, a);
    if (!normal)
        return false;
    *(const char **) out = normal;
    return true;
}

const struct codec codec_cpuset = {
    .name = "cpuset", .size = sizeof(char *), .parse = parse_cpuset, .format = codec_format_string,
    .expected = "processors below 1024, as in 0-3,^2,8", .pointer = true,
};
