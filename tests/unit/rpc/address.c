/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/address.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/own.h"

static void expect(const char *where, bool read_only, const char *path, const char *name)
{
    error_scope(err);
    owned_memory char *got_path = NULL, *got_name = NULL;
    cr_assert_eq(address_resolve(where, read_only, &got_path, &got_name, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(got_path, path);
    cr_assert(name ? got_name && strcmp(got_name, name) == 0 : !got_name, "%s", got_name);
}

Test(address, is_a_path_or_a_uri_or_the_usual_place)
{
    unsetenv("DOMUS_URI");
    expect("/a/b", false, "/a/b", NULL);
    expect("./s", true, "./s", NULL);
    expect(NULL, false, "/run/domus/domus-sock", NULL);
    expect("", true, "/run/domus/domus-sock-ro", NULL);
    expect("qemu:///system", false, "/run/domus/domus-sock", "qemu:///system");
    expect("qemu:///session", true, "/run/domus/domus-sock-ro", "qemu:///session");
    expect("qemu+unix:///system?socket=/x/y", false, "/x/y", "qemu:///system");
    expect("qemu+unix:///system?mode=auto&socket=%2Fx%20y&a=b", true, "/x y", "qemu:///system");
}

Test(address, comes_from_the_environment_when_none_is_given)
{
    setenv("DOMUS_URI", "qemu+unix:///system?socket=/e", 1);
    expect(NULL, false, "/e", "qemu:///system");
    expect("/a/b", false, "/a/b", NULL);
}

Test(address, of_another_host_or_driver_is_refused)
{
    static const char *const foreign[] = { "qemu://h/system", "qemu+tcp://h/system", "xen:///system", "a:b" };
    for (size_t i = 0; i < ARRAY_COUNT(foreign); i++) {
        error_scope(err);
        char *path = NULL, *name = NULL;
        cr_assert_eq(address_resolve(foreign[i], false, &path, &name, &err), -1);
        cr_assert_eq(err.code, ERR_INVALID_ARG);
    }
}
