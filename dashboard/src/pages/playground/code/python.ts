import { hasFunctions, headersOf, isStreamed, noteOf, pathOf, type TextRequest } from './code-request.ts';
import { commented, pythonLiteral } from './literals.ts';

/** With the `requests` package. */
export const pythonCode = (origin: string, request: TextRequest): string =>
  isStreamed(request) ? streamed(origin, request) : whole(origin, request);

const post = (origin: string, request: TextRequest, depth: number, more = ''): string => {
  const margin = '    '.repeat(depth);
  return `requests.post(
${margin}    ${pythonLiteral(origin + pathOf(request))},
${margin}    headers={"Authorization": f"Bearer {os.environ['API_KEY']}"${moreHeaders(request)}},
${margin}    json=${pythonLiteral(request.body, depth + 1)},
${margin}    timeout=300,${more}
${margin})`;
};

const moreHeaders = (request: TextRequest): string =>
  Object.entries(headersOf(request))
    .map(([name, value]) => `, ${pythonLiteral(name)}: ${pythonLiteral(value)}`)
    .join('');

const whole = (
  origin: string,
  request: TextRequest,
): string => `${request.kind === 'analysis' ? 'import json\n' : ''}import os

import requests

${commented('#', noteOf(request))}response = ${post(origin, request, 0)}
body = response.json()
if body["error"]:
    raise SystemExit(f"{body['message']}: {body['detail']}")
print(${output(request)})`;

function output(request: TextRequest): string {
  if (request.kind === 'analysis') return 'json.dumps(body["data"], indent=2, ensure_ascii=False)';
  if (request.kind === 'message') return 'body["data"]["id"], body["data"]["status"]';
  if (request.kind === 'translation') return 'body["data"]["translatedText"]';
  if (request.kind === 'embeddings') return '[item["embedding"] for item in body["data"]["data"]]';
  if (request.kind === 'completion') return 'body["data"]["choices"][0]["text"]';
  const message = request.kind === 'agent' ? 'body["data"]["message"]' : 'body["data"]["choices"][0]["message"]';
  return hasFunctions(request) ? message : `${message}["content"]`;
}

const streamed = (origin: string, request: TextRequest): string => `import json
import os

import requests

with ${post(origin, request, 0, '\n    stream=True,')} as response:
    if not response.ok:
        body = response.json()
        raise SystemExit(f"{body['message']}: {body['detail']}")
    is_complete = False
    for line in response.iter_lines():
        if not line:
            continue
        event = json.loads(line.removeprefix(b"data: "))
        if event["error"]:
            raise SystemExit(f"{event['message']}: {event['detail']}")
        if event["message"] == "STREAM_COMPLETE":
            is_complete = True
            break
        choice = event["data"]["choices"][0]
${piece(request)}
if not is_complete:
    raise SystemExit("The stream broke before its end.")`;

function piece(request: TextRequest): string {
  if (request.kind === 'completion') return '        print(choice["text"], end="", flush=True)';
  if (!hasFunctions(request)) return '        print(choice["delta"].get("content") or "", end="", flush=True)';
  return `        call = choice["delta"].get("function_call", {})
        text = choice["delta"].get("content") or call.get("name", "") + call.get("arguments", "")
        print(text, end="", flush=True)`;
}
