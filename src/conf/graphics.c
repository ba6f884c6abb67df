/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/graphics.h"

#include <string.h>

#include "base/text.h"
#include "conf/rows.h"

DEFINE_ENUM_CODEC(graphics_type, GRAPHICS_TYPES);
DEFINE_ENUM_CODEC(listen_type, LISTEN_TYPES);
DEFINE_ENUM_CODEC(share_policy, SHARE_POLICIES);
DEFINE_ENUM_CODEC(image_compression, IMAGE_COMPRESSIONS);
DEFINE_ENUM_CODEC(wan_compression, WAN_COMPRESSIONS);
DEFINE_ENUM_CODEC(streaming_mode, STREAMING_MODES);
DEFINE_ENUM_CODEC(mouse_mode, MOUSE_MODES);
DEFINE_ENUM_CODEC(spice_channel_name, SPICE_CHANNELS);
DEFINE_ENUM_CODEC(spice_mode, SPICE_MODES);
DEFINE_WORDS_CODEC(connected_action, "fail", "disconnect", "keep");

#define REMOTE IF(type, GRAPHICS_VNC, GRAPHICS_RDP, GRAPHICS_SPICE)

/* -1 says "any"; so does no port at all.  An automatic port is forgotten between starts. */
static void settle_port(struct graphics *graphics, bool live)
{
    static const struct opt_i64 any_port = { true, -1 };
    bool remote = graphics->type == GRAPHICS_VNC || graphics->type == GRAPHICS_SPICE ||
                  graphics->type == GRAPHICS_RDP;
    if (!remote || graphics->socket ||
        (graphics->listens.count && graphics->listens.items[0]->type >= LISTEN_SOCKET))
        return;
    bool given = graphics->port.set && graphics->port.value != -1;
    if (graphics->type == GRAPHICS_SPICE && graphics->tls_port.set && graphics->tls_port.value > 0)
        given = true;
    if (graphics->port.set && graphics->port.value == -1)
        graphics->autoport = YES;
    if (graphics->autoport == YES_NO_ABSENT)
        graphics->autoport = given ? NO : YES;
    if (graphics->autoport == YES && !live)
        graphics->port = graphics->type == GRAPHICS_VNC ? any_port : (struct opt_i64) { 0 };
}

/* The attribute is the older way to say what the first <listen> says; both are kept alike. */
static void settle_listen(struct graphics *graphics, struct xml_context *x)
{
    struct listen *first = graphics->listens.count ? graphics->listens.items[0] : NULL;
    if (first && first->type == LISTEN_ADDRESS && first->address) {
        if (graphics->listen && !text_equal(graphics->listen, first->address))
            xml_refuse(x, &graphics->listen, ERR_XML, first->address,
                       "the attribute listen='%s' and the first <listen address='%s'> differ",
                       graphics->listen, first->address);
        graphics->listen = first->address;
    } else if (first && first->type == LISTEN_ADDRESS) {
        first->address = graphics->listen;
    }
    if (first && first->type == LISTEN_SOCKET && graphics->type == GRAPHICS_VNC && first->socket)
        graphics->socket = first->socket;
    if (first || graphics->type == GRAPHICS_SDL || graphics->type == GRAPHICS_EGL_HEADLESS ||
        graphics->type == GRAPHICS_DESKTOP || graphics->type == GRAPHICS_DBUS)
        return;
    first = ARENA_NEW(xml_arena(x), struct listen);
    first->type = graphics->socket ? LISTEN_SOCKET : LISTEN_ADDRESS;
    first->address = graphics->socket ? NULL : graphics->listen;
    first->socket = graphics->socket;
    list_add(xml_arena(x), &graphics->listens, first);
}

static void graphics_check(void *self, struct xml_context *x)
{
    struct graphics *graphics = self;
    const struct opt_i64 *ports[] = { &graphics->port, &graphics->tls_port, &graphics->websocket };
    for (size_t i = 0; i < ARRAY_COUNT(ports); i++)
        if (ports[i]->set && (ports[i]->value < -1 || ports[i]->value > INT32_MAX))
            xml_refuse(x, ports[i], ERR_XML, "-1, or a port", "%lld is no port", (long long) ports[i]->value);
    if (graphics->type == GRAPHICS_VNC && graphics->password && strlen(graphics->password) > 8)
        xml_refuse(x, &graphics->password, ERR_CONFIG_UNSUPPORTED, "at most 8 bytes",
                   "the password is %zu bytes long; VNC takes 8", strlen(graphics->password));
    if (!graphics->password)
        graphics->password_valid_to = graphics->connected = NULL;
    settle_port(graphics, xml_flags_of(x) & XML_LIVE);
    settle_listen(graphics, x);
}

