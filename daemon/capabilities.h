/* SPDX-License-Identifier: Apache-2.0 */
/* capabilities.h - the XML by which clients learn what this host and its emulators can do. */
#pragma once
#include "base/error.h"
#include "loop/fiber.h"
#include "rpc/procedures.h"

struct emulators;

/* Allocated text; NULL on failure.  A host without an emulator has no <guest>. */
WAITS char *capabilities_xml(const struct emulators *e, struct error *err);
WAITS char *domain_capabilities_xml(const struct emulators *e,
                                    const remote_connect_get_domain_capabilities_args *args,
                                    struct error *err);
