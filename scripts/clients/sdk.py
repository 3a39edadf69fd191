"""Checks the server with the Python SDK, over both transports and in both eras."""

import asyncio
import os
import re
import time

from mcp import Client, MCPError, StdioServerParameters

WEB = os.environ["WEB"]  # the address of slow-web.mjs
CALLS = int(os.environ.get("CALLS", "200"))


def server(transport):
    if transport == "http":
        return os.environ["URL"]
    return StdioServerParameters(command=os.environ["SERVER"], args=["stdio", "--data-dir", os.environ["DATA"]], env=dict(os.environ))


def pages(n):
    """Pages that come 600 ms apart, each a line of progress."""
    return {"urls": [f"{WEB}/tower/slow/{i}?ms={600 * (i + 1)}" for i in range(n)], "max_age_s": 0}


async def search(client, query):
    lines = []

    async def told(progress, total, message):
        lines.append(progress)

    result = await client.call_tool("web_search", {"query": query}, progress_callback=told)
    assert lines == sorted(set(lines)) and lines, f"progress: {lines}"
    assert result.structured_content["query"] == query and result.structured_content["results"], "no results"


async def progress(client):
    for _ in range(CALLS):
        await search(client, "tower of Tarn")


async def timeouts(client):
    began = time.monotonic()
    try:
        await client.call_tool("crawl", pages(6), read_timeout_seconds=1.5)
        raise AssertionError("no timeout")
    except MCPError as error:
        assert "timed out" in str(error).lower(), error
    assert time.monotonic() - began < 3, "the timeout took long"


async def cancel(client):
    call = asyncio.create_task(client.call_tool("crawl", pages(6)))
    await asyncio.sleep(0.3)
    call.cancel()
    try:
        await call
    except asyncio.CancelledError:
        pass
    assert not (await client.call_tool("research_status", {})).is_error, "the next call fails"


async def parallel(client):
    await asyncio.gather(*(search(client, f"tower {i}") for i in range(20)))


async def halves(client):
    """Hosts show a model one half of an answer: each must hold the report."""
    name, arguments = "deep_research", {"question": "How tall is the tower of Tarn?", "effort": "quick"}
    while True:
        result = await client.call_tool(name, arguments)
        if result.structured_content["status"] != "running":
            break
        name, arguments = "research_result", result.structured_content["next"]["arguments"]
    content = "\n".join(c.text for c in result.content if c.type == "text")
    for half in (content, str(result.structured_content)):
        for want in (r"tower of Tarn (is|was|carries)", r"\[\[?1\]", r"r_[A-Z0-9]+"):
            assert re.search(want, half), f"{want} is missing in {half[:300]}"


async def main():
    for transport in ("stdio", "http"):
        for era in ("legacy", "auto"):
            async with Client(server(transport), mode=era) as client:
                for check in (progress, timeouts, cancel, parallel, halves):
                    try:
                        await check(client)
                    except BaseException:
                        print(f"FAILED: Python SDK over {transport}, {era}: {check.__name__}")
                        raise
            print(f"ok: Python SDK over {transport}, {era}: {CALLS} calls with progress, timeouts, cancel, 20 at once, either half of an answer")


asyncio.run(main())
