/* SPDX-License-Identifier: Apache-2.0 */
/* cat.h - a small table with every kind of row, for the tests of the engine. */
#pragma once
#include "xml/element.h"

#define COLOURS(_) _(BLACK, "black") _(GREY, "grey") _(RED, "red")
DECLARE_ENUM(colour, COLOUR_ABSENT, COLOURS);

#define MOODS(_) _(HUNGRY, "hungry") _(TIRED, "tired") _(PLAYFUL, "playful")
DECLARE_ENUM(mood, MOOD_ABSENT, MOODS);

struct toy { const char *name; struct extras extras; };

struct bed { const char *room; uint32_t cushions; struct extras extras; };

struct cat {
    enum colour colour;
    enum mood mood;
    const char *food, *dream, *game, *secret, *collar, *whereabouts, *old_name;
    uint32_t age, lives;
    struct opt_u32 mice;
    bool indoor, chipped;
    enum yes_no friendly;
    const char *morning, *evening;
    struct bed bed;
    LIST_OF(struct cat) kittens;
    LIST_OF(struct toy) toys;
    struct raw *notes;
    struct extras extras;
};

DECLARE_ELEMENT(cat_element, struct cat);
