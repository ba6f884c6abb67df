/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/journal.h"

#include "make.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "loop/process.h"

enum { MANY = 50, LARGE = 5 << 20 };

static struct uuid a, b;                /* of UUID_A, UUID_B */

/* A root, as a rule where a sync costs nothing. */
struct place {
    char root[64];
    struct places *places;
    char *path, *image;                 /* of the journal, and of its copy */
};

static struct place *place_make(void)
{
    static struct place place;
    error_scope(err);
    snprintf(place.root, sizeof place.root, "%s/domain-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    cr_assert_not_null(mkdtemp(place.root));
    place.places = places_new(place.root);
    cr_assert_eq(places_make(place.places, &err), 0, "%s", error_text(&err));
    place.path = memory_printf("%s/lib/journal", place.root);
    place.image = memory_printf("%s/image", place.root);
    cr_assert(uuid_parse(UUID_A, &a) && uuid_parse(UUID_B, &b));
    return &place;
}

static void place_remove(struct place *place)
{
    remove_root(place->root);
    places_free(place->places);
    free(place->path);
    free(place->image);
}

static struct journal *reopen(const struct place *place)
{
    error_scope(err);
    log_set_level(LOG_LEVEL_ERROR);
    struct journal *journal = journal_open(place->places, &err);
    cr_assert_not_null(journal, "%s", error_text(&err));
    return journal;
}

static void copy(const char *from, const char *to)
{
    owned_memory char *command = memory_printf("cp '%s' '%s'", from, to);
    cr_assert_eq(system(command), 0);
}

/* Makes the changes in a fiber, and keeps the journal as a kill would leave it. */
static void change(const struct place *place, void (*fn)(void *journal))
{
    loop_init();
    struct journal *journal = reopen(place);
    cr_assert_not_null(fiber_start(fn, journal));
    loop_run();
    copy(place->path, place->image);
    journal_free(journal);
    loop_done();
    copy(place->image, place->path);
}

static char *file_of(const struct place *place, const struct uuid *uuid)
{
    return place_definition(place->places, uuid);
}

/* What is in the file, "-" if there is none; allocated. */
static char *content(const struct place *place, const struct uuid *uuid)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 };
    owned_memory char *path = file_of(place, uuid);
    if (access(path, F_OK) < 0)
        return memory_copy_text("-");
    cr_assert_eq(file_read(path, 64 << 20, &text, &err), 0, "%s", error_text(&err));
    return buffer_take(&text);
}

#define is_content(place, uuid, wanted) do { \
        owned_memory char *got_ = content(place, uuid); \
        cr_assert_str_eq(got_, wanted); \
    } while (0)

/* The file as a crash left it; NULL: not there.  Before this boot, or now. */
static void leave(const struct place *place, const struct uuid *uuid, const char *text, bool since_boot)
{
    error_scope(err);
    owned_memory char *path = file_of(place, uuid);
    if (!text) {
        unlink(path);
        return;
    }
    const struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
    cr_assert_eq(file_swap(path, text, strlen(text), 0600, &err), 0);
    cr_assert(since_boot || utimensat(AT_FDCWD, path, times, 0) == 0);
}

/* The host went down and came up: the journal's first line names another boot. */
static void reboot(const struct place *place)
{
    error_scope(err);
    owned_buffer struct buffer text = { 0 }, line = { 0 };
    uint64_t generation;
    cr_assert_eq(file_read(place->path, JOURNAL_BYTES, &text, &err), 0);
    cr_assert_eq(sscanf(text.data, "domus-journal 1 %" SCNu64, &generation), 1);
    buffer_printf(&line, "domus-journal 1 %" PRIu64 " 00000000-0000-4000-8000-000000000000 ", generation);
    buffer_printf(&line, "%016" PRIx64 "\n", hash_bytes(HASH_BEGIN, line.data, line.length));
    owned_fd int fd = open(place->path, O_WRONLY | O_CLOEXEC);
    cr_assert_eq(pwrite(fd, line.data, line.length, 0), (ssize_t) line.length);
}

static WAITS void put(struct journal *journal, const struct uuid *uuid, const char *text)
{
    error_scope(err);
    cr_assert_eq(journal_put(journal, JOURNAL_DEFINITION, uuid, text, strlen(text), &err), 0, "%s",
                 error_text(&err));
}

static WAITS void drop(struct journal *journal, const struct uuid *uuid)
{
    error_scope(err);
    cr_assert_eq(journal_drop(journal, JOURNAL_DEFINITION, uuid, &err), 0, "%s", error_text(&err));
}

/* After each of these, what the two files hold. */
static const char *const history[][2] = {
    { "-", "-" }, { "one", "-" }, { "one", "other" }, { "second", "other" }, { "second", "-" },
};

