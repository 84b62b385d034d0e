#!/usr/bin/python3
"""Stands in for GreptimeDB: takes lines of InfluxDB's protocol, and answers the one kind of question that the scripts ask.

   POST /v1/influxdb/api/v2/write?precision=ms     LINES
   POST /v1/sql                                    sql=SELECT count(*) FROM T WHERE pool = 'P' AND ts >= to_timestamp_millis(A * 1000)
   GET  /lines?table=T                             what it got, for a look at the values"""
import http.server
import json
import re
import urllib.parse

QUESTION = re.compile(r"SELECT count\(\*\) FROM (\w+) WHERE pool = '([^']*)' AND ts >= to_timestamp_millis\((\d+) \* 1000\)")
LINE = re.compile(r"(\w+),(\S+) (.*) (\d+)")
rows = []  # (table, tags, time in ms, line)


class Database(http.server.BaseHTTPRequestHandler):
    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path.startswith("/v1/influxdb/api/v2/write"):
            for line in text.splitlines():
                found = LINE.fullmatch(line)
                if found:
                    rows.append((found[1], dict(tag.split("=", 1) for tag in found[2].split(",")), int(found[4]), line))
                else:
                    print("not a line of InfluxDB's:", line, flush=True)
            return self.answer(204)
        found = QUESTION.fullmatch(urllib.parse.parse_qs(text).get("sql", [""])[0])
        if self.path.startswith("/v1/sql") and found:
            count = sum(table == found[1] and tags.get("pool") == found[2] and time >= int(found[3]) * 1000 for table, tags, time, _ in rows)
            return self.answer(200, json.dumps({"output": [{"records": {"rows": [[count]]}}]}))
        return self.answer(400)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        table = urllib.parse.parse_qs(query).get("table", [""])[0]
        # Its own probes ask /health.
        self.answer(200, "".join(line + "\n" for name, _, _, line in rows if name == table) if path == "/lines" else "")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("", 4000), Database).serve_forever()
