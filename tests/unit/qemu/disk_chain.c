/* SPDX-License-Identifier: Apache-2.0 */
/* Images below images, as their headers say it. */
#include "qemu/disk_chain.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "loop/loop.h"
#include "qemu/image_header.h"

/* --- images --- */

static char root[] = "/tmp/chain-XXXXXX";

static void put(unsigned char *bytes, size_t at, uint64_t value, size_t size)
{
    while (size-- > 0) {
        bytes[at + size] = (unsigned char) value;
        value >>= 8;
    }
}

enum { LENGTH = 512, NAME_AT = 256 };

/* A version 3 header with a backing file and, unless NULL, its format. */
static void make_header(unsigned char *bytes, const char *below, const char *format)
{
    memset(bytes, 0, LENGTH);
    memcpy(bytes, "QFI\xfb", 4);
    put(bytes, 4, 3, 4);
    put(bytes, 24, 1 << 20, 8);
    put(bytes, 100, 104, 4);
    if (format) {
        put(bytes, 104, 0xe2792aca, 4);
        put(bytes, 108, strlen(format), 4);
        strcpy((char *) bytes + 112, format);
    }
    if (below) {
        put(bytes, 8, NAME_AT, 8);
        put(bytes, 16, strlen(below), 4);
        strcpy((char *) bytes + NAME_AT, below);
    }
}

static void write_bytes(const char *name, const unsigned char *bytes)
{
    error_scope(err);
    owned_memory char *path = memory_printf("%s/%s", root, name);
    cr_assert_eq(file_replace(path, bytes, LENGTH, 0644, &err), 0, "%s", error_text(&err));
}

static void make_image(const char *name, const char *below, const char *format)
{
    unsigned char bytes[LENGTH];
    make_header(bytes, below, format);
    write_bytes(name, bytes);
}

static void make_raw(const char *name)
{
    const unsigned char bytes[LENGTH] = { 0 };
    write_bytes(name, bytes);
}

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(root));
}

static void remove_folder(void)
{
    error_scope(err);
    char **names;
    size_t count;
    cr_assert_eq(folder_list(root, &names, &count, &err), 0);
    for (size_t i = 0; i < count; i++) {
        owned_memory char *path = memory_printf("%s/%s", root, names[i]);
        unlink(path);
    }
    folder_names_free(names, count);
    rmdir(root);
}

TestSuite(disk_chain, .init = make_folder, .fini = remove_folder);

/* --- a domain of one disk --- */

struct scene { struct domain_def *def; int rc; struct error err; };

static void complete_fiber(void *arg)
{
    struct scene *scene = arg;
    scene->rc = disk_chains_complete(scene->def, &scene->err);
}

static struct domain_def *define(const char *name, const char *below)
{
    error_scope(err);
    owned_buffer struct buffer xml = { 0 };
    buffer_printf(&xml,
                  "<domain type='qemu'><name>d</name><memory>1024</memory><os><type>hvm</type></os><devices>"
                  "<disk><driver type='qcow2'/><source file='%s/%s'/>%s<target dev='vda'/></disk></devices>"
                  "</domain>", root, name, below);
    struct domain_def *def = domain_def_parse(xml.data, xml.length, 0, NULL, NULL, &err);
    cr_assert_not_null(def, "%s", error_text(&err));
    return def;
}

static struct scene complete(const char *name, const char *below)
{
    struct scene scene = { .def = define(name, below) };
    loop_init();
    fiber_start(complete_fiber, &scene);
    loop_run();
    loop_done();
    return scene;
}

static void done(struct scene *scene)
{
    domain_def_unref(scene->def);
    error_clear(&scene->err);
}

static void refuse(const char *name, const char *word)
{
    struct scene scene = complete(name, "");
    cr_assert_lt(scene.rc, 0, "%s was accepted", name);
    cr_assert(text_starts(error_text(&scene.err), "disk 'vda': "), "%s", error_text(&scene.err));
    cr_assert_not_null(strstr(error_text(&scene.err), word), "%s", error_text(&scene.err));
    done(&scene);
}

static const struct disk *image_at(const struct scene *scene, unsigned steps)
{
    const struct disk *image = scene->def->disks.items[0];
    while (image && steps-- > 0)
        image = image->backing;
    return image;
}

Test(disk_chain, is_read_from_the_headers_down_to_its_end)
{
    make_image("top", "middle", "qcow2");
    owned_memory char *base = memory_printf("%s/base", root);
    make_image("middle", base, "raw");
    make_raw("base");
    struct scene scene = complete("top", "");
    cr_assert_eq(scene.rc, 0, "%s", error_text(&scene.err));
    owned_memory char *middle = memory_printf("%s/middle", root);
    cr_assert_eq(disk_images_below(image_at(&scene, 0)), 2);
    cr_assert_str_eq(image_at(&scene, 1)->file, middle, "a relative name is beside the image that has it");
    cr_assert_eq(image_at(&scene, 1)->format, DISK_QCOW2);
    cr_assert_str_eq(image_at(&scene, 2)->file, base);
    cr_assert_eq(image_at(&scene, 2)->format, DISK_RAW);
    cr_assert_eq(image_at(&scene, 3)->type, DISK_TYPE_ABSENT, "nothing is below");
    done(&scene);
}

