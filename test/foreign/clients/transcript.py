"""What each step of a program comes to, one line of JSON for each step."""

import json


def said(value):
    """The part of an error that the API server has said, or the error's kind."""
    body = getattr(value, "body", None)
    if isinstance(body, (str, bytes)):
        try:
            status = json.loads(body)
            return {key: status.get(key) for key in ("code", "reason", "message")}
        except ValueError:
            return {"body": str(body)}
    response = getattr(value, "response", None)
    if response is not None:
        try:
            status = response.json()
            return {key: status.get(key) for key in ("code", "reason", "message")}
        except ValueError:
            return {"text": response.text}
    return {"error": type(value).__name__, "message": str(value)}


def show(name, value):
    print(json.dumps({name: value}, sort_keys=True, default=str), flush=True)


def step(name, run):
    try:
        show(name, run())
    except Exception as error:
        show(name, said(error))


async def async_step(name, run):
    try:
        show(name, await run())
    except Exception as error:
        show(name, said(error))
