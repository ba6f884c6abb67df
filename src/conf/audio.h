/* SPDX-License-Identifier: Apache-2.0 */
/* audio.h - <audio>: where the host takes a guest's sound. */
#pragma once
#include "xml/value.h"

#define AUDIO_TYPES(_) \
    _(AUDIO_NONE, "none") _(AUDIO_ALSA, "alsa") _(AUDIO_COREAUDIO, "coreaudio") _(AUDIO_JACK, "jack") \
    _(AUDIO_OSS, "oss") _(AUDIO_PULSEAUDIO, "pulseaudio") _(AUDIO_SDL, "sdl") _(AUDIO_SPICE, "spice") \
    _(AUDIO_FILE, "file") _(AUDIO_DBUS, "dbus") _(AUDIO_PIPEWIRE, "pipewire")
DECLARE_ENUM(audio_type, AUDIO_TYPE_ABSENT, AUDIO_TYPES);

struct audio {
    struct extras extras;
    uint32_t id;                                /* from 1 */
    enum audio_type type;
    const char *path, *server;                  /* file; pulseaudio */
    uint32_t timer_period;                      /* microseconds; 0: as the emulator likes */
};

DECLARE_ELEMENT(audio_element, struct audio);