static WAITS void write_history(void *journal)
{
    put(journal, &a, "one");
    put(journal, &b, "other");
    put(journal, &a, "second");
    drop(journal, &b);
    loop_stop();
}

Test(journal, changes_are_in_their_files_when_they_are_acknowledged)
{
    struct place *place = place_make();
    change(place, write_history);
    is_content(place, &a, "second");
    is_content(place, &b, "-");
    place_remove(place);
}

Test(journal, what_a_crash_of_the_host_took_is_put_back_once_and_for_all)
{
    static const char *const left[] = { NULL, "", "seco", "one", "\1\2\3\4\5\6" };
    struct place *place = place_make();
    change(place, write_history);
    for (size_t i = 0; i < ARRAY_COUNT(left); i++) {
        copy(place->image, place->path);
        reboot(place);
        leave(place, &a, left[i], false);
        leave(place, &b, left[i], false);
        for (int times = 0; times < 2; times++) {
            journal_free(reopen(place));
            is_content(place, &a, "second");
            is_content(place, &b, "-");
        }
    }
    place_remove(place);
}

Test(journal, what_a_person_did_while_no_daemon_ran_stays)
{
    struct place *place = place_make();
    change(place, write_history);
    leave(place, &a, NULL, true);               /* in the same boot, whatever it was */
    leave(place, &b, "by hand", false);
    journal_free(reopen(place));
    is_content(place, &a, "-");
    is_content(place, &b, "by hand");

    change(place, write_history);               /* in a later one, if the file says so */
    reboot(place);
    leave(place, &a, "by hand", true);
    leave(place, &b, "by hand", true);
    journal_free(reopen(place));
    is_content(place, &a, "by hand");
    is_content(place, &b, "by hand");
    place_remove(place);
}

Test(journal, a_journal_that_ended_well_has_nothing_to_say)
{
    struct place *place = place_make();
    change(place, write_history);
    journal_free(reopen(place));
    reboot(place);
    leave(place, &a, "old", false);
    journal_free(reopen(place));
    is_content(place, &a, "old");
    place_remove(place);
}

/* Opens the journal over an empty folder, and says after which step of the history the files are. */
static size_t step_after(const struct place *place)
{
    leave(place, &a, NULL, false);
    leave(place, &b, NULL, false);
    journal_free(reopen(place));
    owned_memory char *of_a = content(place, &a), *of_b = content(place, &b);
    for (size_t i = 0; i < ARRAY_COUNT(history); i++)
        if (strcmp(of_a, history[i][0]) == 0 && strcmp(of_b, history[i][1]) == 0)
            return i;
    cr_assert_fail("'%s' and '%s' are of no step", of_a, of_b);
    return 0;
}

Test(journal, a_byte_that_is_wrong_takes_its_record_and_later_ones_and_nothing_else)
{
    enum { LOOKED_AT = 160 };           /* bytes of each page: the rest is padding */
    struct place *place = place_make();
    change(place, write_history);
    reboot(place);
    copy(place->path, place->image);
    owned_buffer struct buffer image = { 0 };
    error_scope(err);
    cr_assert_eq(file_read(place->image, JOURNAL_BYTES, &image, &err), 0);
    for (size_t page = 0; page < ARRAY_COUNT(history); page++) {
        const char *text = image.data + page * JOURNAL_PAGE;
        size_t end = strlen(text);
        cr_assert(end > 60 && end < LOOKED_AT - 1);
        for (size_t i = 0; i < LOOKED_AT; i++) {
            owned_fd int fd = open(place->path, O_WRONLY | O_CLOEXEC);
            const char wrong = text[i] ^ 1;
            cr_assert_eq(pwrite(fd, image.data, JOURNAL_PAGE * 5, 0), JOURNAL_PAGE * 5);
            cr_assert_eq(pwrite(fd, &wrong, 1, (off_t) (page * JOURNAL_PAGE + i)), 1);
            size_t wanted = page == 0 || i >= end ? ARRAY_COUNT(history) - 1 : page - 1;
            cr_assert_eq(step_after(place), wanted, "byte %zu of page %zu", i, page);
        }
    }
    place_remove(place);
}

