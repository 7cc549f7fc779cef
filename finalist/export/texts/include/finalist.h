/* What all ciphers of this library share; each has a header of its own, finalist_CIPHER.h.
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

#ifdef __cplusplus
extern "C" {
#endif

/* Zeros over `bytes` bytes at `memory`, whatever the optimiser thinks of it: for keys that have served. */
FINALIST_API void finalist_wipe(void *memory, size_t bytes);

/* The sets of instructions that this library has programs for and that this CPU has, by name, the best
 * first and "portable" last; then a null pointer. */
FINALIST_API const char *const *finalist_levels(void);

/* From now on keys are set for programs of this level, or for portable ones where a cipher has none there;
 * null: for the best that the CPU has, as at the start. For tests and measurements: keys that are set already
 * stay as they are. Returns 0, or -1 and changes nothing if finalist_levels has no such name. */
FINALIST_API int finalist_use(const char *level);

/* What a key was set for, any cipher's: the level and the schedules of the programs, as text. */
FINALIST_API const char *finalist_programs(const void *key);

#ifdef __cplusplus
}
#endif

#endif
