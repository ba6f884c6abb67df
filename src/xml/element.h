/* SPDX-License-Identifier: Apache-2.0 */
/* element.h - an XML element and a C struct, kept in step by one table.
 *
 * A table says what an element may contain and where each part lives in the struct; from it the engine
 * parses, formats and copies.  Rows match by namespace and name, so a prefixed element is never taken for
 * ours.  A member of another type than its row's codec does not compile.
 *
 *     #define SELF struct cat
 *     PART(home, "home", "Where it sleeps.", ATTR("room", room, string, "name of the room", REQUIRED));
 *     const struct element cat_element = ELEMENT_CHECKED("cat", "A cat.", cat_check,
 *         ATTR("colour", colour, cat_colour, "colour of its fur", DEFAULT("black")),
 *         INLINE(home),
 *         LIST(kittens, kitten_element));
 *
 * Rows are parsed in their order, so a row's IF() looks at rows above it, whose DEFAULTs are in place by
 * then; they are formatted in the same order.  A value that cannot be read stays absent and is reported;
 * parsing goes on, and the check function sees the struct all the same, so checks must bear with absent
 * members.
 */
#pragma once
#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "xml/codec.h"
#include "xml/findings.h"
#include "xml/value.h"

struct xml_context;

enum field_kind {
    END_OF_FIELDS,
    FIELD_ATTR,                 /* an attribute */
    FIELD_TEXT,                 /* the element's own text */
    FIELD_PRESENT,              /* true because the element is there at all */
    FIELD_FLAG,                 /* an empty child whose presence is the value */
    FIELD_LEAF,                 /* a child that holds nothing but text */
    FIELD_INLINE,               /* a child that lives in the same struct */
    FIELD_NESTED,               /* a child that lives in a struct inside this one */
    FIELD_CHILD,                /* an optional child with a struct of its own */
    FIELD_LIST,                 /* any number of those */
    FIELD_RAW,                  /* a child kept as it is */
};

/* The row exists only while the enum at `offset` has one of these values. */
struct guard { size_t offset; uint64_t values; };

struct field {
    enum field_kind kind;
    const char *name;                   /* of ATTR, FLAG, LEAF, RAW */
    const struct codec *codec;
    const struct element *element;      /* of INLINE, NESTED, CHILD, LIST */
    size_t offset;
    const char *doc;
    bool required;
    bool always;                        /* written even when empty, once its element is */
    bool live_only;                     /* neither read from nor written to inactive XML ... */
    bool (*lasts)(const void *member);  /* ... but for values of which this says so */
    bool secret;                        /* left out unless asked for */
    bool legacy;                        /* read, never written */
    bool unless_same;                   /* not written while it equals ... */
    size_t same_as;                     /* ... the member there, which has the same codec */
    const char *fallback;               /* DEFAULT: what an absent one is read as */
    enum error_code code;               /* what a bad value fails with; ERR_XML if not set */
    bool ranged;
    uint64_t low, high;
    struct guard guards[2];             /* both must hold */
    const char *role, *role_value;      /* a child only counts if it has this attribute with this value */
};

struct element {
    const char *name;
    size_t size;
    size_t extras;                      /* offset of the struct's `extras` */
    const struct field *fields;
    const char *doc;
    void (*check)(void *self, struct xml_context *x);   /* what a table cannot say; reports by xml_refuse() */
};

/* What becomes of content that no table knows. */
enum xml_verdict { XML_DROP, XML_KEEP, XML_KEEP_BLOCKING };

struct xml_policy {
    /* `parent` is the path of the element that holds it, without the root's name ("devices/disk", "" for the
     * root); `name` is "foo", "{URI}foo" if it has a namespace, and an attribute's has an '@' in front. */
    enum xml_verdict (*judge)(const char *parent, const char *name);
};

enum xml_flags {
    XML_STRICT = 1,             /* read: content that would be dropped is an error (ERR_XML_SCHEMA) */
    XML_LIVE = 2,               /* with LIVE_ONLY rows */
    XML_SECRETS = 4,            /* write: with SECRET rows */
};

enum { XML_DEPTH_MAX = 256, XML_ATTRIBUTES_MAX = 512 };

/* Reads a document whose root is `e`.  Longer than `max` bytes, not well-formed, not UTF-8, deeper than
 * XML_DEPTH_MAX, wider than XML_ATTRIBUTES_MAX or with a document type: an error, and no finding.  Otherwise
 * the struct comes back, whatever findings->errors says.  Nothing outside the text is ever read. */
void *xml_read(const struct element *e, const char *text, size_t length, size_t max, unsigned flags,
               const struct xml_policy *policy, void *user, struct arena *arena, struct findings *findings,
               struct error *err);
void xml_write(const struct element *e, const void *self, unsigned flags, struct buffer *out);
/* The copy's strings and children live in `arena`. */
void *xml_copy(const struct element *e, const void *self, struct arena *arena);

/* Calls fn for everything kept in it or below; stops and returns what fn returned if that is not 0. */
struct extra;
int xml_each_extra(const struct element *e, const void *self, int (*fn)(void *arg, const struct extra *extra),
                   void *arg);

/* For check functions.  `member` is the address of the member to blame, or of the struct; the finding gets
 * the line, path and text of what was read into it, or of the innermost element around it. */
