/* SPDX-License-Identifier: Apache-2.0 */
/* picture.h - the screen as a file: PPM or PNG (not compressed, which PNG allows). */
#pragma once
#include "base/buffer.h"
#include "simvmm/screen.h"

void picture_ppm(const struct screen *s, struct buffer *out);
void picture_png(const struct screen *s, struct buffer *out);
