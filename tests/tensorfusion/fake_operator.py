#!/usr/bin/env python3
"""A TensorFusion operator, as far as a client sees one: GET /api/connection.

   fake_operator.py PORT_FILE WORKER_PORT_FILE TOKEN_FILE LOG_FILE

Writes its own port to PORT_FILE. The connection does not exist for the first two requests (404). Then the answer is where
WORKER_PORT_FILE says the worker listens at that moment, in one piece and in chunks in turn. A request without the right token
is refused; one about the namespace "garbage" gets a web page. LOG_FILE gets one line for each request."""
import http.server
import sys
import threading

port_file, worker_port_file, token_file, log_file = sys.argv[1:]
lock = threading.Lock()
count = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global count
        with lock:
            count += 1
            turn = count
        with open(token_file) as file:
            token = file.read().strip()
        if self.headers.get("Authorization") != "Bearer " + token:
            self.answer(turn, 401, b'{"error":"who are you"}')
        elif not self.path.startswith("/api/connection?name=") or self.headers.get("Accept-Encoding"):
            self.answer(turn, 400, b'{"error":"not what a client asks"}')
        elif self.path.endswith("&namespace=garbage"):
            self.answer(turn, 200, b"<html>\nnot what\nyou asked for</html>")
        elif turn <= 2:
            self.answer(turn, 404, b'{"error":"connection not found"}')
        else:
            with open(worker_port_file) as file:
                worker = file.read().strip()
            self.answer(turn, 200, f"native+127.0.0.1+{worker}+client-tf-vgpu-abc-{turn}".encode())

    def answer(self, turn, status, body):
        with lock, open(log_file, "a") as log:
            print(status, self.path, file=log)
        self.send_response(status)
        if turn % 2:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (body[:7], body[7:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file, "w") as file:
    file.write(str(server.server_port))
server.serve_forever()
