/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/audio.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(audio_type, AUDIO_TYPES);

#define SELF struct audio
const struct element audio_element = ELEMENT("audio", "Where the guest's sound goes.",
    ATTR("id", id, u32, "number, from 1", REQUIRED, NONZERO),
    ATTR("type", type, audio_type, "kind of output", REQUIRED),
    ATTR("timerPeriod", timer_period, u32, "microseconds between its timer's ticks", NONZERO),
    ATTR("serverName", server, string, "address of the server", IF(type, AUDIO_PULSEAUDIO)),
    ATTR("path", path, string, "the file", IF(type, AUDIO_FILE)));
