/* SPDX-License-Identifier: Apache-2.0 */
#include "cat.h"

#include <string.h>

#include "base/text.h"

DEFINE_ENUM_CODEC(colour, COLOURS);
DEFINE_ENUM_CODEC(mood, MOODS);

#define SELF struct toy
PART(toy_element, "toy", "Something to play with.", TEXT(name, string, "name", REQUIRED));
#undef SELF

#define SELF struct bed
PART(bed_element, "bed", "Where it sleeps.",
    ATTR("room", room, string, "name of the room"),
    ATTR("cushions", cushions, u32, "number of cushions", ALWAYS));
#undef SELF

#define SELF struct cat
PART(kitten_element, "kitten", "A young cat.", ATTR("colour", colour, colour, "colour", DEFAULT("grey")));

PART(chip, "chip", "A mark under the skin.", PRESENT(chipped));

PART(morning, "meal", "Breakfast.", TEXT(morning, string, "what"));
PART(evening, "meal", "Dinner.", TEXT(evening, string, "what"));

PART(temper, "temper", "How it is today.",
    ATTR("mood", mood, mood, "mood", DEFAULT("hungry")),
    ATTR("wish", food, string, "food", IF(mood, HUNGRY)),
    ATTR("wish", dream, string, "dream", IF(mood, TIRED)),
    ATTR("wish", game, string, "game", IF(mood, PLAYFUL), AND_IF(colour, RED)));

static bool is_engraved(const void *member)
{
    const char *text = *(const char *const *) member;
    return text && text_starts(text, "engraved-");
}

static void cat_check(void *self, struct xml_context *x)
{
    const struct cat *cat = self;
    if (cat->age > 30)
        xml_refuse(x, &cat->age, ERR_CONFIG_UNSUPPORTED, "at most 30", "no cat is %u years old", cat->age);
}

const struct element cat_element = ELEMENT_CHECKED("cat", "A cat.", cat_check,
    ATTR("colour", colour, colour, "colour of its fur"),
    ATTR("lives", lives, u32, "how many are left", RANGE(1, 9)),
    ATTR("mice", mice, opt_u32, "how many it caught"),
    ATTR("friendly", friendly, yes_no, "to strangers"),
    ATTR("password", secret, string, "what opens the flap", SECRET),
    ATTR("at", whereabouts, string, "where it is now", LIVE_ONLY),
    ATTR("collar", collar, string, "text on the collar", LIVE_UNLESS(is_engraved)),
    LEAF("age", age, u32, "years"),
    LEAF("called", old_name, string, "an old name", LEGACY),
    FLAG("indoor", indoor, "It stays inside."),
    INLINE(chip), INLINE(temper),
    INLINE(morning, ROLE("at", "morning")),
    INLINE(evening, ROLE("at", "evening")),
    NESTED(bed, bed_element),
    LIST(kittens, kitten_element),
    LIST(toys, toy_element),
    RAW("notes", notes, "Whatever others wrote."));
