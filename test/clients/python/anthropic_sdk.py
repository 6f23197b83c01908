from anthropic import Anthropic, beta_tool

from cases import ANSWER, ANTHROPIC_URL, API_KEY, MODEL, QUESTION, SKY, is_text, run

client = Anthropic(api_key=API_KEY, base_url=ANTHROPIC_URL)
body = {"model": MODEL, "max_tokens": 1024, "messages": [{"role": "user", "content": "Hello"}]}


@beta_tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: A city.
    """
    return SKY


def messages():
    is_text(client.messages.create(**body).content[0].text)


def stream():
    with client.messages.stream(**body) as events:
        text = "".join(events.text_stream)
        assert events.get_final_message().usage.input_tokens > 0
    is_text(text)


def tools():
    asked = {**body, "messages": [{"role": "user", "content": QUESTION}]}
    final = client.beta.messages.tool_runner(**asked, tools=[get_weather]).until_done()
    assert ANSWER in next(block.text for block in final.content if block.type == "text")


def count_tokens():
    assert client.messages.count_tokens(model=MODEL, messages=body["messages"]).input_tokens > 0


run({"messages": messages, "stream": stream, "tools": tools, "count tokens": count_tokens})
