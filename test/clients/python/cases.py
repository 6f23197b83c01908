import asyncio
import inspect
import json
import os
import sys
import traceback

API_KEY = os.environ["API_KEY"]
OPENAI_URL = os.environ["API"] + "/openai/v1"
ANTHROPIC_URL = os.environ["API"] + "/anthropic"

MODEL = "svc-1-32k"
QUESTION = "What is the weather in Paris?"
TRIP = "A trip to Lisbon for 3 days"
SKY = '{"sky":"clear"}'
# The demo engine's answer to the result of the tool.
ANSWER = "sky is clear"

WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def is_text(text):
    assert isinstance(text, str) and "demo" in text, repr(text)[:200]


def is_trip(trip):
    assert (trip.city, trip.days) == ("Lisbon", 3), repr(trip)


def run(cases):
    """Runs each case and prints its result as a line of JSON."""
    for name, work in cases.items():
        try:
            result = work()
            if inspect.iscoroutine(result):
                asyncio.run(result)
            outcome = {"case": name, "works": True}
        except Exception as error:
            if os.environ.get("TRACE"):
                traceback.print_exc()
            outcome = {"case": name, "works": False, "reason": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(outcome), flush=True)
    sys.stdout.flush()
    os._exit(0)
