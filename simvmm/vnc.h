/* SPDX-License-Identifier: Apache-2.0 */
/* vnc.h - the screen's socket: really bound, so that a manager finds the port taken. Nobody answers on it
 * yet. */
#pragma once
#include "simvmm/vm.h"

int vnc_listen(struct vm *vm, const struct json *given, struct error *err);
bool vnc_wants_password(const struct vm *vm);
void vnc_close(struct vm *vm);
const struct json *vnc_describe(const struct vm *vm, struct arena *a);         /* as query-vnc */
