/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/sound.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(sound_model, SOUND_MODELS);
DEFINE_ENUM_CODEC(codec_kind, CODEC_KINDS);

#define SELF struct sound_codec
PART(codec_element, "codec", "What a sound controller drives.",
    ATTR("type", kind, codec_kind, "kind of codec", REQUIRED));
#undef SELF

#define SELF struct sound
PART(audio, "audio", "Where its sound goes.",
    ATTR("id", audio, u32, "number of an <audio>", REQUIRED, NONZERO));
PART(driver, "driver", "Options of virtio.", VIRTIO_ROWS);
ALIAS_PART;

const struct element sound_element = ELEMENT("sound", "A sound card.",
    ATTR("model", model, sound_model, "model of the card", REQUIRED),
    ATTR("multichannel", multichannel, yes_no, "more than two channels", IF(model, SOUND_USB)),
    ATTR("streams", streams, u32, "number of streams", IF(model, SOUND_VIRTIO), NONZERO),
    LIST(codecs, codec_element, IF(model, SOUND_ICH6, SOUND_ICH7, SOUND_ICH9)),
    INLINE(audio), INLINE(alias), INLINE(driver), CHILD(address, address_element));
