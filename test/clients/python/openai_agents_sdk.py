from agents import Agent, Runner, function_tool, set_default_openai_api, set_default_openai_client, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel

from cases import ANSWER, API_KEY, MODEL, OPENAI_URL, QUESTION, SKY, TRIP, is_text, is_trip, run

set_tracing_disabled(True)


class Trip(BaseModel):
    city: str
    days: int


@function_tool
def get_weather(city: str) -> str:
    """The weather in a city."""
    return SKY


def agent(**more):
    return Agent(name="Guide", instructions="Reply briefly.", model=MODEL, **more)


def cases(api):
    def using(work):
        async def case():
            # A client belongs to the event loop that first used it.
            set_default_openai_client(AsyncOpenAI(api_key=API_KEY, base_url=OPENAI_URL), use_for_tracing=False)
            set_default_openai_api(api)
            await work()

        return case

    async def text():
        is_text((await Runner.run(agent(), "Hello")).final_output)

    async def stream():
        result = Runner.run_streamed(agent(), "Hello")
        async for _ in result.stream_events():
            pass
        is_text(result.final_output)

    async def tools():
        assert ANSWER in (await Runner.run(agent(tools=[get_weather]), QUESTION)).final_output

    async def structured():
        is_trip((await Runner.run(agent(output_type=Trip), TRIP)).final_output)

    name = "chat" if api == "chat_completions" else api
    works = {"text": text, "stream": stream, "tools": tools, "structured output": structured}
    return {f"{name} {case}": using(work) for case, work in works.items()}


run({**cases("responses"), **cases("chat_completions")})