#define SELF struct listen
PART(listen_element, "listen", "Where it waits for clients.",
    ATTR("type", type, listen_type, "kind of place", REQUIRED),
    ATTR("address", address, string, "address of the host", IF(type, LISTEN_ADDRESS)),
    ATTR("address", address, string, "address of the network", IF(type, LISTEN_NETWORK), LIVE_ONLY),
    ATTR("network", network, string, "virtual network", IF(type, LISTEN_NETWORK)),
    ATTR("socket", socket, string, "path", IF(type, LISTEN_SOCKET)));
#undef SELF

#define SELF struct spice_channel
PART(channel_element, "channel", "How one of its channels is reached.",
    ATTR("name", name, spice_channel_name, "the channel", REQUIRED),
    ATTR("mode", mode, spice_mode, "encrypted or not", REQUIRED));
#undef SELF

#define SELF struct graphics
#define SPICE IF(type, GRAPHICS_SPICE)
PART(image, "image", "Pictures.", ATTR("compression", image, image_compression, "how small", REQUIRED));
PART(jpeg, "jpeg", "Pictures over slow links.", ATTR("compression", jpeg, wan_compression, "when", REQUIRED));
PART(zlib, "zlib", "Pictures over slow links.", ATTR("compression", zlib, wan_compression, "when", REQUIRED));
PART(playback, "playback", "Sound.", ATTR("compression", playback, on_off, "make it smaller?", REQUIRED));
PART(streaming, "streaming", "Films.", ATTR("mode", streaming, streaming_mode, "what is one", REQUIRED));
PART(clipboard, "clipboard", "The clipboard.", ATTR("copypaste", clipboard, yes_no, "shared?", REQUIRED));
PART(mouse, "mouse", "The pointer.", ATTR("mode", mouse, mouse_mode, "who draws it", REQUIRED));
PART(filetransfer, "filetransfer", "Files.", ATTR("enable", filetransfer, yes_no, "may be sent?", REQUIRED));
PART(gl, "gl", "OpenGL.",
    ATTR("enable", gl, yes_no, "draw with it?", IF(type, GRAPHICS_SPICE, GRAPHICS_SDL, GRAPHICS_DBUS)),
    ATTR("rendernode", render_node, string, "device of the host",
         IF(type, GRAPHICS_SPICE, GRAPHICS_EGL_HEADLESS, GRAPHICS_DBUS)));
PART(audio, "audio", "Its sound.", ATTR("id", audio, u32, "number of an <audio>", REQUIRED, NONZERO));
const struct element graphics_element = ELEMENT_CHECKED("graphics", "A remote screen.", graphics_check,
    ATTR("type", type, graphics_type, "protocol", REQUIRED),
    ATTR("socket", socket, string, "path, the same as in <listen type='socket'>", IF(type, GRAPHICS_VNC)),
    ATTR("port", port, opt_i64, "port, or -1 for any free one", REMOTE),
    ATTR("tlsPort", tls_port, opt_i64, "port for encrypted connections", IF(type, GRAPHICS_SPICE)),
    ATTR("autoport", autoport, yes_no, "take any free port", REMOTE),
    ATTR("websocket", websocket, opt_i64, "port for browsers, or -1", IF(type, GRAPHICS_VNC)),
    ATTR("listen", listen, string, "address of the host", REMOTE),
    ATTR("powerControl", power_control, yes_no, "may clients stop the guest?", IF(type, GRAPHICS_VNC)),
    ATTR("keymap", keymap, string, "keyboard layout", REMOTE),
    ATTR("sharePolicy", share_policy, share_policy, "who may share a screen", IF(type, GRAPHICS_VNC)),
    ATTR("passwd", password, string, "password", REMOTE, SECRET),
    ATTR("passwdValidTo", password_valid_to, string, "when it ends", REMOTE, SECRET),
    ATTR("connected", connected, connected_action, "what a new password does to clients", REMOTE, SECRET),
    ATTR("defaultMode", default_mode, spice_mode, "of channels that are not named", SPICE),
    ATTR("display", display, string, "display of the X server", IF(type, GRAPHICS_SDL)),
    ATTR("xauth", xauth, string, "path of its key", IF(type, GRAPHICS_SDL)),
    ATTR("fullscreen", fullscreen, yes_no, "fill the screen", IF(type, GRAPHICS_SDL)),
    LIST(listens, listen_element, REMOTE),
    LIST(channels, channel_element, SPICE),
    INLINE(image, SPICE), INLINE(jpeg, SPICE), INLINE(zlib, SPICE), INLINE(playback, SPICE),
    INLINE(streaming, SPICE), INLINE(mouse, SPICE), INLINE(clipboard, SPICE), INLINE(filetransfer, SPICE),
    INLINE(gl, IF(type, GRAPHICS_SPICE, GRAPHICS_SDL, GRAPHICS_EGL_HEADLESS, GRAPHICS_DBUS)),
    INLINE(audio, IF(type, GRAPHICS_VNC)));
