import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from cases import ANTHROPIC_URL, API_KEY, MODEL, OPENAI_URL, QUESTION, WEATHER_SCHEMA, is_text, run

litellm.suppress_debug_info = True
openai = {"model": f"openai/{MODEL}", "api_key": API_KEY, "api_base": OPENAI_URL}
hello = [{"role": "user", "content": "Hello"}]
tool = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER_SCHEMA}}


def chat():
    is_text(litellm.completion(**openai, messages=hello).choices[0].message.content)


def chat_stream():
    parts = litellm.completion(**openai, messages=hello, stream=True)
    is_text("".join(part.choices[0].delta.content or "" for part in parts))


def chat_tools():
    asked = [{"role": "user", "content": QUESTION}]
    message = litellm.completion(**openai, messages=asked, tools=[tool]).choices[0].message
    assert message.tool_calls[0].function.name == "get_weather"


def responses():
    is_text(litellm.responses(**openai, input="Hello").output_text)


def responses_stream():
    events = list(litellm.responses(**openai, input="Hello", stream=True))
    is_text(events[-1].response.output_text)


def embeddings():
    data = litellm.embedding(
        model="openai/svc-embed", api_key=API_KEY, api_base=OPENAI_URL, input=["a cat", "a dog"]
    ).data
    assert len(data) == 2


def anthropic():
    completion = litellm.completion(
        model=f"anthropic/{MODEL}", api_key=API_KEY, api_base=ANTHROPIC_URL, messages=hello, max_tokens=512
    )
    is_text(completion.choices[0].message.content)


run(
    {
        "chat": chat,
        "chat stream": chat_stream,
        "chat tools": chat_tools,
        "responses": responses,
        "responses stream": responses_stream,
        "embeddings": embeddings,
        "anthropic": anthropic,
    }
)
