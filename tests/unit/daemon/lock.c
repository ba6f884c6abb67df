/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own.h"
#include "daemon/lock.h"
#include "daemon/systemd.h"

Test(lock, a_second_daemon_is_told_who_holds_it)
{
    char folder[] = "/tmp/lock-XXXXXX";
    error_scope(err);
    cr_assert_not_null(mkdtemp(folder));
    owned_fd int fd = lock_take(folder, &err);
    cr_assert_geq(fd, 0, "%s", error_text(&err));
    owned_memory char *wanted =
        memory_printf("another domusd (process %d) already serves %s", (int) getpid(), folder);
    owned_memory char *path = memory_printf("%s/domusd.lock", folder);

    pid_t child = fork();
    if (child == 0) {
        error_scope(second);
        int refused = lock_take(folder, &second) < 0 && strcmp(error_text(&second), wanted) == 0;
        _exit(refused ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    unlink(path);
    rmdir(folder);
}

Test(systemd, is_told_what_we_have_to_say)
{
    char folder[] = "/tmp/notify-XXXXXX", heard[64] = "";
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    cr_assert_not_null(mkdtemp(folder));
    snprintf(address.sun_path, sizeof address.sun_path, "%s/s", folder);
    owned_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(fd, (struct sockaddr *) &address, sizeof address), 0);

    unsetenv("NOTIFY_SOCKET");
    systemd_notify("LOST=1");           /* nobody listens, nobody cares */
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    systemd_notify("READY=1");
    cr_assert_eq(recv(fd, heard, sizeof heard - 1, 0), 7);
    cr_assert_str_eq(heard, "READY=1");
    unlink(address.sun_path);
    rmdir(folder);
}

Test(systemd, sockets_of_another_process_are_not_ours)
{
    setenv("LISTEN_PID", "1", 1);
    setenv("LISTEN_FDS", "2", 1);
    cr_assert_eq(systemd_take_sockets(), 0);
    cr_assert_null(getenv("LISTEN_FDS"));
}
