"""In place of the SDK, which does not come with this project: sends what it is called with, as the SDK does."""

import json
import urllib.request


class Object:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        return None

    def __repr__(self):
        return repr(self.__dict__)


def wrap(value):
    if isinstance(value, dict):
        return Object(**{name: wrap(one) for name, one in value.items()})
    return [wrap(one) for one in value] if isinstance(value, list) else value


class Resource:
    def __init__(self, client, path):
        self.client, self.path = client, path

    def create(self, extra_body=None, **body):
        request = urllib.request.Request(
            self.client.base_url + self.path,
            data=json.dumps({**body, **(extra_body or {})}).encode(),
            headers={"Authorization": "Bearer " + self.client.api_key, "Content-Type": "application/json"},
        )
        received = urllib.request.urlopen(request).read().decode()
        if not body.get("stream"):
            return wrap(json.loads(received))
        events = [line[6:] for line in received.split("\n") if line.startswith("data: {")]
        return [wrap(json.loads(event)) for event in events]


class Audio:
    def __init__(self, client):
        self.client = client
        self.speech = Object(with_streaming_response=Object(create=lambda **body: Speech(self, body)))
        self.transcriptions = Object(create=self.transcribe)

    def post(self, path, **sent):
        import requests

        headers = {"Authorization": "Bearer " + self.client.api_key}
        response = requests.post(self.client.base_url + path, headers=headers, **sent)
        if not response.ok:
            raise SystemExit(response.text)
        return response

    def transcribe(self, file, timestamp_granularities=(), **fields):
        data = [*fields.items(), *(("timestamp_granularities[]", one) for one in timestamp_granularities)]
        body = self.post("/audio/transcriptions", data=data, files={"file": file}).json()
        return Object(text=body["text"], segments=[Object(**one) for one in body.get("segments", [])])


class Speech:
    def __init__(self, audio, body):
        self.response = audio.post("/audio/speech", json=body)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def stream_to_file(self, name):
        with open(name, "wb") as file:
            file.write(self.response.content)


class OpenAI:
    def __init__(self, base_url, api_key):
        self.base_url, self.api_key = base_url, api_key
        self.chat = Object(completions=Resource(self, "/chat/completions"))
        self.completions = Resource(self, "/completions")
        self.embeddings = Resource(self, "/embeddings")
        self.audio = Audio(self)
