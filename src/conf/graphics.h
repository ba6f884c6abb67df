/* SPDX-License-Identifier: Apache-2.0 */
/* graphics.h - <graphics>: a remote screen.
 *
 * After defaults: `autoport` is set when no port is given, and `listen` repeats the first <listen
 * type='address'>.
 */
#pragma once
#include "xml/value.h"

#define GRAPHICS_TYPES(_) \
    _(GRAPHICS_SDL, "sdl") _(GRAPHICS_VNC, "vnc") _(GRAPHICS_RDP, "rdp") _(GRAPHICS_DESKTOP, "desktop") \
    _(GRAPHICS_SPICE, "spice") _(GRAPHICS_EGL_HEADLESS, "egl-headless") _(GRAPHICS_DBUS, "dbus")
DECLARE_ENUM(graphics_type, GRAPHICS_TYPE_ABSENT, GRAPHICS_TYPES);

#define LISTEN_TYPES(_) \
    _(LISTEN_ADDRESS, "address") _(LISTEN_NETWORK, "network") _(LISTEN_SOCKET, "socket") \
    _(LISTEN_NONE, "none")
DECLARE_ENUM(listen_type, LISTEN_TYPE_ABSENT, LISTEN_TYPES);

#define SHARE_POLICIES(_) \
    _(SHARE_EXCLUSIVE, "allow-exclusive") _(SHARE_FORCE_SHARED, "force-shared") _(SHARE_IGNORE, "ignore")
DECLARE_ENUM(share_policy, SHARE_POLICY_ABSENT, SHARE_POLICIES);

struct listen {
    struct extras extras;
    enum listen_type type;
    const char *address, *network, *socket;
};

#define IMAGE_COMPRESSIONS(_) \
    _(IMAGE_AUTO_GLZ, "auto_glz") _(IMAGE_AUTO_LZ, "auto_lz") _(IMAGE_QUIC, "quic") _(IMAGE_GLZ, "glz") \
    _(IMAGE_LZ, "lz") _(IMAGE_OFF, "off")
DECLARE_ENUM(image_compression, IMAGE_COMPRESSION_ABSENT, IMAGE_COMPRESSIONS);

#define WAN_COMPRESSIONS(_) _(WAN_AUTO, "auto") _(WAN_NEVER, "never") _(WAN_ALWAYS, "always")
DECLARE_ENUM(wan_compression, WAN_COMPRESSION_ABSENT, WAN_COMPRESSIONS);

#define STREAMING_MODES(_) _(STREAMING_FILTER, "filter") _(STREAMING_ALL, "all") _(STREAMING_OFF, "off")
DECLARE_ENUM(streaming_mode, STREAMING_MODE_ABSENT, STREAMING_MODES);

#define MOUSE_MODES(_) _(MOUSE_SERVER, "server") _(MOUSE_CLIENT, "client")
DECLARE_ENUM(mouse_mode, MOUSE_MODE_ABSENT, MOUSE_MODES);

#define SPICE_CHANNELS(_) \
    _(SPICE_MAIN, "main") _(SPICE_DISPLAY, "display") _(SPICE_INPUT, "inputs") _(SPICE_CURSOR, "cursor") \
    _(SPICE_PLAYBACK, "playback") _(SPICE_RECORD, "record") _(SPICE_SMARTCARD, "smartcard") \
    _(SPICE_USBREDIR, "usbredir")
DECLARE_ENUM(spice_channel_name, SPICE_CHANNEL_ABSENT, SPICE_CHANNELS);

#define SPICE_MODES(_) _(SPICE_ANY, "any") _(SPICE_SECURE, "secure") _(SPICE_INSECURE, "insecure")
DECLARE_ENUM(spice_mode, SPICE_MODE_ABSENT, SPICE_MODES);

struct spice_channel {
    struct extras extras;
    enum spice_channel_name name;
    enum spice_mode mode;
};

struct graphics {
    struct extras extras;
    enum graphics_type type;
    struct opt_i64 port;                        /* -1: any free one */
    struct opt_i64 tls_port, websocket;
    enum yes_no autoport;
    const char *listen, *socket, *keymap;
    const char *password;                       /* secret */
    const char *password_valid_to;              /* secret; "2011-11-30T19:17:17" */
    const char *connected;
    enum share_policy share_policy;
    enum yes_no power_control;
    LIST_OF(struct listen) listens;

    /* spice */
    enum spice_mode default_mode;
    LIST_OF(struct spice_channel) channels;
    enum image_compression image;
    enum wan_compression jpeg, zlib;
    enum on_off playback;
    enum streaming_mode streaming;
    enum yes_no clipboard, filetransfer;
    enum mouse_mode mouse;
    enum yes_no gl;                             /* spice, sdl, egl-headless */
    const char *render_node;

    const char *display, *xauth;                /* sdl, egl-headless */
    enum yes_no fullscreen;
    uint32_t audio;                             /* number of an <audio>; 0: the first */
};

DECLARE_ELEMENT(graphics_element, struct graphics);
