/* SPDX-License-Identifier: Apache-2.0 */
/* Sound cards, and where the host takes their sound. */
#include "qemu/line.h"

#include "base/memory.h"
#include "base/text.h"

/* --- the host's end --- */

static const char *audio_driver(enum audio_type type)
{
    switch (type) {
    case AUDIO_PULSEAUDIO: return "pa";
    case AUDIO_FILE: return "wav";
    default: return enum_word(&audio_type_names, type);
    }
}

int line_audio(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->audios.count; i++) {
        const struct audio *audio = line->def->audios.items[i];
        if (audio->type == AUDIO_SPICE && !caps_has_type(line->caps, "chardev-spicevmc"))
            return fail(err, ERR_CONFIG_UNSUPPORTED,
                        "audio %u: type 'spice' is not supported: emulator '%s' was built without it",
                        audio->id, line->caps->emulator);
        owned_props struct props backend;
        props_open(&backend);
        props_printf(&backend, "id", "audio%u", audio->id);
        props_text(&backend, "driver", audio_driver(audio->type));
        props_text(&backend, "path", audio->path);
        props_text(&backend, "server", audio->server);
        props_positive(&backend, "timer-period", audio->timer_period);
        line_backend(line, "-audiodev", &backend);
    }
    return 0;
}

char *line_audio_id(const struct line *line, uint32_t id)
{
    if (!id && line->def->audios.count)
        id = line->def->audios.items[0]->id;
    return id ? memory_printf("audio%u", id) : NULL;
}

/* --- the guest's --- */

static const char *sound_driver(enum sound_model model)
{
    switch (model) {
    case SOUND_SB16: return "sb16";
    case SOUND_ES1370: return "ES1370";
    case SOUND_AC97: return "AC97";
    case SOUND_ICH6: return "intel-hda";
    case SOUND_ICH9: return "ich9-intel-hda";
    case SOUND_USB: return "usb-audio";
    case SOUND_VIRTIO: return "virtio-sound-pci";
    default: return NULL;
    }
}

static int add_codec(struct line *line, const struct sound *sound, size_t number, enum codec_kind kind,
                     struct error *err)
{
    static const char *const drivers[] = {
        [CODEC_DUPLEX] = "hda-duplex", [CODEC_MICRO] = "hda-micro", [CODEC_OUTPUT] = "hda-output",
    };
    if (line_check_type(line, drivers[kind], "its codec", err) < 0)
        return -1;
    owned_memory char *audio = line_audio_id(line, sound->audio);
    owned_props struct props device;
    props_begin(&device, "driver", drivers[kind]);
    props_printf(&device, "id", "%s-codec%zu", sound->alias, number);
    props_printf(&device, "bus", "%s.0", sound->alias);
    props_u64(&device, "cad", number);
    props_text(&device, "audiodev", audio);
    line_device(line, &device);
    return 0;
}

static int add_codecs(struct line *line, const struct sound *sound, struct error *err)
{
    if (!sound->codecs.count)
        return add_codec(line, sound, 0, CODEC_DUPLEX, err);
    for (size_t i = 0; i < sound->codecs.count; i++)
        if (add_codec(line, sound, i, sound->codecs.items[i]->kind, err) < 0)
            return -1;
    return 0;
}

static int add_sound(struct line *line, const struct sound *sound, struct error *err)
{
    const char *driver = sound_driver(sound->model);
    if (!driver)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "model '%s' is not supported",
                    enum_word(&sound_model_names, sound->model));
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_memory char *audio = line_audio_id(line, sound->audio);
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &sound->virtio);
    props_text(&device, "id", sound->alias);
    if (sound->multichannel)
        props_bool(&device, "multi", sound->multichannel == YES);
    props_positive(&device, "streams", sound->streams);
    if (!sound_has_codecs(sound))
        props_text(&device, "audiodev", audio);
    if (line_address(line, &device, sound->address, err) < 0)
        return -1;
    line_device(line, &device);
    return sound_has_codecs(sound) ? add_codecs(line, sound, err) : 0;
}

int line_sounds(struct line *line, struct error *err)
{
    for (size_t i = 0; i < line->def->sounds.count; i++)
        if (add_sound(line, line->def->sounds.items[i], err) < 0)
            return fail_in(err, "sound '%s'", line->def->sounds.items[i]->alias);
    return 0;
}
