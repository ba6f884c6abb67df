/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest shows: screens and graphics cards. */
#include "qemu/line.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { VNC_PORT_BASE = 5900 };

/* --- graphics --- */

static const struct listen *first_listen(const struct graphics *graphics)
{
    return graphics->listens.count ? graphics->listens.items[0] : NULL;
}

static const char *listen_address(const struct graphics *graphics)
{
    const struct listen *listen = first_listen(graphics);
    if (listen && listen->type == LISTEN_ADDRESS && listen->address)
        return listen->address;
    return graphics->listen ? graphics->listen : "127.0.0.1";
}

static const char *socket_path(const struct graphics *graphics)
{
    const struct listen *listen = first_listen(graphics);
    return listen && listen->type == LISTEN_SOCKET ? listen->socket : graphics->socket;
}

static int add_vnc_address(struct line *line, const struct graphics *graphics, struct buffer *option,
                           struct error *err)
{
    const struct listen *listen = first_listen(graphics);
    if (listen && listen->type == LISTEN_NETWORK)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "vnc: listen type 'network' is not supported");
    if (listen && listen->type == LISTEN_NONE) {
        option_add(option, NULL, "none");
        return 0;
    }
    if (socket_path(graphics)) {
        owned_memory char *path = memory_printf("unix:%s", socket_path(graphics));
        option_add(option, "vnc", path);
        return 0;
    }
    if (listen && listen->type == LISTEN_SOCKET)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "vnc: a listen of type 'socket' needs socket='PATH'");
    int64_t port = graphics->port.value;
    if (port < VNC_PORT_BASE || port > 65535)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "vnc: port %lld is not between 5900 and 65535",
                    (long long) port);
    const char *address = listen_address(graphics);
    owned_memory char *place = memory_printf(strchr(address, ':') ? "[%s]:%lld" : "%s:%lld", address,
                                             (long long) port - VNC_PORT_BASE);
    option_add(option, NULL, place);
    return 0;
}

static void add_websocket(struct line *line, const struct graphics *graphics, struct buffer *option)
{
    if (graphics->websocket.set && graphics->websocket.value > 0)
        option_add_u64(option, "websocket", (uint64_t) graphics->websocket.value);
    else if (graphics->websocket.set && graphics->websocket.value < 0)
        option_add(option, "websocket", "on");
}

static int add_vnc(struct line *line, const struct graphics *graphics, struct error *err)
{
    owned_buffer struct buffer option = { 0 };
    if (add_vnc_address(line, graphics, &option, err) < 0)
        return -1;
    add_websocket(line, graphics, &option);
    option_add(&option, "share", enum_word(&share_policy_names, graphics->share_policy));
    if (graphics->power_control)
        option_add_bool(&option, "power-control", graphics->power_control == YES);
    if (graphics->password)
        option_add(&option, "password", "on");
    owned_memory char *audio = line_audio_id(line, graphics->audio);
    option_add(&option, "audiodev", audio);
    line_option(line, "-vnc", &option);
    return 0;
}

static int add_spice_address(const struct graphics *graphics, struct buffer *option, struct error *err)
{
    const struct listen *listen = first_listen(graphics);
    enum listen_type type = listen ? listen->type : LISTEN_ADDRESS;
    if (type == LISTEN_NETWORK)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "spice: listen type 'network' is not supported");
    if (type == LISTEN_NONE) {
        option_add(option, "port", "0");
        return 0;
    }
    if (type == LISTEN_SOCKET) {
        if (!listen->socket)
            return fail(err, ERR_CONFIG_UNSUPPORTED, "spice: a listen of type 'socket' needs socket='PATH'");
        option_add_bool(option, "unix", true);
        option_add(option, "addr", listen->socket);
        return 0;
    }
    int64_t port = graphics->port.value;
    if (port < 0 || port > 65535)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "spice: %lld is no port", (long long) port);
    option_add_u64(option, "port", (uint64_t) port);
    if (port > 0)
        option_add(option, "addr", listen_address(graphics));
    return 0;
}

/* There are no certificates that we could hand out. */
static int check_spice(const struct line *line, const struct graphics *graphics, struct error *err)
{
    bool encrypted = (graphics->tls_port.set && graphics->tls_port.value > 0) ||
                     graphics->default_mode == SPICE_SECURE;
    for (size_t i = 0; i < graphics->channels.count; i++)
        encrypted = encrypted || graphics->channels.items[i]->mode == SPICE_SECURE;
    if (!caps_has_type(line->caps, "chardev-spicevmc"))
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "graphics type 'spice' is not supported: emulator '%s' was built without it; 'vnc' is",
                    line->caps->emulator);
    if (encrypted)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "spice: encryption (tlsPort, mode='secure') is not supported");
    return 0;
}

static void add_spice_tuning(struct buffer *option, const struct graphics *graphics)
{
    static const char *const mice[] = { [MOUSE_SERVER] = "off", [MOUSE_CLIENT] = "on" };
    option_add(option, "image-compression", enum_word(&image_compression_names, graphics->image));
    option_add(option, "jpeg-wan-compression", enum_word(&wan_compression_names, graphics->jpeg));
    option_add(option, "zlib-glz-wan-compression", enum_word(&wan_compression_names, graphics->zlib));
    option_add(option, "playback-compression", enum_word(&on_off_names, graphics->playback));
    option_add(option, "streaming-video", enum_word(&streaming_mode_names, graphics->streaming));
    option_add(option, "agent-mouse", graphics->mouse ? mice[graphics->mouse] : NULL);
    option_add(option, "disable-copy-paste", graphics->clipboard == NO ? "on" : NULL);
    option_add(option, "disable-agent-file-xfer", graphics->filetransfer == NO ? "on" : NULL);
    option_add(option, "gl", graphics->gl == YES ? "on" : NULL);
    option_add(option, "rendernode", graphics->gl == YES ? graphics->render_node : NULL);
    option_add(option, "seamless-migration", "on");
}

