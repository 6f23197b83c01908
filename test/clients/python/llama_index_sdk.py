from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.embeddings.openai import OpenAIEmbedding
from llama_index.llms.openai import OpenAIResponses
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel

from cases import API_KEY, MODEL, OPENAI_URL, QUESTION, SKY, TRIP, is_text, is_trip, run

llm = OpenAILike(
    model=MODEL,
    api_key=API_KEY,
    api_base=OPENAI_URL,
    context_window=32768,
    is_chat_model=True,
    is_function_calling_model=True,
)


class Trip(BaseModel):
    city: str
    days: int


def get_weather(city: str) -> str:
    """The weather in a city."""
    return SKY


def text():
    is_text(llm.chat([ChatMessage(role="user", content="Hello")]).message.content)


def stream():
    is_text("".join(part.delta for part in llm.stream_chat([ChatMessage(role="user", content="Hello")])))


def tools():
    response = llm.chat_with_tools([FunctionTool.from_defaults(get_weather)], user_msg=QUESTION)
    call = llm.get_tool_calls_from_response(response)[0]
    assert (call.tool_name, call.tool_kwargs) == ("get_weather", {"city": "Paris"})


def structured():
    is_trip(llm.as_structured_llm(Trip).complete(TRIP).raw)


def responses():
    client = OpenAIResponses(model=MODEL, api_key=API_KEY, api_base=OPENAI_URL, context_window=32768)
    is_text(client.chat([ChatMessage(role="user", content="Hello")]).message.content)


def embeddings():
    client = OpenAIEmbedding(model_name="svc-embed", api_key=API_KEY, api_base=OPENAI_URL)
    assert len(client.get_text_embedding_batch(["a cat", "a dog"])) == 2


run(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "structured output": structured,
        "responses": responses,
        "embeddings": embeddings,
    }
)
