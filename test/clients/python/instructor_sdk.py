import instructor
from openai import OpenAI
from pydantic import BaseModel

from cases import API_KEY, MODEL, OPENAI_URL, TRIP, is_trip, run


class Trip(BaseModel):
    city: str
    days: int


MODES = {
    "TOOLS": instructor.Mode.TOOLS,
    "TOOLS_STRICT": instructor.Mode.TOOLS_STRICT,
    "PARALLEL_TOOLS": instructor.Mode.PARALLEL_TOOLS,
    "JSON": instructor.Mode.JSON,
    "JSON_SCHEMA": instructor.Mode.JSON_SCHEMA,
    "MD_JSON": instructor.Mode.MD_JSON,
    "FUNCTIONS": instructor.Mode.FUNCTIONS,
    "RESPONSES_TOOLS": instructor.Mode.RESPONSES_TOOLS,
}


def mode(name):
    def case():
        client = instructor.from_openai(OpenAI(api_key=API_KEY, base_url=OPENAI_URL), mode=MODES[name])
        messages = [{"role": "user", "content": TRIP}]
        if name == "PARALLEL_TOOLS":
            from typing import Iterable

            found = list(client.chat.completions.create(model=MODEL, messages=messages, response_model=Iterable[Trip]))
            is_trip(found[0])
        else:
            is_trip(client.chat.completions.create(model=MODEL, messages=messages, response_model=Trip, max_retries=0))

    return case


run({name: mode(name) for name in MODES})
