/*
 * What stands between a call from Python and a cipher's function. A plan has what is the same for all keys, a
 * caller what belongs to one object: its key, expanded for a program when that first serves. Calls that need
 * no thought are served: bytes in, a new object or memory of the same size out. All others are answered with
 * `slow`, which has the object take the long way.
 *
 * Of Python only functions of its stable interface are used ("C API Stability" in its reference). They are
 * declared here, and found in the running interpreter, so that none of its headers are needed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct object PyObject;
typedef ptrdiff_t Py_ssize_t;

typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;

#define PyBUF_WRITABLE 1
#define PyBUF_FORMAT 4
#define PyBUF_ND 8

int PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
void PyBuffer_Release(Py_buffer *view);
PyObject *PyBytes_FromStringAndSize(const char *text, Py_ssize_t size);
char *PyBytes_AsString(PyObject *object);
int PyBytes_AsStringAndSize(PyObject *object, char **text, Py_ssize_t *size);
char *PyByteArray_AsString(PyObject *object);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *object);
PyObject *PyCapsule_New(void *pointer, const char *name, void (*destructor)(PyObject *capsule));
void *PyCapsule_GetPointer(PyObject *capsule, const char *name);
void PyErr_Clear(void);
PyObject *PyErr_Occurred(void);
PyObject *PyErr_NoMemory(void);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);

typedef PyObject *(*fastcall)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

typedef struct {
    const char *name;
    fastcall function;
    int flags;
    const char *documentation;
} PyMethodDef;

#define METH_FASTCALL 0x80

PyObject *PyCFunction_NewEx(PyMethodDef *method, PyObject *self, PyObject *module);

/* Bytes of a message from which on other threads of Python run meanwhile. */
#define LONG_MESSAGE 4096

#define MOST_RUNGS 8

/* Expanded keys lie at a cache line. */
#define LINE 64

typedef void (*plain)(const void *key, const uint8_t *in, uint8_t *out, size_t count);
typedef void (*mode)(const void *key, uint8_t *state, const uint8_t *in, uint8_t *out, size_t count);

/* A program. */
typedef struct {
    uint64_t least; /* blocks of a message from which on it serves */
    uint64_t pays;  /* blocks in such messages, under one key, that setting up the key for it is worth */
    void *function; /* null where there is none yet */
    void (*expand)(const uint8_t *key, void *expanded);
    uint64_t key_bytes; /* of an expanded key */
    uint64_t whole;     /* blocks of its smallest call, which takes as long for fewer; 0 where there is none */
    uint64_t rest;      /* beyond such calls, fewer blocks than these are done sooner by a program before it, */
    uint64_t fresh;     /* and fewer than these where a key is to be set up for that */
} rung;

/* finalist_in_parts of engine/parts.c. */
typedef void (*parted)(void *way, void *function, const void *key, uint8_t *state, const uint8_t *in,
                       uint8_t *out, uint64_t size);

/* The fields of finalist.calling.Plan: what is the same for all keys. */
typedef struct {
    PyObject *none, *slow;
    uint64_t block; /* bytes of a block */
    uint64_t unit;  /* data is a multiple of so many bytes, and a function's count one of units */
    uint64_t alone; /* 1 where calls change what the next begins with, so that they take turns */
    uint64_t one_key; /* 1 where all programs work on the first one's expanded key, which is the state of a stream */
    uint64_t rungs;
    rung rung[MOST_RUNGS];
} plan;

/* The fields of finalist.calling.Caller, then the bytes of state and key. */
typedef struct {
    const plan *plan;
    uint64_t free;  /* fewer blocks than these are worked on without another thought */
    uint64_t left;  /* bytes of the last block that were not used */
    uint64_t waits; /* 1 while a call has gone the long way, or waits there for its turn */
    uint64_t busy;  /* 1 while finalist_call works */
    uint8_t *state; /* of the mode, or null */
    uint8_t *key;
    void *parted;   /* what works on long messages by several threads, or null */
    void *way;
    uint64_t seen[MOST_RUNGS]; /* blocks that a program would have worked on, had its key been set up */
    void *memory[MOST_RUNGS];  /* of expanded keys; null where there is none yet */
} caller;

