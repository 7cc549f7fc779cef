/* What all ciphers of this library share; each has a header of its own, finalist_CIPHER.h.
 *
 * Errors: every function that can fail returns an int, 0 if all is well and -1 if not, and compilers warn where
 * that is not looked at. Nothing here ends the program, allocates memory, or prints.
 *
 * Threads: all functions may be called from several at once, each with keys, counters and buffers that no
 * other is writing; only finalist_use must have returned before.
 */
#ifndef FINALIST_H
#define FINALIST_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FINALIST_API __attribute__((visibility("default")))
#else
#define FINALIST_API
#endif

/* Of functions that return an error code. */
#if defined(__GNUC__)
#define FINALIST_CHECK __attribute__((warn_unused_result))
#else
#define FINALIST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros over `bytes` bytes at `memory`, whatever the optimiser thinks of it: for keys that have served. `memory`
 * may be null where `bytes` is 0. */
FINALIST_API void finalist_wipe(void *memory, size_t bytes);

/* The sets of instructions that this library has programs for and that this CPU has, by name, the best
 * first and "portable" last; then a null pointer. */
FINALIST_API const char *const *finalist_levels(void);

/* From now on keys are set for programs of this level, or for portable ones where a cipher has none there;
 * null: for the best that the CPU has, as at the start. For tests and measurements: keys that are set already
 * stay as they are. Returns 0, or -1 and changes nothing if finalist_levels has no such name. */
FINALIST_API FINALIST_CHECK int finalist_use(const char *level);

/* What a key was set for, any cipher's: the level and the schedules of the programs, as text; null for a key that
 * was refused. */
FINALIST_API const char *finalist_programs(const void *key);

#ifdef __cplusplus
}
#endif

#endif
