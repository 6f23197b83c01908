from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from cases import ANSWER, API_KEY, MODEL, OPENAI_URL, QUESTION, SKY, TRIP, is_text, is_trip, run


class Trip(BaseModel):
    city: str
    days: int


def get_weather(city: str) -> str:
    """The weather in a city."""
    return SKY


def cases(name, new_model):
    async def text():
        is_text((await Agent(new_model()).run("Hello")).output)

    async def stream():
        async with Agent(new_model()).run_stream("Hello") as result:
            is_text(await result.get_output())

    async def tools():
        assert ANSWER in (await Agent(new_model(), tools=[get_weather]).run(QUESTION)).output

    async def structured():
        is_trip((await Agent(new_model(), output_type=Trip).run(TRIP)).output)

    works = {"text": text, "stream": stream, "tools": tools, "structured output": structured}
    return {f"{name} {case}": work for case, work in works.items()}


def openai():
    return OpenAIProvider(base_url=OPENAI_URL, api_key=API_KEY)


run(
    {
        **cases("chat", lambda: OpenAIChatModel(MODEL, provider=openai())),
        **cases("responses", lambda: OpenAIResponsesModel(MODEL, provider=openai())),
    }
)
