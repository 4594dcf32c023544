# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Two kinds of plots as SVG text, without a library: bars with ranges, and lines."""

import math
from xml.sax.saxutils import escape

WIDTH = 720
TEXT = 'font-family="sans-serif" font-size="13" fill="#222"'
SMALL = 'font-family="sans-serif" font-size="11" fill="#666"'
COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#edae49", "#6a4c93")
BAR, GAP, TOP = 18, 8, 34


def text(x, y, value, style=TEXT, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" {style} text-anchor="{anchor}">{escape(value)}</text>'


def line(x1, y1, x2, y2, colour="#ccc", width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def document(title, height, body):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">'
    background = f'<rect width="{WIDTH}" height="{height}" fill="white"/>'
    return "\n".join([head, background, text(10, 20, title), *body, "</svg>", ""])


def step_of(most):
    """A round distance between grid lines: about six of them."""
    raw = most / 6
    power = 10.0 ** math.floor(math.log10(raw))
    return next(power * f for f in (1, 2, 5, 10) if power * f >= raw)


def grid(most):
    step = step_of(most)
    return [i * step for i in range(int(most / step) + 1)]


def bars(title, rows, mark=None):
    """rows: (label, median, least, most); `mark`: a value with a line of its own, such as 1 for "as fast"."""
    left, right = 14 + 7.4 * max(len(r[0]) for r in rows), WIDTH - 60
    most = max(r[3] for r in rows)
    height = TOP + len(rows) * (BAR + GAP) + 24

    def x(value):
        return left + (right - left) * value / most

    body = []
    for value in grid(most):
        body += [line(x(value), TOP, x(value), height - 24), text(x(value), height - 8, f"{value:g}", SMALL, "middle")]
    for i, (label, median, least, high) in enumerate(rows):
        y = TOP + i * (BAR + GAP)
        middle = y + BAR / 2
        body.append(text(left - 6, middle + 4, label, TEXT, "end"))
        body.append(f'<rect x="{left:.1f}" y="{y}" width="{x(median) - left:.1f}" height="{BAR}" fill="{COLOURS[0]}"/>')
        body.append(line(x(least), middle, x(high), middle, "#222", 2))
        body.append(text(max(x(median), x(high)) + 6, middle + 4, f"{median:.2f}"))
    if mark is not None and mark <= most:
        body.append(line(x(mark), TOP - 4, x(mark), height - 24, COLOURS[1], 2))
    return document(title, height, body)


def lines(title, series, x_name):
    """series: name -> [(x, y)], y from 0 up."""
    left, right, bottom, height = 50, WIDTH - 30, 300, 340
    most_x = max(x for points in series.values() for x, _ in points)
    most_y = max(y for points in series.values() for _, y in points) * 1.05

    def place(x, y):
        return left + (right - left) * x / most_x, bottom - (bottom - TOP) * y / most_y

    body = []
    for value in grid(most_y):
        _, y = place(0, value)
        body += [line(left, y, right, y), text(left - 6, y + 4, f"{value:g}", SMALL, "end")]
    for value in grid(most_x):
        x, _ = place(value, 0)
        body.append(text(x, bottom + 16, f"{value:g}", SMALL, "middle"))
    body.append(text(right, bottom + 32, x_name, SMALL, "end"))
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body.append(line(left + 20, TOP + 14 + 18 * i, left + 44, TOP + 14 + 18 * i, colour, 3))
        body.append(text(left + 50, TOP + 18 + 18 * i, name))
    return document(title, height, body)