/* Without a password nobody gets a ticket, so none is asked for. */
static int add_spice(struct line *line, const struct graphics *graphics, struct error *err)
{
    owned_buffer struct buffer option = { 0 };
    if (check_spice(line, graphics, err) < 0 || add_spice_address(graphics, &option, err) < 0)
        return -1;
    option_add(&option, "disable-ticketing", graphics->password ? NULL : "on");
    for (size_t i = 0; i < graphics->channels.count; i++)
        if (graphics->channels.items[i]->mode == SPICE_INSECURE)
            option_add(&option, "plaintext-channel",
                       enum_word(&spice_channel_name_names, graphics->channels.items[i]->name));
    add_spice_tuning(&option, graphics);
    line_option(line, "-spice", &option);
    return 0;
}

static int add_headless(struct line *line, const struct graphics *graphics, struct error *err)
{
    owned_buffer struct buffer option = { 0 };
    option_add(&option, NULL, "egl-headless");
    option_add(&option, "rendernode", graphics->render_node);
    line_option(line, "-display", &option);
    return 0;
}

static int add_graphics(struct line *line, const struct graphics *graphics, struct error *err)
{
    switch (graphics->type) {
    case GRAPHICS_VNC:
        return add_vnc(line, graphics, err);
    case GRAPHICS_SPICE:
        return add_spice(line, graphics, err);
    case GRAPHICS_EGL_HEADLESS:
        return add_headless(line, graphics, err);
    default:
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "graphics type '%s' is not supported; 'vnc', 'spice' and 'egl-headless' are",
                    enum_word(&graphics_type_names, graphics->type));
    }
}

static void add_keymap(struct line *line, const struct graphics *graphics)
{
    if (graphics->keymap)
        argv_add_pair(line->argv, "-k", graphics->keymap);
}

/* --- video --- */

static const char *video_driver(const struct video *video, bool primary)
{
    bool gl = video->accel3d == YES;
    switch (video->model) {
    case VIDEO_VGA:
        return primary ? "VGA" : "secondary-vga";
    case VIDEO_CIRRUS:
        return "cirrus-vga";
    case VIDEO_VMVGA:
        return "vmware-svga";
    case VIDEO_QXL:
        return primary ? "qxl-vga" : "qxl";
    case VIDEO_VIRTIO:
        return primary ? gl ? "virtio-vga-gl" : "virtio-vga" : gl ? "virtio-gpu-gl-pci" : "virtio-gpu-pci";
    case VIDEO_BOCHS:
        return "bochs-display";
    case VIDEO_RAMFB:
        return "ramfb";
    default:
        return NULL;
    }
}

static void add_video_memory(struct props *device, const struct video *video)
{
    switch (video->model) {
    case VIDEO_VGA:
    case VIDEO_VMVGA:
        props_positive(device, "vgamem_mb", video->vram / 1024);
        break;
    case VIDEO_QXL:
        props_u64(device, "ram_size", (uint64_t) video->ram * 1024);
        props_u64(device, "vram_size", (uint64_t) video->vram * 1024);
        props_u64(device, "vram64_size_mb", video->vram64 / 1024);
        props_u64(device, "vgamem_mb", video->vgamem / 1024);
        break;
    case VIDEO_BOCHS:
        props_positive(device, "vgamem", (uint64_t) video->vram * 1024);
        break;
    default:
        break;
    }
}

static int add_video(struct line *line, const struct video *video, bool primary, struct error *err)
{
    if (video->backend == VIDEO_BACKEND_VHOST_USER)
        return fail(err, ERR_CONFIG_UNSUPPORTED,
                    "driver 'vhostuser' is not supported: no vhost-user-gpu is started by this daemon");
    const char *driver = video_driver(video, primary);
    if (!driver)
        return fail(err, ERR_CONFIG_UNSUPPORTED, "model '%s' is not supported",
                    enum_word(&video_model_names, video->model));
    if (line_check_type(line, driver, "it", err) < 0)
        return -1;
    owned_props struct props device;
    props_begin(&device, "driver", driver);
    line_virtio(&device, &video->virtio);
    props_text(&device, "id", video->alias);
    if (video->model == VIDEO_VIRTIO || video->model == VIDEO_QXL)
        props_u64(&device, "max_outputs", video->heads ? video->heads : 1);
    add_video_memory(&device, video);
    props_on_off(&device, "edid", video->edid);
    props_positive(&device, "xres", video->width);
    props_positive(&device, "yres", video->height);
    if (video->model != VIDEO_RAMFB && line_address(line, &device, video->address, err) < 0)
        return -1;
    line_device(line, &device);
    return 0;
}

int line_screens(struct line *line, struct error *err)
{
    const struct domain_def *def = line->def;
    for (size_t i = 0; i < def->graphics.count; i++)
        if (add_graphics(line, def->graphics.items[i], err) < 0)
            return -1;
    for (size_t i = 0; i < def->graphics.count; i++)
        add_keymap(line, def->graphics.items[i]);
    for (size_t i = 0; i < def->videos.count; i++)
        if (def->videos.items[i]->model != VIDEO_NONE &&
            add_video(line, def->videos.items[i], i == 0, err) < 0)
            return fail_in(err, "video '%s'", def->videos.items[i]->alias);
    return 0;
}
