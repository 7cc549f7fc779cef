/* finalist_test [--costs] [--level NAME] [CIPHER...]: all ciphers, or those named, on all levels that this CPU has, or
 * the one named. With --costs they are measured, not tested. Exit status: 0 all is right; 1 something was wrong; 2 bad usage. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "finalist.h"

extern const struct cipher *const ciphers[]; /* ciphers.c; a null pointer ends them */

static int wanted(const struct cipher *cipher, int count, char **names)
{
    if (!count)
        return 1;
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], cipher->name))
            return 1;
    return 0;
}

static int known(const char *name)
{
    for (const struct cipher *const *cipher = ciphers; *cipher; cipher++)
        if (!strcmp((*cipher)->name, name))
            return 1;
    return 0;
}

int main(int count, char **arguments)
{
    const char *level = 0;
    int wrong = 0, costs = 0;
    count--;
    arguments++;
    if (count >= 1 && !strcmp(arguments[0], "--costs")) {
        costs = 1;
        count--;
        arguments++;
    }
    if (count >= 2 && !strcmp(arguments[0], "--level")) {
        level = arguments[1];
        count -= 2;
        arguments += 2;
        if (finalist_use(level)) {
            fprintf(stderr, "no level %s on this CPU\n", level);
            return 2;
        }
    }
    for (int i = 0; i < count; i++)
        if (!known(arguments[i])) {
            fprintf(stderr, "no cipher %s in this library\n", arguments[i]);
            return 2;
        }
    if (costs)
        print_clock();
    for (const struct cipher *const *cipher = ciphers; *cipher; cipher++)
        if (wanted(*cipher, count, arguments))
            for (const char *const *name = finalist_levels(); *name; name++)
                if (!level || !strcmp(level, *name)) {
                    if (costs)
                        print_costs(*cipher, *name);
                    else
                        wrong += check(*cipher, *name);
                }
    return wrong != 0;
}
