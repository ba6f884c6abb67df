/* SPDX-License-Identifier: Apache-2.0 */
/* sound.h - <sound>: a sound card. */
#pragma once
#include "conf/address.h"
#include "conf/virtio.h"

#define SOUND_MODELS(_) \
    _(SOUND_SB16, "sb16") _(SOUND_ES1370, "es1370") _(SOUND_PCSPK, "pcspk") _(SOUND_AC97, "ac97") \
    _(SOUND_ICH6, "ich6") _(SOUND_ICH7, "ich7") _(SOUND_USB, "usb") _(SOUND_ICH9, "ich9") \
    _(SOUND_VIRTIO, "virtio")
DECLARE_ENUM(sound_model, SOUND_MODEL_ABSENT, SOUND_MODELS);

#define CODEC_KINDS(_) \
    _(CODEC_DUPLEX, "duplex") _(CODEC_MICRO, "micro") _(CODEC_OUTPUT, "output")
DECLARE_ENUM(codec_kind, CODEC_KIND_ABSENT, CODEC_KINDS);

struct sound_codec {
    struct extras extras;
    enum codec_kind kind;
};

struct sound {
    struct extras extras;
    enum sound_model model;
    enum yes_no multichannel;                   /* usb */
    uint32_t streams;                           /* virtio */
    LIST_OF(struct sound_codec) codecs;
    uint32_t audio;                             /* number of the <audio>; 0: the first */
    struct virtio_options virtio;
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(sound_element, struct sound);

/* ich6 and ich9 are controllers, and what makes the noise is a codec on them. */
static inline bool sound_has_codecs(const struct sound *sound)
{
    return sound->model == SOUND_ICH6 || sound->model == SOUND_ICH9;
}