PyObject *finalist_open(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *finalist_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
int finalist_work(caller *c, const uint8_t *in, uint8_t *out, uint64_t size);

static PyObject *same(PyObject *object)
{
    Py_IncRef(object);
    return object;
}

static uint64_t blocks_of(const plan *p, uint64_t size)
{
    return size / p->block + (size % p->block != 0);
}

/* Where the expanded key for a program is. */
static int key_place(const plan *p, int place)
{
    return p->one_key ? 0 : place;
}

/* Which program serves so many blocks; -1 where there is none yet, and it is not wanted `now`. */
static int chosen(caller *c, uint64_t blocks, int now)
{
    const plan *p = c->plan;
    for (int i = (int)p->rungs - 1; i >= 0; i--) {
        const rung *r = &p->rung[i];
        if (r->least > blocks || (now && !r->function))
            continue;
        if (!r->function)
            return -1;
        if (c->memory[key_place(p, i)] || (c->seen[i] += blocks) >= r->pays)
            return i;
        now = 1;
    }
    return -1;
}

/* The key for a program, set up if it was not yet; null if there is no memory for it. */
static const void *key_for(caller *c, int place)
{
    const int at = key_place(c->plan, place);
    const rung *r = &c->plan->rung[at];
    void *const had = c->memory[at];
    if (!had)
        c->memory[at] = malloc(r->key_bytes + LINE - 1);
    if (!c->memory[at])
        return PyErr_NoMemory();
    void *key = (void *)(((uintptr_t)c->memory[at] + LINE - 1) / LINE * LINE);
    if (!had)
        r->expand(c->key, key);
    return key;
}

/* Which program does so many blocks, beyond whole calls of another, sooner than that one; -1 where none does. */
static int for_rest(const caller *c, int place, uint64_t rest)
{
    const rung *own = &c->plan->rung[place];
    for (int i = place - 1; i >= 0; i--) {
        const rung *r = &c->plan->rung[i];
        if (r->function && r->least <= rest)
            return rest < (c->memory[key_place(c->plan, i)] ? own->rest : own->fresh) ? i : -1;
    }
    return -1;
}

/* A stretch of a message, and what works on it. */
typedef struct {
    void *function;
    const void *key;
    uint64_t size;
} part;

/* A message as stretches: whole calls of a program, the rest by one before it, and so on; 0 with an exception. */
static int cut(caller *c, int place, uint64_t size, part *parts)
{
    const plan *p = c->plan;
    int count = 0;
    while (place >= 0) {
        const rung *r = &p->rung[place];
        const uint64_t blocks = blocks_of(p, size), rest = r->whole ? blocks % r->whole : 0;
        const int next = rest && rest < blocks ? for_rest(c, place, rest) : -1;
        const uint64_t now = next < 0 ? size : (blocks - rest) * p->block;
        const void *key = key_for(c, place);
        if (!key)
            return 0;
        parts[count++] = (part){r->function, key, now};
        size -= now;
        place = next;
    }
    return count;
}

static void work_on(caller *c, const part *p, const uint8_t *in, uint8_t *out, int long_message)
{
    const size_t count = (size_t)(p->size / c->plan->unit);
    if (long_message && c->parted)
        ((parted)c->parted)(c->way, p->function, p->key, c->state, in, out, p->size);
    else if (c->state)
        ((mode)p->function)(p->key, c->state, in, out, count);
    else
        ((plain)p->function)(p->key, in, out, count);
}

/* 1, or 0 with an exception. The plan is read before other threads of Python run, which may change it. */
static int work(caller *c, int place, const uint8_t *in, uint8_t *out, uint64_t size)
{
    part parts[MOST_RUNGS];
    const int count = cut(c, place, size, parts);
    if (!count)
        return 0;
    void *thread = size < LONG_MESSAGE ? NULL : PyEval_SaveThread();
    for (int i = 0; i < count; in += parts[i].size, out += parts[i].size, i++)
        work_on(c, &parts[i], in, out, thread != NULL);
    if (thread)
        PyEval_RestoreThread(thread);
    return 1;
}

/* For the long way, from address to address. */
int finalist_work(caller *c, const uint8_t *in, uint8_t *out, uint64_t size)
{
    return work(c, chosen(c, blocks_of(c->plan, size), 1), in, out, size);
}

/* Whether memory of `size` bytes is the input's, or lies apart from it. */
static int apart(const uint8_t *in, const uint8_t *out, uint64_t size)
{
    const uintptr_t a = (uintptr_t)in, b = (uintptr_t)out;
    return a == b || (a < b ? b - a : a - b) >= size;
}

/* Take an object's memory, in one piece; 0 if that can't be had, or is made of references to objects. */
static int taken(PyObject *object, Py_buffer *view, int flags)
{
    if (PyObject_GetBuffer(object, view, PyBUF_ND | PyBUF_FORMAT | flags)) {
        PyErr_Clear();
        return 0;
    }
    if (!view->format || !strchr(view->format, 'O'))
        return 1;
    PyBuffer_Release(view);
    return 0;
}

static PyObject *into(caller *c, int place, const Py_buffer *in, PyObject *target)
{
    Py_buffer out;
    PyObject *const slow = c->plan->slow;
    if (!taken(target, &out, PyBUF_WRITABLE))
        return same(slow);
    const int fits = out.len == in->len && apart(in->buf, out.buf, (uint64_t)in->len);
    const int done = fits && work(c, place, in->buf, out.buf, (uint64_t)in->len);
    PyBuffer_Release(&out);
    return fits && !done ? NULL : same(done ? c->plan->none : slow);
}

static PyObject *onto_new(caller *c, int place, const Py_buffer *in)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, in->len);
    if (made && !work(c, place, in->buf, (uint8_t *)PyBytes_AsString(made), (uint64_t)in->len)) {
        Py_DecRef(made);
        return NULL;
    }
    return made;
}

