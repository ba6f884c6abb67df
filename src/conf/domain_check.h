/* SPDX-License-Identifier: Apache-2.0 */
/* domain_check.h - what concerns a domain as a whole: names, amounts, and things that two devices both want.
 * Private to src/conf.
 */
#pragma once

struct domain_def;
struct xml_context;

/* The check of <domain>: reports what is wrong, and if nothing is, fills in defaults (defaults.h). */
void domain_check(void *self, struct xml_context *x);

/* device_check.c: targets, boot orders, controllers; then, with all places known, addresses. */
void check_devices(const struct domain_def *def, struct xml_context *x);
void check_addresses(const struct domain_def *def, struct xml_context *x);
/* kept_check.c: the little that is checked of content that is only kept. */
void check_kept(const struct domain_def *def, struct xml_context *x);