Test(journal, one_that_is_cut_off_anywhere_gives_the_records_that_are_whole)
{
    struct place *place = place_make();
    error_scope(err);
    owned_buffer struct buffer image = { 0 };
    change(place, write_history);
    reboot(place);
    copy(place->path, place->image);
    cr_assert_eq(file_read(place->image, JOURNAL_BYTES, &image, &err), 0);
    for (size_t page = 0; page < ARRAY_COUNT(history); page++) {
        size_t end = strlen(image.data + page * JOURNAL_PAGE);
        const size_t cuts[] = { 0, 1, end / 2, end - 1, end, end + 1, JOURNAL_PAGE - 1 };
        for (size_t i = 0; i < ARRAY_COUNT(cuts); i++) {
            copy(place->image, place->path);
            cr_assert_eq(truncate(place->path, (off_t) (page * JOURNAL_PAGE + cuts[i])), 0);
            size_t whole = page == 0 ? 0 : cuts[i] >= end ? page : page - 1;
            cr_assert_eq(step_after(place), whole, "%zu pages and %zu bytes", page, cuts[i]);
        }
    }
    place_remove(place);
}

static WAITS void write_large(void *journal)
{
    owned_memory char *text = memory_new(LARGE + 1);
    memset(text, 'x', LARGE);
    put(journal, &a, "small");
    put(journal, &a, text);
    put(journal, &b, "small");
    loop_stop();
}

Test(journal, what_is_too_large_for_it_is_not_undone_by_an_older_record)
{
    struct place *place = place_make();
    change(place, write_large);
    reboot(place);
    struct stat st;
    owned_memory char *path = file_of(place, &a);
    leave(place, &b, NULL, false);
    journal_free(reopen(place));
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_size, LARGE);
    is_content(place, &b, "small");
    place_remove(place);
}

static WAITS void fill(void *journal)
{
    for (int i = 0; i < JOURNAL_BYTES / JOURNAL_PAGE; i++) {
        owned_memory char *text = memory_printf("%d%6000s", i, "");
        put(journal, i % 2 ? &a : &b, text);
    }
    put(journal, &b, "last");
    loop_stop();
}

Test(journal, begins_again_when_it_is_full)
{
    struct place *place = place_make();
    change(place, fill);
    struct stat st;
    cr_assert_eq(stat(place->path, &st), 0);
    cr_assert_eq(st.st_size, JOURNAL_BYTES);
    reboot(place);
    leave(place, &b, "", false);
    journal_free(reopen(place));
    is_content(place, &b, "last");
    place_remove(place);
}

static size_t begun, ended;
static char *fifo_place;

static WAITS void put_one(void *journal)
{
    const struct uuid uuid = { { (unsigned char) ++begun, 1, 2, 3 } };
    put(journal, &uuid, "one of many");
    if (++ended == MANY)
        loop_stop();
}

static void put_many(void *journal)
{
    for (int i = 0; i < MANY; i++)
        cr_assert_not_null(fiber_start(put_one, journal));
}

Test(journal, changes_that_come_together_are_all_made)
{
    struct place *place = place_make();
    error_scope(err);
    char **names;
    size_t count;
    change(place, put_many);
    owned_memory char *folder = memory_printf("%s/lib/domains", place->root);
    cr_assert_eq(folder_list(folder, &names, &count, &err), 0);
    cr_assert_eq(count, MANY);
    folder_names_free(names, count);
    place_remove(place);
}

static WAITS void write_around_a_fifo(void *journal)
{
    error_scope(err);
    owned_memory char *text = memory_new(LARGE + 1);
    memset(text, 'x', LARGE);
    put(journal, &a, "one");
    cr_assert_eq(file_remove(fifo_place, &err), 0);
    cr_assert_eq(mkfifo(fifo_place, 0600), 0);
    put(journal, &b, text);             /* is too large, so that the journal begins again */
    loop_stop();
}

Test(journal, what_somebody_put_in_a_files_place_keeps_no_other_from_the_disk)
{
    struct place *place = place_make();
    fifo_place = file_of(place, &a);
    change(place, write_around_a_fifo);
    owned_memory char *got = content(place, &b);
    cr_assert_eq(strlen(got), LARGE);
    free(fifo_place);
    place_remove(place);
}

/* As on a full disk: no file may grow any more. */
static WAITS void write_without_room(void *journal)
{
    error_scope(err);
    const char text[] = "a text for which there is no room";
    const struct rlimit none = { 10, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
    put(journal, &a, "before");
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    int rc = journal_put(journal, JOURNAL_DEFINITION, &a, text, strlen(text), &err);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
    cr_assert_eq(rc, -1);
    cr_assert_not_null(strstr(error_text(&err), UUID_A ".xml: File too large"), "%s", error_text(&err));
    put(journal, &b, "after");
    loop_stop();
}

Test(journal, a_change_for_which_there_is_no_room_fails_and_changes_nothing)
{
    struct place *place = place_make();
    change(place, write_without_room);
    is_content(place, &a, "before");
    reboot(place);
    leave(place, &b, NULL, false);
    journal_free(reopen(place));
    is_content(place, &a, "before");
    is_content(place, &b, "after");
    place_remove(place);
}
