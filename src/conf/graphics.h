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
};

DECLARE_ELEMENT(graphics_element, struct graphics);
