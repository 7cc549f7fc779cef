/*
 * What stands between a call from Python and a cipher's function, for calls that need no thought: bytes in,
 * a new object or memory of the same size out. All others are answered with `slow`, which has the caller
 * take the long way.
 *
 * Of Python only functions of its stable interface are used ("C API Stability" in its reference). They are
 * declared here, and found in the running interpreter, so that none of its headers are needed.
 */
#include <stddef.h>
#include <stdint.h>
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
char *PyByteArray_AsString(PyObject *object);
void PyErr_Clear(void);
void Py_IncRef(PyObject *object);
void Py_DecRef(PyObject *object);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);

/* Bytes of a message from which on other threads of Python run meanwhile. */
#define LONG_MESSAGE 4096

#define MOST_RUNGS 8

typedef void (*plain)(const void *key, const uint8_t *in, uint8_t *out, size_t count);
typedef void (*mode)(const void *key, uint8_t *state, const uint8_t *in, uint8_t *out, size_t count);

/* The function for messages of at least so many blocks, and its key; null where there is none yet. */
typedef struct {
    uint64_t least;
    void *function;
    const void *key;
} rung;

/* finalist_in_parts of engine/parts.c. */
typedef void (*parted)(void *way, void *function, const void *key, uint8_t *state, const uint8_t *in,
                       uint8_t *out, uint64_t size);

/* The fields of finalist.calling.Caller. */
typedef struct {
    PyObject *none, *slow;
    uint64_t block; /* bytes of a block */
    uint64_t unit;  /* data is a multiple of so many bytes, and a function's count one of units */
    uint64_t free;  /* fewer blocks than these are worked on without another thought */
    uint64_t left;  /* bytes of the last block that were not used */
    uint64_t alone; /* 1 where calls change what the next begins with, so that they take turns */
    uint64_t waits; /* 1 while a call has gone the long way, or waits there for its turn */
    uint64_t busy;  /* 1 while this function works */
    uint8_t *state; /* of the mode, or null */
    void *parted;   /* what works on long messages by several threads, or null */
    void *way;
    uint64_t rungs;
    rung rung[MOST_RUNGS];
} caller;

PyObject *finalist_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

static PyObject *same(PyObject *object)
{
    Py_IncRef(object);
    return object;
}

static const rung *chosen(const caller *c, uint64_t blocks)
{
    const rung *found = &c->rung[0];
    for (uint64_t i = 1; i < c->rungs && c->rung[i].least <= blocks; i++)
        found = &c->rung[i];
    return found;
}

/* The function and its key are read before other threads of Python run, which may put others there. */
static void work(const caller *c, const rung *by, const uint8_t *in, uint8_t *out, uint64_t size)
{
    const rung now = *by;
    const size_t count = (size_t)(size / c->unit);
    uint8_t *const state = c->state;
    void *thread = size < LONG_MESSAGE ? NULL : PyEval_SaveThread();
    if (thread && c->parted)
        ((parted)c->parted)(c->way, now.function, now.key, state, in, out, size);
    else if (state)
        ((mode)now.function)(now.key, state, in, out, count);
    else
        ((plain)now.function)(now.key, in, out, count);
    if (thread)
        PyEval_RestoreThread(thread);
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

static PyObject *into(const caller *c, const rung *by, const Py_buffer *in, PyObject *target)
{
    Py_buffer out;
    if (!taken(target, &out, PyBUF_WRITABLE))
        return same(c->slow);
    const int fits = out.len == in->len && apart(in->buf, out.buf, (uint64_t)in->len);
    if (fits)
        work(c, by, in->buf, out.buf, (uint64_t)in->len);
    PyBuffer_Release(&out);
    return same(fits ? c->none : c->slow);
}

static PyObject *onto_new(const caller *c, const rung *by, const Py_buffer *in)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, in->len);
    if (made)
        work(c, by, in->buf, (uint8_t *)PyBytes_AsString(made), (uint64_t)in->len);
    return made;
}

/* METH_FASTCALL; `self` is a bytearray that holds a caller, the arguments are data and output. */
PyObject *finalist_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
{
    caller *c = (caller *)(void *)PyByteArray_AsString(self);
    Py_buffer in;
    if (count != 2 || c->left || (c->alone && (c->waits || c->busy)))
        return same(c->slow);
    c->busy = 1;
    if (!taken(arguments[0], &in, 0)) {
        c->busy = 0;
        return same(c->slow);
    }
    const uint64_t size = (uint64_t)in.len, blocks = size / c->block + (size % c->block != 0);
    const rung *by = chosen(c, blocks);
    PyObject *result = NULL;
    if (!size || size % c->unit || blocks >= c->free || !by->function)
        result = same(c->slow);
    else if (arguments[1] == c->none)
        result = onto_new(c, by, &in);
    else
        result = into(c, by, &in, arguments[1]);
    PyBuffer_Release(&in);
    if (result && result != c->slow) {
        c->free -= blocks;
        c->left = blocks * c->block - size;
    }
    c->busy = 0;
    return result;
}
