from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel

from cases import API_KEY, MODEL, OPENAI_URL, QUESTION, SKY, TRIP, is_text, is_trip, run


class Trip(BaseModel):
    city: str
    days: int


@tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return SKY


def cases(name, **options):
    chat = ChatOpenAI(model=MODEL, api_key=API_KEY, base_url=OPENAI_URL, **options)

    def text():
        is_text(chat.invoke("Hello").text)

    def stream():
        is_text("".join(chunk.text for chunk in chat.stream("Hello")))

    def tools():
        call = chat.bind_tools([get_weather]).invoke(QUESTION).tool_calls[0]
        assert (call["name"], call["args"]) == ("get_weather", {"city": "Paris"})

    def structured():
        is_trip(chat.with_structured_output(Trip).invoke(TRIP))

    works = {"text": text, "stream": stream, "tools": tools, "structured output": structured}
    return {f"{name} {case}": work for case, work in works.items()}


def embeddings():
    """Sends lists of token ids, its default."""
    client = OpenAIEmbeddings(model="svc-embed", api_key=API_KEY, base_url=OPENAI_URL)
    assert len(client.embed_documents(["a cat", "a dog"])) == 2


run({**cases("chat"), **cases("responses", use_responses_api=True), "embeddings": embeddings})
