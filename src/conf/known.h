/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - content that libvirt knows and we do not model (yet).  Private to src/conf.
 *
 * It is kept and written back.  What lies under os, cpu, features or devices changes the guest, so a start
 * refuses it, but for names listed as harmless.  Namespaced content belongs to others and is kept, except
 * qemu:commandline and its like, which were meant for us.
 */
#pragma once
#include "xml/element.h"

enum xml_verdict known_judge(const char *parent, const char *name);