Test(disk_chain, goes_on_where_the_definition_ends_and_not_where_it_says_so)
{
    make_image("top", "other", "qcow2");
    make_image("given", "base", "raw");
    make_raw("base");
    owned_memory char *open = memory_printf("<backingStore type='file'><format type='qcow2'/>"
                                            "<source file='%s/given'/></backingStore>", root);
    struct scene scene = complete("top", open);
    cr_assert_eq(scene.rc, 0, "%s", error_text(&scene.err));
    cr_assert_eq(disk_images_below(image_at(&scene, 0)), 2);
    done(&scene);
    scene = complete("top", "<backingStore/>");
    cr_assert_eq(scene.rc, 0);
    cr_assert_eq(disk_images_below(image_at(&scene, 0)), 0);
    done(&scene);
}

Test(disk_chain, without_a_recorded_format_is_accepted_only_where_nothing_is_below)
{
    make_image("top", "harmless", NULL);
    make_raw("harmless");
    struct scene scene = complete("top", "");
    cr_assert_eq(scene.rc, 0, "%s", error_text(&scene.err));
    cr_assert_eq(image_at(&scene, 1)->format, DISK_RAW);
    done(&scene);
    make_image("trap", "fake", NULL);
    make_image("fake", "/etc/shadow", "raw");
    refuse("trap", "is not recorded");
}

Test(disk_chain, that_is_a_raw_image_by_record_is_not_looked_into)
{
    make_image("top", "fake", "raw");
    make_image("fake", "/etc/shadow", "raw");
    struct scene scene = complete("top", "");
    cr_assert_eq(scene.rc, 0, "%s", error_text(&scene.err));
    cr_assert_eq(disk_images_below(image_at(&scene, 0)), 1);
    done(&scene);
}

Test(disk_chain, that_is_missing_or_a_loop_or_on_a_server_is_refused_by_name)
{
    make_image("broken", "gone", "qcow2");
    refuse("broken", "/gone', which is below");
    make_image("a", "b", "qcow2");
    make_image("b", "a", "qcow2");
    refuse("a", "loop");
    make_image("remote", "nbd://server/x", "raw");
    refuse("remote", "describe it by <backingStore>");
    make_image("odd", "base", "qcow9");
    make_raw("base");
    refuse("odd", "unknown format 'qcow9'");
    make_image("dirty", "ba\x01se", "raw");
    refuse("dirty", "XML cannot hold");
}

Test(disk_chain, of_more_images_than_anybody_has_is_refused)
{
    for (unsigned i = 0; i <= DISK_IMAGES_MAX; i++) {
        owned_memory char *name = memory_printf("i%u", i), *below = memory_printf("i%u", i + 1);
        make_image(name, i < DISK_IMAGES_MAX ? below : NULL, "qcow2");
    }
    refuse("i0", "more than 100 images");
    struct scene scene = complete("i1", "");
    cr_assert_eq(scene.rc, 0, "%s", error_text(&scene.err));
    done(&scene);
}

Test(disk_chain, of_an_image_that_is_not_there_is_left_to_the_emulator)
{
    struct scene scene = complete("nowhere", "");
    cr_assert_eq(scene.rc, 0);
    cr_assert_null(image_at(&scene, 1));
    done(&scene);
}

/* --- one header --- */

Test(image_header, with_a_name_outside_of_it_is_refused)
{
    error_scope(err);
    unsigned char bytes[LENGTH];
    struct image_header header;
    make_header(bytes, "base", "raw");
    cr_assert_eq(image_header_parse(bytes, LENGTH, &header, &err), 0, "%s", error_text(&err));
    cr_assert_eq(header.capacity, 1 << 20);
    cr_assert_lt(image_header_parse(bytes, NAME_AT + 2, &header, &err), 0);
    error_clear(&err);
    put(bytes, 16, UINT32_MAX, 4);
    cr_assert_lt(image_header_parse(bytes, LENGTH, &header, &err), 0);
    error_clear(&err);
    put(bytes, 16, 4, 4);
    put(bytes, 8, UINT64_MAX, 8);
    cr_assert_lt(image_header_parse(bytes, LENGTH, &header, &err), 0);
}

Test(image_header, names_a_file_in_several_spellings)
{
    static const struct { const char *name, *file; } names[] = {
        { "base", "/images/base" }, { "../base", "/images/../base" }, { "/x/base", "/x/base" },
        { "file:/x/base", "/x/base" }, { "file:///x/base", "/x/base" }, { "a/b:c", "/images/a/b:c" },
        { "json:{\"driver\":\"qcow2\",\"file\":{\"driver\":\"file\",\"filename\":\"/x/base\"}}", "/x/base" },
        { "json:{\"file.filename\":\"base\"}", "/images/base" },
        { "nbd:server:10809", NULL }, { "json:{\"driver\":\"nbd\",\"host\":\"x\"}", NULL },
        { "json:{", NULL }, { "file:", NULL },
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        error_scope(err);
        owned(arena) struct arena *arena = arena_new();
        struct disk image = { 0 };
        int rc = image_locate("/images/top", names[i].name, arena, &image, &err);
        cr_assert_eq(rc == 0, names[i].file != NULL, "%s: %s", names[i].name, error_text(&err));
        cr_assert(text_equal(image.file, names[i].file), "%s: %s", names[i].name, image.file);
    }
}
