/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of Python programs, as a module in one file:
 *
 *	cc -O2 -shared -fPIC $(python3-config --includes) python.c -o spt_mark.abi3.so
 *
 *	import spt_mark
 *	with spt_mark.span("db", "query", "from users"):
 *	    ...
 *	spt_mark.begin("http", "request")	and so on, with the names of spt/mark.h
 *
 * Arguments are looked at only while somebody records.  None is a text as well: "".
 */
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <spt/mark.h>

#define MOST_TEXTS 3

/* Texts of the first arguments; false: an exception is set. */
static bool python_take_texts(PyObject *const *args, Py_ssize_t n, Py_ssize_t least,
			      Py_ssize_t most, const char **texts)
{
	if (n < least || n > most) {
		PyErr_Format(PyExc_TypeError, "%zd to %zd arguments are needed, not %zd", least,
			     most, n);
		return false;
	}
	for (Py_ssize_t i = 0; i < n && i < MOST_TEXTS; i++) {
		if (args[i] == Py_None)
			continue;
		texts[i] = PyUnicode_AsUTF8AndSize(args[i], NULL);
		if (!texts[i])
			return false;
	}
	return true;
}

static PyObject *python_begin_span(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	const char *texts[MOST_TEXTS] = { NULL };

	(void)self;
	if (!spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(args, n, 2, 2, texts))
		return NULL;
	spt_mark_begin(texts[0], texts[1]);
	Py_RETURN_NONE;
}

static PyObject *python_open_span(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	const char *texts[MOST_TEXTS] = { NULL };

	(void)self;
	if (!spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(args, n, 2, 2, texts))
		return NULL;
	spt_mark_open(texts[0], texts[1]);
	Py_RETURN_NONE;
}

/* One text, for @mark. */
static PyObject *python_mark_text(PyObject *const *args, Py_ssize_t n,
				  void (*mark)(const char *text))
{
	const char *texts[MOST_TEXTS] = { NULL };

	if (!spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(args, n, 1, 1, texts))
		return NULL;
	mark(texts[0]);
	Py_RETURN_NONE;
}

static PyObject *python_end_span(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return python_mark_text(args, n, spt_mark_end);
}

static PyObject *python_close_span(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return python_mark_text(args, n, spt_mark_close);
}

static PyObject *python_mark_message(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return python_mark_text(args, n, spt_mark_message);
}

static PyObject *python_mark_instant(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	const char *texts[MOST_TEXTS] = { NULL };

	(void)self;
	if (!spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(args, n, 2, 3, texts))
		return NULL;
	spt_mark_instant(texts[0], texts[1], texts[2]);
	Py_RETURN_NONE;
}

static PyObject *python_mark_counter(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	const char *texts[MOST_TEXTS] = { NULL };
	double value;

	(void)self;
	if (!spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(args, n > 1 ? 1 : n, 1, 1, texts))
		return NULL;
	value = n == 2 ? PyFloat_AsDouble(args[1]) : -1;
	if (n != 2)
		PyErr_SetString(PyExc_TypeError, "a name and a value are needed");
	if (PyErr_Occurred())
		return NULL;
	spt_mark_counter(texts[0], value);
	Py_RETURN_NONE;
}

static PyObject *python_mark_flow(PyObject *const *args, Py_ssize_t n,
				  void (*mark)(const char *name, uint64_t id))
{
	const char *texts[MOST_TEXTS] = { NULL };
	unsigned long long id;

	if (!spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(args, n > 1 ? 1 : n, 1, 1, texts))
		return NULL;
	id = n == 2 ? PyLong_AsUnsignedLongLong(args[1]) : 0;
	if (n != 2)
		PyErr_SetString(PyExc_TypeError, "a name and an id are needed");
	if (PyErr_Occurred())
		return NULL;
	mark(texts[0], id);
	Py_RETURN_NONE;
}

static PyObject *python_flow_begin(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return python_mark_flow(args, n, spt_mark_flow_begin);
}

static PyObject *python_flow_end(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
	(void)self;
	return python_mark_flow(args, n, spt_mark_flow_end);
}

static PyObject *python_is_recorded(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyBool_FromLong(spt_mark_is_recorded());
}

/* What "with" has: a span that begins where it is entered. */
struct span {
	PyObject_HEAD
	PyObject *texts[MOST_TEXTS];
	uint64_t begin;
};

static PyObject *span_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
	PyObject *texts[MOST_TEXTS] = { NULL };
	struct span *span;

	(void)names;
	if (!PyArg_ParseTuple(args, "OO|O", &texts[0], &texts[1], &texts[2]))
		return NULL;
	span = (struct span *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
	for (int i = 0; span && i < MOST_TEXTS; i++) {
		Py_XINCREF(texts[i]);
		span->texts[i] = texts[i];
	}
	return (PyObject *)span;
}

static void span_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	for (int i = 0; i < MOST_TEXTS; i++)
		Py_XDECREF(((struct span *)self)->texts[i]);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *span_enter(PyObject *self, PyObject *unused)
{
	(void)unused;
	((struct span *)self)->begin = spt_mark_now();
	Py_INCREF(self);
	return self;
}

static PyObject *span_exit(PyObject *self, PyObject *args)
{
	struct span *span = (struct span *)self;
	const char *texts[MOST_TEXTS] = { NULL };

	(void)args;
	if (!span->begin || !spt_mark_is_recorded())
		Py_RETURN_NONE;
	if (!python_take_texts(span->texts, span->texts[2] ? 3 : 2, 2, 3, texts))
		return NULL;
	spt_mark_span(texts[0], texts[1], texts[2], span->begin);
	Py_RETURN_NONE;
}

static PyMethodDef span_methods[] = {
	{ "__enter__", span_enter, METH_NOARGS, NULL },
	{ "__exit__", span_exit, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot span_slots[] = {
	{ Py_tp_new, (void *)span_new },
	{ Py_tp_dealloc, (void *)span_dealloc },
	{ Py_tp_methods, span_methods },
	{ 0, NULL },
};

static PyType_Spec span_spec = {
	.name = "spt_mark.span",
	.basicsize = sizeof(struct span),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = span_slots,
};

#define FAST(name, function) { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, NULL }

static PyMethodDef methods[] = {
	FAST("begin", python_begin_span),
	FAST("end", python_end_span),
	FAST("open", python_open_span),
	FAST("close", python_close_span),
	FAST("instant", python_mark_instant),
	FAST("message", python_mark_message),
	FAST("counter", python_mark_counter),
	FAST("flow_begin", python_flow_begin),
	FAST("flow_end", python_flow_end),
	{ "is_recorded", python_is_recorded, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,
	.m_name = "spt_mark",
	.m_doc = "What a program says of itself while sysprof-cli records.",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit_spt_mark(void)
{
	PyObject *made = PyModule_Create(&module), *span = PyType_FromSpec(&span_spec);

	if (made && span && PyModule_AddObject(made, "span", span) == 0)
		return made;
	Py_XDECREF(span);
	Py_XDECREF(made);
	return NULL;
}
