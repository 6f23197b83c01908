import { longTranscriptionCode, speechCode, transcriptionCode } from './audio-code.ts';
import {
  type CodeOf,
  type CodeRequest,
  curlOf,
  hasFunctions,
  headersOf,
  isStreamed,
  noteOf,
  pathOf,
  type SingleRequest,
  type TextRequest,
  titles,
} from './code-request.ts';
import { commented, javascriptLiteral, pythonLiteral } from './literals.ts';
import { aiSdkCode, openAiNodeCode, openAiPythonCode } from './sdk-code.ts';

interface CodeSnippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** The code of a request in every language that supports it. The code reads the API key from the environment. */
export function codeSnippets(origin: string, request: CodeRequest): CodeSnippet[] {
  const code =
    request.kind === 'long-transcription'
      ? longTranscriptionCode(origin, request)
      : { curl: curlOf(origin, request), ...languagesOf(origin, request) };
  return titles.flatMap(([id, title]) => (code[id] === undefined ? [] : [{ id, title, code: code[id] }]));
}

function languagesOf(origin: string, request: SingleRequest): CodeOf {
  if (request.kind === 'speech') return speechCode(origin, request.body);
  return request.kind === 'transcription' ? transcriptionCode(origin, request) : textCode(origin, request);
}

const textCode = (origin: string, request: TextRequest): CodeOf => ({
  python: pythonCode(origin, request),
  javascript: javascriptCode(origin, request),
  'openai-python': openAiPythonCode(origin, request),
  'openai-node': openAiNodeCode(origin, request),
  'ai-sdk': aiSdkCode(origin, request),
});

const pythonCode = (origin: string, request: TextRequest): string =>
  isStreamed(request) ? pythonStream(origin, request) : pythonWhole(origin, request);

const pythonPost = (origin: string, request: TextRequest, depth: number, more = ''): string => {
  const margin = '    '.repeat(depth);
  return `requests.post(
${margin}    ${pythonLiteral(origin + pathOf(request))},
${margin}    headers={"Authorization": f"Bearer {os.environ['API_KEY']}"${pythonHeaders(request)}},
${margin}    json=${pythonLiteral(request.body, depth + 1)},
${margin}    timeout=300,${more}
${margin})`;
};

const pythonHeaders = (request: TextRequest): string =>
  Object.entries(headersOf(request))
    .map(([name, value]) => `, ${pythonLiteral(name)}: ${pythonLiteral(value)}`)
    .join('');

const pythonWhole = (
  origin: string,
  request: TextRequest,
): string => `${request.kind === 'analysis' ? 'import json\n' : ''}import os

import requests

${commented('#', noteOf(request))}response = ${pythonPost(origin, request, 0)}
body = response.json()
if body["error"]:
    raise SystemExit(f"{body['message']}: {body['detail']}")
print(${pythonOutput(request)})`;

function pythonOutput(request: TextRequest): string {
  if (request.kind === 'analysis') return 'json.dumps(body["data"], indent=2, ensure_ascii=False)';
  if (request.kind === 'message') return 'body["data"]["id"], body["data"]["status"]';
  if (request.kind === 'translation') return 'body["data"]["translatedText"]';
  if (request.kind === 'embeddings') return '[item["embedding"] for item in body["data"]["data"]]';
  if (request.kind === 'completion') return 'body["data"]["choices"][0]["text"]';
  const message = request.kind === 'agent' ? 'body["data"]["message"]' : 'body["data"]["choices"][0]["message"]';
  return hasFunctions(request) ? message : `${message}["content"]`;
}

const pythonStream = (origin: string, request: TextRequest): string => `import json
import os

import requests

with ${pythonPost(origin, request, 0, '\n    stream=True,')} as response:
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
${pythonPiece(request)}
if not is_complete:
    raise SystemExit("The stream broke before its end.")`;

function pythonPiece(request: TextRequest): string {
  if (request.kind === 'completion') return '        print(choice["text"], end="", flush=True)';
  if (!hasFunctions(request)) return '        print(choice["delta"].get("content") or "", end="", flush=True)';
  return `        call = choice["delta"].get("function_call", {})
        text = choice["delta"].get("content") or call.get("name", "") + call.get("arguments", "")
        print(text, end="", flush=True)`;
}

/** `fetch` for a server. In a browser it would expose the API key. */
function javascriptCode(origin: string, request: TextRequest): string {
  const call = `${commented('//', noteOf(request))}const response = await fetch(${javascriptLiteral(origin + pathOf(request))}, {
  method: 'POST',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\`, 'Content-Type': 'application/json'${javascriptHeaders(request)} },
  body: JSON.stringify(${javascriptLiteral(request.body, 1)}),
});`;
  return `${call}\n${isStreamed(request) ? javascriptStream(request) : javascriptWhole(request)}`;
}

const javascriptHeaders = (request: TextRequest): string =>
  Object.entries(headersOf(request))
    .map(([name, value]) => `, ${javascriptLiteral(name)}: ${javascriptLiteral(value)}`)
    .join('');

const javascriptWhole = (
  request: TextRequest,
): string => `const { message, error, data, detail } = await response.json();
if (error) throw new Error(\`\${message}: \${detail}\`);
console.log(${javascriptOutput(request)});`;

function javascriptOutput(request: TextRequest): string {
  if (request.kind === 'analysis') return 'JSON.stringify(data, undefined, 2)';
  if (request.kind === 'message') return 'data.id, data.status';
  if (request.kind === 'translation') return 'data.translatedText';
  if (request.kind === 'embeddings') return 'data.data.map(({ embedding }) => embedding)';
  if (request.kind === 'completion') return 'data.choices[0].text';
  const reply = request.kind === 'agent' ? 'data.message' : 'data.choices[0].message';
  return hasFunctions(request) ? reply : `${reply}.content`;
}

const javascriptStream = (request: TextRequest): string => `if (!response.ok) {
  const { message, detail } = await response.json();
  throw new Error(\`\${message}: \${detail}\`);
}

let rest = '';
let isComplete = false;
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  const events = (rest + text).split('\\n\\n');
  rest = events.pop();
  for (const event of events) {
    const { message, error, data, detail } = JSON.parse(event.slice('data: '.length));
    if (error) throw new Error(\`\${message}: \${detail}\`);
    if (message === 'STREAM_COMPLETE') isComplete = true;
${javascriptPiece(request)}
  }
}
if (!isComplete) throw new Error('The stream broke before its end.');`;

function javascriptPiece(request: TextRequest): string {
  if (request.kind === 'completion') return '    else process.stdout.write(data.choices[0].text);';
  if (!hasFunctions(request)) return "    else process.stdout.write(data.choices[0].delta.content ?? '');";
  return `    else {
      const { content, function_call: call } = data.choices[0].delta;
      process.stdout.write(content ?? (call?.name ?? '') + (call?.arguments ?? ''));
    }`;
}
