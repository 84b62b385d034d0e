#!/usr/bin/env python3
"""hip-remote doctor on set-ups that are broken on purpose: it must name the cause and a remedy in each.

  doctor_test.py BUILD_DIR

Everything happens on loopback. Addresses 127.0.0.x other than .1 are used where the usual port matters, so that a worker
that somebody runs on this machine is not in the way.
"""
import http.server
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("build").resolve()
DOCTOR = BUILD / "bin/hip-remote"
TOKEN, OTHER_TOKEN = "0123456789abcdef0123", "another-token-altogether"


def clean_environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "HIP_", "LD_", "TENSOR_FUSION"))}
    return kept | {"HIP_REMOTE_SOFTGPU_MEMORY": "256"} | more


def doctor(*arguments, program=None, binary=DOCTOR, shell_prefix="", **environment):
    """The exit code, and the findings by cause."""
    command = [str(binary), "doctor", "--json", "--timeout", "30", *arguments]
    if program:
        command += ["--", *map(str, program)]
    if shell_prefix:
        command = ["bash", "-c", shell_prefix + ' exec "$@"', "bash", *command]
    done = subprocess.run(command, env=clean_environment(**environment), capture_output=True, text=True, timeout=120)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise AssertionError(f"no JSON: {done.stdout!r} {done.stderr!r}") from None
    assert report["ok"] == (done.returncode == 0), report
    return done.returncode, report["findings"]


class Worker:
    def __init__(self, *options, host="127.0.0.1", port=0, **environment):
        command = [BUILD / "bin/hip-worker", "--runtime", "softgpu", "--bind", host, "-p", str(port), "--grace", "1",
                   "--cache", "", *options]
        self.process = subprocess.Popen(command, env=clean_environment(**environment), stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        log = []
        for line in self.process.stdout:
            log.append(line)
            if found := re.search(r"Listening on port (\d+)", line):
                self.address = f"{host}:{found[1]}"
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return
        raise AssertionError("the worker did not start:\n" + "".join(log))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)


class Listener:
    """A port that does `serve(connection)` with each connection, for as long as the block lasts."""

    def __init__(self, serve):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.serve, self.open = serve, []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.open.append(connection)
            try:
                self.serve(connection)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for connection in self.open:
            connection.close()


def compile_c(source, output, *options):
    subprocess.run(["cc", "-x", "c", "-", "-o", str(output), *map(str, options)], input=source, text=True, check=True)


def bundle(*targets):
    """An offload bundle with some bytes for each target."""
    ids = ["host-x86_64-unknown-linux--"] + [f"hipv4-amdgcn-amd-amdhsa--{target}" for target in targets]
    table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(ids))
    for i, name in enumerate(ids):
        size = 64 if i else 0
        table += struct.pack("<QQQ", 4096, size, len(name)) + name.encode()
    return table.ljust(4096, b"\0") + bytes(64)


