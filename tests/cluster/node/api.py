"""The API server, as far as a node and a few controllers need it."""
import http.client
import json
import ssl
import urllib.parse


class ApiError(Exception):
    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """One client for many threads: each call has a connection of its own."""

    def __init__(self, host, port, token, ca):
        self.host, self.port, self.token = host, port, token
        self.context = ssl.create_default_context(cafile=ca)

    def call(self, method, path, body=None, kind="application/json"):
        connection = http.client.HTTPSConnection(self.host, self.port, context=self.context, timeout=30)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", "Content-Type": kind}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            if answer.status >= 300:
                raise ApiError(answer.status, text.decode(errors="replace")[:300])
            return json.loads(text)
        finally:
            connection.close()

    def get(self, path):
        return self.call("GET", path)

    def list(self, path, **query):
        return self.call("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))["items"]

    def create(self, path, item):
        """False where there is one already."""
        try:
            self.call("POST", path, item)
            return True
        except ApiError as error:
            if error.status != 409:
                raise
            return False

    def merge(self, path, change):
        """Changes a part of an object; what has gone in the meantime is nobody's loss."""
        try:
            return self.call("PATCH", path, change, "application/merge-patch+json")
        except ApiError as error:
            if error.status not in (404, 409):
                raise
            return None

    def delete(self, path, **options):
        try:
            self.call("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", **options})
        except ApiError as error:
            if error.status != 404:
                raise


def pod_path(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"
