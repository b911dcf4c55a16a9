#define PY_SSIZE_T_CLEAN
#include <Python.h>

static long mix(long x) {
    for (int i = 0; i < 200; i++) x = x * 31 + (x >> 7);
    return x;
}

static long grind(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += mix(i);
    return sum;
}

static PyObject *run(PyObject *self, PyObject *args) {
    long n;
    PyObject *callback;
    if (!PyArg_ParseTuple(args, "lO", &n, &callback)) return NULL;
    return PyObject_CallFunction(callback, "l", grind(n));
}

static PyMethodDef methods[] = {{"run", run, METH_VARARGS, ""}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ext", NULL, -1, methods};

PyMODINIT_FUNC PyInit_ext(void) { return PyModule_Create(&module); }