static PyObject *served(caller *c, const Py_buffer *in, PyObject *target)
{
    const plan *p = c->plan;
    const uint64_t size = (uint64_t)in->len, blocks = blocks_of(p, size);
    const int place = !size || size % p->unit || blocks >= c->free ? -1 : chosen(c, blocks, 0);
    if (place < 0)
        return same(p->slow);
    PyObject *result = target == p->none ? onto_new(c, place, in) : into(c, place, in, target);
    if (result && result != p->slow) {
        c->free -= blocks;
        c->left = blocks * p->block - size;
    }
    return result;
}

/* METH_FASTCALL; `self` is a capsule of a caller, the arguments are data and output. */
PyObject *finalist_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    caller *c = PyCapsule_GetPointer(self, NULL);
    const plan *p = c->plan;
    Py_buffer in;
    if (count != 2 || c->left || (p->alone && (c->waits || c->busy)))
        return same(p->slow);
    c->busy = 1;
    PyObject *result = NULL;
    if (taken(arguments[0], &in, 0)) {
        result = served(c, &in, arguments[1]);
        PyBuffer_Release(&in);
    } else {
        result = same(p->slow);
    }
    c->busy = 0;
    return result;
}

static void closed(PyObject *capsule)
{
    caller *c = PyCapsule_GetPointer(capsule, NULL);
    for (int i = 0; i < MOST_RUNGS; i++)
        free(c->memory[i]);
    free(c);
}

static PyMethodDef call = {"crypt", finalist_call, METH_FASTCALL, NULL};

/*
 * METH_FASTCALL; `self` is a bytearray that holds a plan, the arguments are key, state (both bytes) and the
 * number of blocks that are free. The function that is returned keeps the plan alive.
 */
PyObject *finalist_open(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    char *key, *state;
    Py_ssize_t key_size, state_size;
    if (count != 3)
        return same(((plan *)(void *)PyByteArray_AsString(self))->slow);
    if (PyBytes_AsStringAndSize(arguments[0], &key, &key_size) ||
        PyBytes_AsStringAndSize(arguments[1], &state, &state_size))
        return NULL;
    const unsigned long long blocks = PyLong_AsUnsignedLongLong(arguments[2]);
    if (PyErr_Occurred())
        return NULL;
    caller *c = calloc(1, sizeof *c + (size_t)(state_size + key_size));
    if (!c)
        return PyErr_NoMemory();
    c->plan = (const plan *)(const void *)PyByteArray_AsString(self);
    c->free = blocks;
    c->key = (uint8_t *)(c + 1) + state_size;
    c->state = state_size ? (uint8_t *)(c + 1) : NULL;
    memcpy(c + 1, state, (size_t)state_size);
    memcpy(c->key, key, (size_t)key_size);
    PyObject *capsule = PyCapsule_New(c, NULL, closed);
    if (!capsule) {
        free(c);
        return NULL;
    }
    PyObject *made = PyCFunction_NewEx(&call, capsule, self);
    Py_DecRef(capsule);
    return made;
}
