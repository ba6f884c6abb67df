/* SPDX-License-Identifier: Apache-2.0 */
/* tpm.h - <tpm>: a trusted platform module. */
#pragma once
#include "conf/address.h"

#define TPM_MODELS(_) \
    _(TPM_TIS, "tpm-tis") _(TPM_CRB, "tpm-crb") _(TPM_SPAPR, "tpm-spapr") \
    _(TPM_SPAPR_PROXY, "spapr-tpm-proxy")
DECLARE_ENUM(tpm_model, TPM_MODEL_ABSENT, TPM_MODELS);

#define TPM_BACKENDS(_) \
    _(TPM_PASSTHROUGH, "passthrough") _(TPM_EMULATOR, "emulator") _(TPM_EXTERNAL, "external")
DECLARE_ENUM(tpm_backend, TPM_BACKEND_ABSENT, TPM_BACKENDS);

#define TPM_VERSIONS(_) _(TPM_1_2, "1.2") _(TPM_2_0, "2.0")
DECLARE_ENUM(tpm_version, TPM_VERSION_ABSENT, TPM_VERSIONS);

struct tpm {
    struct extras extras;
    enum tpm_model model;
    enum tpm_backend backend;
    enum tpm_version version;                   /* TPM_EMULATOR */
    enum yes_no persistent_state;
    struct opt_u32 debug;
    const char *device;                         /* TPM_PASSTHROUGH: "/dev/tpm0" */
    const char *secret;                         /* <encryption secret> */
    const char *source_type, *source_mode, *source_path;        /* TPM_EXTERNAL: the emulator's socket */
    bool sha1, sha256, sha384, sha512;          /* <active_pcr_banks> */
    const char *profile, *profile_remove_disabled;      /* <profile> */
    const char *alias;
    struct address *address;
};

DECLARE_ELEMENT(tpm_element, struct tpm);
