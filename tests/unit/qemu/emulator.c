/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/emulator.h"

#include <arpa/inet.h>
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../domain/make.h"
#include "qemu/vnc_ports.h"

Test(emulator, auto_without_a_qemu_says_how_to_choose_the_simulator)
{
    error_scope(err);
    char *path = NULL;
    setenv("PATH", "/nowhere:relative", 1);
    cr_assert_lt(emulator_resolve("auto", &path, &err), 0);
    cr_assert_not_null(strstr(error_text(&err), "--emulator sim"));
    cr_assert_null(path);
}

Test(emulator, is_auto_sim_or_an_absolute_path)
{
    error_scope(err);
    owned_memory char *path = NULL;
    cr_assert_eq(emulator_resolve("/opt/qemu", &path, &err), 0);
    cr_assert_str_eq(path, "/opt/qemu");
    char *none = NULL;
    cr_assert_lt(emulator_resolve("qemu", &none, &err), 0);
    cr_assert_lt(emulator_resolve("sim", &none, &err), 0, "there is no simvmm without its path");
    cr_assert_eq(err.code, ERR_CONFIG_UNSUPPORTED);
}

Test(emulator, override_replaces_what_the_definition_names)
{
    error_scope(err);
    owned(domain_def) struct domain_def *def = make_def("vm", UUID_A);
    struct operations_settings settings = { .sim_path = "/bin/true", .sim_options = "qemu=7.2" };
    cr_assert_eq(operations_init(&settings, &err), 0);
    cr_assert_str_eq(emulator_of(def, &err), "/bin/false");
    settings.override_emulator = "sim";
    cr_assert_eq(operations_init(&settings, &err), 0, "%s", error_text(&err));
    cr_assert_str_eq(emulator_of(def, &err), "/bin/true");
    cr_assert_str_eq(emulator_sim_options("/bin/true"), "qemu=7.2");
    cr_assert_null(emulator_sim_options("/bin/false"), "only the simulator has that option");
    operations_done();
}

Test(emulator, an_owner_that_does_not_exist_is_refused_at_once)
{
    error_scope(err);
    const struct operations_settings settings = { .emulator_user = "nobody-has-this-name" };
    cr_assert_lt(operations_init(&settings, &err), 0);
    cr_assert_not_null(strstr(error_text(&err), "nobody-has-this-name"));
    operations_done();
}

/* At addresses that nobody else looks at meanwhile. */
Test(vnc_ports, are_given_to_one_guest_each)
{
    error_scope(err);
    int first = vnc_port_find("127.3.1.1", &err);
    cr_assert_geq(first, VNC_PORT_MIN);
    vnc_port_take(first);
    int second = vnc_port_find("127.3.1.1", &err);
    cr_assert_gt(second, first);
    vnc_port_give_back(first);
    cr_assert_eq(vnc_port_find("127.3.1.1", &err), first);
}

Test(vnc_ports, that_others_listen_on_are_not_free)
{
    error_scope(err);
    int port = vnc_port_find("127.3.1.2", &err), fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t) port) };
    address.sin_addr.s_addr = inet_addr("127.3.1.2");
    cr_assert_eq(bind(fd, (const struct sockaddr *) &address, sizeof address), 0);
    cr_assert_eq(listen(fd, 1), 0);
    cr_assert_gt(vnc_port_find("127.3.1.2", &err), port);
    close(fd);
}
