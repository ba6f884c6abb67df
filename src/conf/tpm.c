/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/tpm.h"

#include "conf/rows.h"

DEFINE_ENUM_CODEC(tpm_model, TPM_MODELS);
DEFINE_ENUM_CODEC(tpm_backend, TPM_BACKENDS);
DEFINE_ENUM_CODEC(tpm_version, TPM_VERSIONS);
DEFINE_WORDS_CODEC(tpm_source, "unix", "file", "dir");
DEFINE_WORDS_CODEC(tpm_mode, "connect");

/* An emulated one is of version 2.0 today; a crb is nothing else. */
static void tpm_check(void *self, struct xml_context *x)
{
    struct tpm *tpm = self;
    if (tpm->backend == TPM_EMULATOR && !tpm->version)
        tpm->version = TPM_2_0;
    if (tpm->model == TPM_CRB && tpm->version == TPM_1_2)
        xml_refuse(x, &tpm->version, ERR_CONFIG_UNSUPPORTED, "2.0", "a tpm-crb is of version 2.0");
    if (tpm->backend == TPM_PASSTHROUGH && !tpm->device)
        tpm->device = "/dev/tpm0";
    if (tpm->backend == TPM_EXTERNAL && !tpm->source_path)
        xml_refuse(x, &tpm->backend, ERR_XML, "<source type='unix' path='...'>",
                   "an external tpm needs the path of its socket");
}

#define SELF struct tpm
PART(device, "device", "The host's own.", ATTR("path", device, string, "device of the host", REQUIRED));
PART(encryption, "encryption", "How its state is encrypted.",
    ATTR("secret", secret, string, "uuid of the secret", REQUIRED));
PART(source, "source", "Where its emulator listens.",
    ATTR("type", source_type, tpm_source, "kind of source"),
    ATTR("mode", source_mode, tpm_mode, "which end we are"),
    ATTR("path", source_path, string, "path of the socket"));
PART(banks, "active_pcr_banks", "Hashes that it measures with.",
    FLAG("sha1", sha1, "SHA-1"), FLAG("sha256", sha256, "SHA-256"), FLAG("sha384", sha384, "SHA-384"),
    FLAG("sha512", sha512, "SHA-512"));
PART(profile, "profile", "What it may do.",
    ATTR("source", profile, string, "name of the profile"),
    ATTR("removeDisabled", profile_remove_disabled, string, "algorithms that the host forbids"));
PART(backend, "backend", "What is behind it.",
    ATTR("type", backend, tpm_backend, "kind of backend", REQUIRED),
    ATTR("version", version, tpm_version, "version of the standard", IF(backend, TPM_EMULATOR)),
    ATTR("persistent_state", persistent_state, yes_no, "keep its state", IF(backend, TPM_EMULATOR)),
    ATTR("debug", debug, opt_u32, "how much its emulator logs", IF(backend, TPM_EMULATOR)),
    INLINE(device, IF(backend, TPM_PASSTHROUGH)),
    INLINE(encryption, IF(backend, TPM_EMULATOR)),
    INLINE(banks, IF(backend, TPM_EMULATOR)),
    INLINE(source, IF(backend, TPM_EMULATOR, TPM_EXTERNAL)),
    INLINE(profile, IF(backend, TPM_EMULATOR)));
ALIAS_PART;

const struct element tpm_element = ELEMENT_CHECKED("tpm", "A trusted platform module.", tpm_check,
    ATTR("model", model, tpm_model, "model of the device", DEFAULT("tpm-tis")),
    INLINE(backend, REQUIRED), INLINE(alias), CHILD(address, address_element));