void xml_refuse(struct xml_context *x, const void *member, enum error_code code, const char *expected,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
void xml_warn(struct xml_context *x, const void *member, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct arena *xml_arena(struct xml_context *x);
void *xml_user(struct xml_context *x);
unsigned xml_flags_of(struct xml_context *x);
bool xml_has_errors(struct xml_context *x);

/* Adds an item to a LIST_OF; the old array stays behind in the arena. */
void list_add(struct arena *arena, void *list, void *item);

/* The vocabulary of tables.  SELF names the struct that is described. */
#define SAME_TYPE_(a, b) (0 * sizeof(char[__builtin_types_compatible_p(a, b) ? 1 : -1]))
#define TYPE_OF_MEMBER_(m) __typeof__(((SELF *) 0)->m)
#define MEMBER_(m, ctype) (offsetof(SELF, m) + SAME_TYPE_(TYPE_OF_MEMBER_(m), ctype))
#define SCALAR_(m, type, text) .codec = &codec_##type, .offset = MEMBER_(m, ctype_##type), .doc = text
#define ATTR(n, m, type, text, ...) \
    { .kind = FIELD_ATTR, .name = n, SCALAR_(m, type, text), __VA_ARGS__ }
#define TEXT(m, type, text, ...) \
    { .kind = FIELD_TEXT, SCALAR_(m, type, text), __VA_ARGS__ }
#define PRESENT(m, ...) \
    { .kind = FIELD_PRESENT, SCALAR_(m, presence, NULL), __VA_ARGS__ }
#define FLAG(n, m, text, ...) \
    { .kind = FIELD_FLAG, .name = n, SCALAR_(m, presence, text), __VA_ARGS__ }
#define LEAF(n, m, type, text, ...) \
    { .kind = FIELD_LEAF, .name = n, SCALAR_(m, type, text), __VA_ARGS__ }
#define INLINE(e, ...) \
    { .kind = FIELD_INLINE, .element = &e, .offset = SAME_TYPE_(SELF, e##_type), __VA_ARGS__ }
#define NESTED(m, e, ...) \
    { .kind = FIELD_NESTED, .element = &e, .offset = MEMBER_(m, e##_type), __VA_ARGS__ }
#define CHILD(m, e, ...) \
    { .kind = FIELD_CHILD, .element = &e, .offset = MEMBER_(m, e##_type *), __VA_ARGS__ }
#define LIST(m, e, ...) \
    { .kind = FIELD_LIST, .element = &e, \
      .offset = offsetof(SELF, m) + SAME_TYPE_(TYPE_OF_MEMBER_(m.items), e##_type **), __VA_ARGS__ }
#define RAW(n, m, text, ...) \
    { .kind = FIELD_RAW, .name = n, .offset = MEMBER_(m, struct raw *), .doc = text, __VA_ARGS__ }

#define REQUIRED .required = true
#define ALWAYS .always = true
#define LIVE_ONLY .live_only = true
#define LIVE_UNLESS(fn) .live_only = true, .lasts = fn
#define SECRET .secret = true
#define LEGACY .legacy = true
#define UNLESS_SAME_AS(m) .unless_same = true, .same_as = offsetof(SELF, m)
#define DEFAULT(text) .fallback = text
#define CODE(error) .code = error
#define RANGE(least, most) .ranged = true, .low = least, .high = most
#define NONZERO RANGE(1, UINT32_MAX)
#define ROLE(attribute, word) .role = attribute, .role_value = word
#define IF(m, ...) .guards[0] = { GUARD_MEMBER_(m), BITS_(__VA_ARGS__) }
#define UNLESS(m, ...) .guards[0] = { GUARD_MEMBER_(m), ~BITS_(__VA_ARGS__) }
#define AND_IF(m, ...) .guards[1] = { GUARD_MEMBER_(m), BITS_(__VA_ARGS__) }
#define IS_ENUM_(m) (0 * sizeof(char[sizeof(TYPE_OF_MEMBER_(m)) == sizeof(int) ? 1 : -1]))
#define GUARD_MEMBER_(m) (offsetof(SELF, m) + IS_ENUM_(m))
#define BIT_(v) ((v) < 0 ? 0 : UINT64_C(1) << ((v) & 63))
#define BITS_(...) BITS_OF_(__VA_ARGS__, -1, -1, -1, -1, -1, -1, -1, -1)
#define BITS_OF_(a, b, c, d, e, f, g, h, ...) \
    (BIT_(a) | BIT_(b) | BIT_(c) | BIT_(d) | BIT_(e) | BIT_(f) | BIT_(g) | BIT_(h))

#define ELEMENT_CHECKED(n, text, fn, ...) \
    { .name = n, .size = sizeof(SELF), .extras = MEMBER_(extras, struct extras), .doc = text, .check = fn, \
      .fields = (const struct field[]) { __VA_ARGS__, { .kind = END_OF_FIELDS } } }
#define ELEMENT(n, text, ...) ELEMENT_CHECKED(n, text, NULL, __VA_ARGS__)
/* A table for use in this file only, of the struct SELF. */
#define PART(table, n, text, ...) PART_CHECKED(table, n, text, NULL, __VA_ARGS__)
#define PART_CHECKED(table, n, text, fn, ...) \
    typedef SELF table##_type; \
    static const struct element table = ELEMENT_CHECKED(n, text, fn, __VA_ARGS__)
