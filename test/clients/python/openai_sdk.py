import json

from openai import OpenAI
from pydantic import BaseModel

from cases import ANSWER, API_KEY, MODEL, OPENAI_URL, QUESTION, SKY, TRIP, WEATHER_SCHEMA, is_text, is_trip, run

client = OpenAI(api_key=API_KEY, base_url=OPENAI_URL)
messages = [{"role": "user", "content": "Hello"}]
chat_tool = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER_SCHEMA}}
tool = {"type": "function", "name": "get_weather", "parameters": WEATHER_SCHEMA, "strict": True}


class Trip(BaseModel):
    city: str
    days: int


def chat():
    is_text(client.chat.completions.create(model=MODEL, messages=messages).choices[0].message.content)


def chat_stream():
    with client.chat.completions.stream(model=MODEL, messages=messages) as stream:
        for _ in stream:
            pass
    is_text(stream.get_final_completion().choices[0].message.content)


def chat_tools():
    asked = [{"role": "user", "content": QUESTION}]
    message = client.chat.completions.create(model=MODEL, messages=asked, tools=[chat_tool]).choices[0].message
    result = {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": SKY}
    final = client.chat.completions.create(model=MODEL, messages=[*asked, message, result], tools=[chat_tool])
    assert ANSWER in final.choices[0].message.content


def chat_structured():
    asked = [{"role": "user", "content": TRIP}]
    is_trip(client.chat.completions.parse(model=MODEL, messages=asked, response_format=Trip).choices[0].message.parsed)


def responses():
    is_text(client.responses.create(model=MODEL, input="Hello").output_text)


def responses_stream():
    with client.responses.stream(model=MODEL, input="Hello") as stream:
        for _ in stream:
            pass
    is_text(stream.get_final_response().output_text)


def responses_tools():
    first = client.responses.create(model=MODEL, input=QUESTION, tools=[tool])
    call = next(item for item in first.output if item.type == "function_call")
    assert json.loads(call.arguments) == {"city": "Paris"}
    result = {"type": "function_call_output", "call_id": call.call_id, "output": SKY}
    second = client.responses.create(model=MODEL, previous_response_id=first.id, input=[result], tools=[tool])
    assert ANSWER in second.output_text


def responses_structured():
    is_trip(client.responses.parse(model=MODEL, input=TRIP, text_format=Trip).output_parsed)


def embeddings():
    data = client.embeddings.create(model="svc-embed", input=["a cat", "a dog"]).data
    assert len(data) == 2 and len(data[0].embedding) == len(data[1].embedding)


def audio():
    speech = client.audio.speech.create(model="svc-speech", voice="nova", input="Good morning.").read()
    file = ("speech.mp3", speech, "audio/mpeg")
    assert client.audio.transcriptions.create(model="svc-transcribe", file=file).text == "Good morning."
    assert client.audio.translations.create(model="svc-transcribe", file=file).text == "Good morning."
    events = list(client.audio.transcriptions.create(model="svc-transcribe", file=file, stream=True))
    assert events[-1].text == "Good morning."


def models():
    assert MODEL in [model.id for model in client.models.list()]
    assert client.models.retrieve(MODEL).id == MODEL


run(
    {
        "chat": chat,
        "chat stream": chat_stream,
        "chat tools": chat_tools,
        "chat structured output": chat_structured,
        "responses": responses,
        "responses stream": responses_stream,
        "responses tools": responses_tools,
        "responses structured output": responses_structured,
        "embeddings": embeddings,
        "audio": audio,
        "models": models,
    }
)
