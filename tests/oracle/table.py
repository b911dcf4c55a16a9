"""Reads tables of stack-parse as a user would, without options.

Usage: table.py FILE...

Prints for each what pandas and what DuckDB make of it, which must be the same:
the names of the columns, the number of rows, the sum of the weights, and each
thread's name and stack.
"""

import json
import sys

import duckdb
import pandas


def by_pandas(file):
    table = pandas.read_csv(file, sep="\t")
    names = table[["comm", "stack"]].astype(object)
    rows = names.where(names.notna(), None).values.tolist()
    return list(table.columns), len(table), int(table["weight"].sum()), rows


def by_duckdb(file):
    table = duckdb.sql(f"FROM '{file}'")
    rows, weight = duckdb.sql(f"SELECT count(*), sum(weight) FROM '{file}'").fetchall()[0]
    names = duckdb.sql(f"SELECT comm, stack FROM '{file}'").fetchall()
    return table.columns, rows, int(weight), [list(row) for row in names]


for file in sys.argv[1:]:
    for read in by_pandas, by_duckdb:
        columns, rows, weight, names = read(file)
        print(json.dumps({"columns": columns, "rows": rows, "weight": weight, "names": names}))
