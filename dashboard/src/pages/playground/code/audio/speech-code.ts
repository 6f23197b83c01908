import { audioRoutes } from '#contract/routes/audio.ts';
import type { CodeOf } from '../code-languages.ts';
import type { SpeechCode } from '../code-request.ts';
import { javascriptLiteral, pythonLiteral } from '../literals.ts';
import { speechFile } from './speech-file.ts';

type Body = SpeechCode['body'];

const { path } = audioRoutes.createSpeech;

/** Speaks a text into a file. */
export function speechCode(origin: string, body: Body): CodeOf {
  return {
    python: python(origin, body),
    javascript: javascript(origin, body),
    'openai-python': openAiPython(origin, body),
    'openai-node': openAiNode(origin, body),
  };
}

const python = (origin: string, body: Body): string => `import os

import requests

with requests.post(
    ${pythonLiteral(origin + path)},
    headers={"Authorization": f"Bearer {os.environ['API_KEY']}", "Accept": "audio/*"},
    json=${pythonLiteral(body, 1)},
    timeout=300,
    stream=True,
) as response:
    if not response.ok:
        error = response.json()
        raise SystemExit(f"{error['message']}: {error['detail']}")
    with open(${pythonLiteral(speechFile(body.format))}, "wb") as file:
        for chunk in response.iter_content(16_384):
            file.write(chunk)
print(${pythonLiteral(speechFile(body.format))})`;

const javascript = (origin: string, body: Body): string => `import { writeFile } from 'node:fs/promises';

const response = await fetch(${javascriptLiteral(origin + path)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,
    'Content-Type': 'application/json',
    Accept: 'audio/*',
  },
  body: JSON.stringify(${javascriptLiteral(body, 1)}),
});
if (!response.ok) {
  const { message, detail } = await response.json();
  throw new Error(\`\${message}: \${detail}\`);
}
await writeFile(${javascriptLiteral(speechFile(body.format))}, response.body);
console.log(${javascriptLiteral(speechFile(body.format))});`;

/** As OpenAI's API names the fields. */
const openAiBody = ({ text, voice, format, speed }: Body) => ({
  model: 'svc-speech',
  voice,
  input: text,
  response_format: format,
  speed,
});

const openAiPython = (origin: string, body: Body): string => `# pip install openai
import os

from openai import OpenAI

client = OpenAI(base_url=${pythonLiteral(`${origin}/openai/v1`)}, api_key=os.environ["API_KEY"])

with client.audio.speech.with_streaming_response.create(
${Object.entries(openAiBody(body))
  .filter(([, value]) => value !== undefined)
  .map(([name, value]) => `    ${name}=${pythonLiteral(value, 1)},`)
  .join('\n')}
) as response:
    response.stream_to_file(${pythonLiteral(speechFile(body.format))})
print(${pythonLiteral(speechFile(body.format))})`;

const openAiNode = (origin: string, body: Body): string => `// npm install openai
import { writeFile } from 'node:fs/promises';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${javascriptLiteral(`${origin}/openai/v1`)}, apiKey: process.env.API_KEY });

const response = await client.audio.speech.create(${javascriptLiteral(openAiBody(body))});
await writeFile(${javascriptLiteral(speechFile(body.format))}, response.body);
console.log(${javascriptLiteral(speechFile(body.format))});`;