class Doctor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="doctor-"))
        cls.worker = Worker()
        # A HIP library of somebody else's, and programs that load it in different ways.
        other = cls.folder / "other"
        other.mkdir()
        compile_c("int hipRuntimeGetVersion(int* v) { return *v = 1, 0; }", other / "libamdhip64.so.6", "-shared", "-fPIC",
                  "-Wl,-soname,libamdhip64.so.6")
        (other / "libamdhip64.so").symlink_to("libamdhip64.so.6")
        main = """int hipRuntimeGetVersion(int*); int printf(const char*, ...);
                  int main() { int v = 0; hipRuntimeGetVersion(&v); printf("version %d\\n", v); return 0; }"""
        link = [f"-L{other}", "-lamdhip64"]
        compile_c(main, cls.folder / "plain", *link)
        compile_c(main, cls.folder / "rpath", *link, "-Wl,--disable-new-dtags", f"-Wl,-rpath,{other}")
        compile_c(main, cls.folder / "runpath", *link, "-Wl,--enable-new-dtags", f"-Wl,-rpath,{other}")
        cls.other = other

    @classmethod
    def tearDownClass(cls):
        cls.worker.__exit__()
        shutil.rmtree(cls.folder)

    def expect(self, findings, cause, remedy, state="problem"):
        self.assertIn(cause, [f.get("cause") for f in findings], json.dumps(findings, indent=1))
        finding = next(f for f in findings if f.get("cause") == cause)
        self.assertEqual(finding["state"], state, finding)
        self.assertRegex(finding.get("remedy", ""), remedy)
        self.assertGreater(len(finding["text"]), 15)
        return finding

    def broken(self, cause, remedy, *arguments, **options):
        code, findings = doctor(*arguments, **options)
        self.assertEqual(code, 1, findings)
        return self.expect(findings, cause, remedy)

    # --- nothing is wrong

    def test_healthy(self):
        code, findings = doctor("--worker", self.worker.address, program=[self.folder / "plain"])
        self.assertEqual(code, 0, findings)
        states = {f["step"]: f["state"] for f in findings}
        for step in ("library", "addresses", "program", "name", "connection", "greeting", "session", "speed"):
            self.assertIn(states.get(step), ("ok", "note") if step == "speed" else ("ok",), findings)
        speed = next(f for f in findings if f["step"] == "speed")["text"]
        self.assertRegex(speed, r"round trip takes [0-9.]+ us; upload [0-9.e+]+ .iB/s, download [0-9.e+]+ .iB/s")

    def test_healthy_without_a_worker(self):
        code, findings = doctor("--softgpu")
        self.assertEqual(code, 0, findings)
        self.assertIn("gfx90a", next(f for f in findings if f["step"] == "session")["text"])

    def test_words_for_people(self):
        done = subprocess.run([DOCTOR, "doctor", "--timeout", "1", "--worker", "127.0.0.2:9"], env=clean_environment(),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"PROBLEM +connection +no worker listens there.*\n +-> on 127.0.0.2: hip-worker --port 9 ")
        self.assertIn("1 problem found", done.stdout)

    # --- the way to the worker

    def test_no_worker(self):
        self.broken("no-worker", "hip-worker --port 18515 --bind", "--worker", "127.0.0.2")
        self.broken("no-worker", "start one here: hip-worker --port 18515 .--runtime softgpu", "--worker", "[::1]")

    def test_wrong_port(self):
        with Worker(host="127.0.0.3", port=18515):
            self.broken("wrong-port", r"--worker 127\.0\.0\.3:18515", "--worker", "127.0.0.3:18999")

    def test_unknown_host(self):
        self.broken("unknown-host", "getent hosts no-such-host.invalid", "--worker", "no-such-host.invalid")

    def test_bad_address(self):
        self.broken("bad-address", r"HOST:PORT", "--worker", "host:99999999")

    def test_packets_are_dropped(self):
        # A full queue of connections that nobody accepts: Linux drops further ones, as a firewall does.
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            waiting = []
            for _ in range(4):
                waiting.append(socket.socket())
                waiting[-1].setblocking(False)
                waiting[-1].connect_ex(listener.getsockname())
            time.sleep(0.2)
            self.broken("no-answer", "ssh -L 18515", "--timeout", "2", "--worker", "127.0.0.1:%d" % listener.getsockname()[1])
            for connection in waiting:
                connection.close()

    def test_somebody_who_never_answers(self):
        with Listener(lambda connection: None) as silent:
            self.broken("silent", r"proxy or firewall.*ss -ltnp", "--timeout", "2", "--worker", silent.address)

    def test_somebody_who_hangs_up(self):
        with Listener(lambda connection: connection.close()) as rude:
            self.broken("hung-up", "log of hip-worker", "--worker", rude.address)

    def test_a_web_server(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
        server.RequestHandlerClass.log_message = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        finding = self.broken("not-a-worker", "prints the port it listens on", "--worker", "127.0.0.1:%d" % server.server_port)
        self.assertIn("web server", finding["text"])
        server.shutdown()
        server.server_close()

    def test_an_ssh_server(self):
        with Listener(lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")) as ssh:
            finding = self.broken("not-a-worker", "18515", "--worker", ssh.address)
            self.assertIn("SSH", finding["text"])

    def test_an_older_protocol(self):
        def answer(connection):
            connection.recv(24)
            connection.sendall(struct.pack("<IHHIIQ", 0x48495052, 1, 1, 1, 2, 0))

        with Listener(answer) as old:
            finding = self.broken("version", "same release", "--worker", old.address)
            self.assertIn("protocol version 1", finding["text"])

    # --- the token

    def test_tokens(self):
        token = self.folder / "token"
        token.write_text(TOKEN + "\n")
        with Worker("--token-file", str(token)) as guarded:
            where = ["--worker", guarded.address]
            self.broken("token-missing", "export HIP_REMOTE_TOKEN_FILE", *where)
            self.broken("token-wrong", "HIP_REMOTE_TOKEN_FILE", *where, HIP_REMOTE_TOKEN=OTHER_TOKEN)
            self.broken("token-unreadable", "openssl rand", *where, HIP_REMOTE_TOKEN_FILE=str(self.folder / "absent"))
            self.broken("token-unreadable", "openssl rand", *where, HIP_REMOTE_TOKEN="short")
            code, findings = doctor(*where, HIP_REMOTE_TOKEN=TOKEN)
            self.assertEqual(code, 0, findings)
        self.broken("token-unwanted", "unset HIP_REMOTE_TOKEN", "--worker", self.worker.address, HIP_REMOTE_TOKEN=TOKEN)

    def certificate(self, name):
        """A certificate that signs itself, and its key."""
        certificate, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-keyout", key, "-out", certificate, "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"],
                       check=True, capture_output=True)
        return str(certificate), str(key)

    def test_tls_with_a_token(self):
        token, home = self.folder / "tls-token", self.folder / "unpaired"
        token.write_text(TOKEN + "\n")
        home.mkdir()
        other, _ = self.certificate("other")
        with Worker("--token-file", str(token), "--require-tls") as guarded:
            where, tls = ["--worker", guarded.address], {"HIP_REMOTE_TLS": "1", "HOME": str(home)}
            self.broken("tls-required", "export HIP_REMOTE_TLS=1", *where, HIP_REMOTE_TOKEN=TOKEN)
            self.broken("tls-required", "unset HIP_REMOTE_INSECURE", *where, HIP_REMOTE_INSECURE="1")
            self.broken("token-missing", "hip-remote pair " + guarded.address, *where, **tls)  # never paired
            self.broken("token-wrong", "HIP_REMOTE_TOKEN_FILE", *where, **tls, HIP_REMOTE_TOKEN=OTHER_TOKEN)
            self.broken("tls-credentials", "unset HIP_REMOTE_TLS_CA", *where, **tls, HIP_REMOTE_TLS_CA=other)
            self.broken("tls-settings", "PEM", *where, **tls, HIP_REMOTE_TLS_CA=str(token))
            code, findings = doctor(*where, **tls, HIP_REMOTE_TOKEN=TOKEN)
            self.assertEqual(code, 0, findings)

    def test_tls_with_certificates(self):
        (ours, key), (other, _) = self.certificate("worker"), self.certificate("stranger")
        with Worker("--tls-cert", ours, "--tls-key", key, "--tls-client-ca", ours, "--require-tls") as guarded:
            where = ["--worker", guarded.address]
            self.broken("tls-untrusted", "HIP_REMOTE_TLS_CA", *where, HIP_REMOTE_TLS="1", HIP_REMOTE_TLS_CA=other)
            self.broken("tls-certificate-missing", "HIP_REMOTE_TLS_CERT", *where, HIP_REMOTE_TLS="1", HIP_REMOTE_TLS_CA=ours)

    # --- the worker

    def test_a_full_worker(self):
        with Worker("--max-sessions", "1") as small:
            hold = ("import ctypes, sys; n = ctypes.c_int(); "
                    "print(ctypes.CDLL(sys.argv[1]).hipGetDeviceCount(ctypes.byref(n)), flush=True); sys.stdin.read()")
            holder = subprocess.Popen([sys.executable, "-c", hold, BUILD / "lib/libamdhip64.so.7"],
                                      env=clean_environment(TF_WORKER_HOST=small.address), stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
            self.assertEqual(holder.stdout.readline(), "0\n")
            self.broken("worker-full", "--max-sessions", "--worker", small.address)
            holder.communicate()

    # --- the program

    def test_wrong_architecture(self):
        def with_code(name, *targets):
            code, program = self.folder / "code", self.folder / name
            code.write_bytes(bundle(*targets))
            subprocess.run(["objcopy", f"--add-section=.hip_fatbin={code}", self.folder / "plain", program], check=True)
            return [program]

        where = ["--worker", self.worker.address]
        finding = self.broken("wrong-architecture", "--offload-arch=gfx90a", *where, program=with_code("mi300", "gfx942"))
        self.assertIn("gfx942", finding["text"])
        code, findings = doctor(*where, program=with_code("both", "gfx942", "gfx90a"))
        self.assertEqual(code, 0, findings)
        self.assertEqual([f["state"] for f in findings if f["step"] == "architecture"], ["ok"])

    def test_no_such_program(self):
        self.broken("no-such-program", r"\./nowhere", "--softgpu", program=["nowhere"])

    def test_an_rpath(self):
        code, findings = doctor("--worker", self.worker.address, program=[self.folder / "rpath"])
        finding = self.expect(findings, "own-copy", r"LD_PRELOAD=.*libamdhip64\.so\.6", state="note")
        self.assertIn(str(self.other / "libamdhip64.so.6"), finding["text"])
        self.assertIn("RPATH", finding["text"])
        # The loader itself agrees.
        self.assertIn(str(self.other), self.ldd("rpath"))
        # And run does what is said: the answer is not the other library's.
        self.assertEqual(self.run_program("rpath", LD_LIBRARY_PATH=str(BUILD / "lib"))[0], "version 1\n")
        out, err = self.run_program(DOCTOR, "run", "--softgpu", self.folder / "rpath")
        self.assertRegex(out, r"version [2-9]\d+")
        self.assertIn("carries " + str(self.other), err)

    def test_a_runpath_is_no_trouble(self):
        code, findings = doctor("--worker", self.worker.address, program=[self.folder / "runpath"])
        self.assertEqual([f["state"] for f in findings if f["step"] == "program"], ["ok"], findings)
        self.assertIn(str(BUILD / "lib"), self.ldd("runpath"))

    def test_a_preload(self):
        code, findings = doctor("--worker", self.worker.address, program=[self.folder / "plain"],
                                LD_PRELOAD=str(self.other / "libamdhip64.so.6"))
        self.expect(findings, "own-copy", "LD_PRELOAD=", state="note")

    def test_a_wheel_with_its_own_copy(self):
        package = self.folder / "site-packages/framework"
        (package / "lib").mkdir(parents=True)
        shutil.copy(self.other / "libamdhip64.so.6", package / "lib")
        compile_c("int hipRuntimeGetVersion(int*); int version() { int v = 0; return hipRuntimeGetVersion(&v), v; }",
                  package / "lib/libframework.so", "-shared", "-fPIC", f"-L{self.other}", "-lamdhip64",
                  "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN")
        (package / "__init__.py").write_text("import ctypes, os\nprint('version', ctypes.CDLL(os.path.dirname(__file__) + "
                                             "'/lib/libframework.so').version())\n")
        python = dict(PYTHONPATH=str(package.parent))
        command = [sys.executable, "-c", "import framework"]
        code, findings = doctor("--worker", self.worker.address, program=command, **python)
        finding = self.expect(findings, "own-copy", "LD_PRELOAD=.*libamdhip64.so.6", state="note")
        self.assertIn("site-packages/framework/lib/libamdhip64.so.6", finding["text"])
        self.assertEqual(self.run_program(*command, **python)[0], "version 1\n")
        out, err = self.run_program(DOCTOR, "run", "--softgpu", *command, **python)
        self.assertRegex(out, r"version [2-9]\d+")
        self.assertIn("site-packages/framework", err)

    def test_a_library_that_is_missing(self):
        tree = self.folder / "tree"
        (tree / "bin").mkdir(parents=True)
        (tree / "lib").mkdir()
        shutil.copy(DOCTOR, tree / "bin")
        self.broken("library-missing", "hip-remote-client", binary=tree / "bin/hip-remote")
        shutil.copy(BUILD / "lib/libamdhip64.so.7", tree / "lib")
        self.broken("library-missing", "hip-remote-client", "--worker", self.worker.address, program=[self.folder / "plain"],
                    binary=tree / "bin/hip-remote")
        (tree / "lib/libamdhip64.so.7").write_bytes(b"not a library")
        self.broken("library-broken", "ldd", binary=tree / "bin/hip-remote")

    def test_the_compiler_is_the_one_that_programs_find(self):
        compile_one = """
import ctypes, sys
rtc, program = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
rtc.hiprtcCreateProgram(ctypes.byref(program), b'extern "C" __global__ void k() {}', b"k.hip", 0, None, None)
print(rtc.hiprtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"--gpu-architecture=gfx90a")))
"""
        out, _ = self.run_program(sys.executable, "-c", compile_one, BUILD / "lib/libhiprtc.so.7", HIP_REMOTE_COMPILER="installed",
                                  HIP_REMOTE_RTC_CACHE="0")
        _, findings = doctor("--softgpu")
        compiler = next(f for f in findings if f["step"] == "compiler")
        if out == "0\n":
            self.assertEqual(compiler["state"], "ok", compiler)
        else:
            self.expect(findings, "no-hiprtc", "--compile", state="note")

    def test_an_address_space_that_is_limited(self):
        self.broken("address-space-limited", "ulimit -v unlimited", "--worker", self.worker.address,
                    shell_prefix="ulimit -v 67108864;")

    # ---

    def ldd(self, name):
        said = subprocess.run(["ldd", self.folder / name], env=clean_environment(LD_LIBRARY_PATH=str(BUILD / "lib")),
                              capture_output=True, text=True, check=True)
        return next(line for line in said.stdout.splitlines() if "amdhip64" in line)

    def run_program(self, *command, **environment):
        command = [self.folder / command[0] if command[0] in ("plain", "rpath", "runpath") else command[0], *command[1:]]
        done = subprocess.run(command, env=clean_environment(**environment), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr


if __name__ == "__main__":
    unittest.main(verbosity=2)
