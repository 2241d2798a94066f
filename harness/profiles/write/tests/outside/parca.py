# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""
parca.py - Parca's store, as much of it as a profiler sees, and servers that are out of order

	parca.py PORT-FILE LOG MODE [PORT]

Parca itself can't be had by package. What it takes is known from its protocol (parca.profilestore.v1alpha1, profile.proto) and from what it
refuses; this server refuses the same, and more. It writes its port into a file, and of each request a line into the log: "took N ticks in
M stacks, normalized" (or not), or "refused: WHY". Modes: take; slow (half a second); never; error (500); busy (503 twice, then as take); half (an answer that
ends within its status line); deaf (the connection ends within the request); redirect; garbage; endless (200, and a body that never ends).
"""
import base64
import gzip
import http.server
import json
import os
import re
import socket
import sys
import time

port_file, log_file, mode = sys.argv[1:4]
port = int(sys.argv[4]) if len(sys.argv) > 4 else 0
requests = 0


class Refused(Exception):
    pass


def demand(holds, why):
    if not holds:
        raise Refused(why)


# ---- protocol buffers: fields of a message, as numbers and bytes -------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        demand(at < len(data) and shift < 70, "a number is cut off")
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            demand(key & 7 == 2, "a type that profile.proto does not have")
            size, at = varint(data, at)
            demand(size <= len(data) - at, "a field is cut off")
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def message(data):
    ret = {}
    for number, value in fields(data):
        ret.setdefault(number, []).append(value)
    return ret


def number(fields_of, key):
    return fields_of.get(key, [0])[-1]


def packed(fields_of, key):
    ret = []
    for value in fields_of.get(key, []):
        if isinstance(value, int):
            ret.append(value)
            continue
        at = 0
        while at < len(value):
            one, at = varint(value, at)
            ret.append(one)
    return ret


# ---- what it refuses ---------------------------------------------------------------------------

def check_table(profile, field, name, texts, text_fields):
    """Numbers are places, from 1 on; texts are there."""
    table = [message(data) for data in profile.get(field, [])]
    for i, element in enumerate(table):
        demand(number(element, 1) == i + 1, f"{name} {i + 1} has the number {number(element, 1)}")
        for key in text_fields:
            demand(number(element, key) < texts, f"{name} {i + 1} has a text that is not there")
    return table


def check_profile(data):
    """The ticks and stacks of a pprof profile, and how many mappings it has."""
    profile = message(gzip.decompress(data))
    texts = [text.decode() for text in profile[6]]
    demand(texts[0] == "", "text 0 is not empty")
    types = [message(value) for value in profile[1]]
    words = [(texts[number(value, 1)], texts[number(value, 2)]) for value in types]
    demand(words == [("samples", "count"), ("cpu", "nanoseconds")], f"types {words}")
    demand(number(profile, 9) > 0 and number(profile, 10) > 0 and number(profile, 12) > 0, "no time, duration or period")
    mappings = check_table(profile, 3, "mapping", len(texts), (5, 6))
    functions = check_table(profile, 5, "function", len(texts), (2, 3, 4))
    locations = check_table(profile, 4, "location", len(texts), ())
    for location in locations:
        demand(number(location, 2) <= len(mappings), "a location in no mapping")
        for line in location.get(4, []):
            demand(0 < number(message(line), 1) <= len(functions), "a line in no function")
        mapping = number(location, 2)
        if mapping and number(mappings[mapping - 1], 3):
            demand(number(mappings[mapping - 1], 2) <= number(location, 3) < number(mappings[mapping - 1], 3),
                   "a location outside of its mapping")
    ticks = 0
    for sample in (message(data) for data in profile.get(2, [])):
        values = packed(sample, 2)
        demand(len(values) == len(types), "a sample without a value for each type")
        demand(values[1] == values[0] * number(profile, 12), "nanoseconds that are not the ticks'")
        demand(packed(sample, 1) and all(0 < at <= len(locations) for at in packed(sample, 1)), "a sample in no location")
        for label in (message(data) for data in sample.get(3, [])):
            demand(0 < number(label, 1) < len(texts) and number(label, 2) < len(texts), "a label without a name")
            # A label becomes a column.
            demand(re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", texts[number(label, 1)]), f"a label {texts[number(label, 1)]}")
        ticks += values[0]
    return ticks, len(profile.get(2, [])), len(mappings)


def check_request(path, headers, body):
    demand(path == "/profiles/writeraw", f"path {path}")
    demand(headers["Content-Type"] == "application/json", "no JSON")
    request = json.loads(body)
    demand(set(request) <= {"tenant", "series", "normalized"}, f"fields {list(request)}")
    ticks = stacks = 0
    for series in request["series"]:
        demand(set(series) == {"labels", "samples"}, f"fields of a series {list(series)}")
        labels = [(label["name"], label["value"]) for label in series["labels"]["labels"]]
        names = [name for name, _ in labels]
        demand("__name__" in names and len(set(names)) == len(names), "missing __name__ label, or one twice")
        for name, value in labels:
            demand(re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name) and value.isprintable() and value, f"a label {name}={value}")
        demand(re.fullmatch("[a-zA-Z_:][a-zA-Z0-9_:]*", dict(labels)["__name__"]), "a name that is none")
        for sample in series["samples"]:
            demand(set(sample) <= {"rawProfile", "executableInfo"}, f"fields of a sample {list(sample)}")
            more, distinct, mappings = check_profile(base64.b64decode(sample["rawProfile"], validate=True))
            demand(request.get("normalized") or len(sample.get("executableInfo", [])) == mappings,
                   "not one executable for each mapping")
            ticks += more
            stacks += distinct
    return ticks, stacks, "normalized" if request.get("normalized") else "not normalized"


# ---- the server --------------------------------------------------------------------------------

def log(text):
    with open(log_file, "a", encoding="utf-8") as file:
        print(text, file=file)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"{}", **headers):
        self.send_response(status)
        for name, value in {"Content_Type": "application/json", "Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def take(self, body):
        try:
            log("took {} ticks in {} stacks, {}".format(*check_request(self.path, self.headers, body)))
            self.answer(200)
        except Exception as error:  # whatever it was that could not be read
            log(f"refused: {error!r}")
            self.answer(400, str(error).encode())

    def do_POST(self):
        global requests
        requests += 1
        if mode == "deaf":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        log(f"request {requests}")
        if mode == "slow":
            time.sleep(0.5)
        if mode in ("take", "slow") or (mode == "busy" and requests > 2):
            self.take(body)
        elif mode == "busy":
            self.answer(503, b"later", Retry_After="1")
        elif mode == "error":
            self.answer(500, b"out of order")
        elif mode == "redirect":
            self.answer(307, b"", Location=self.path)
        elif mode == "never":
            time.sleep(600)
        else:
            self.wfile.write({"half": b"HTTP/1.1 2", "garbage": b"\0\377" * 4096, "endless": b"HTTP/1.1 200 OK\r\n\r\n"}[mode])
            while mode == "endless":
                self.wfile.write(b" " * 65536)
            self.close_connection = True

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the client has gone

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


with Server(("127.0.0.1", port), Handler) as server:
    with open(port_file + ".new", "w", encoding="utf-8") as file:
        print(server.server_port, file=file)
    os.rename(port_file + ".new", port_file)
    server.serve_forever()
