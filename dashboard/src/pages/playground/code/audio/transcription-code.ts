import { audioRoutes } from '#contract/routes/audio.ts';
import type { CodeOf } from '../code-languages.ts';
import type { TranscriptionCode } from '../code-request.ts';
import { javascriptLiteral, pythonLiteral } from '../literals.ts';

const { path } = audioRoutes.createTranscription;

/** Transcribes a file of the reader's. */
export function transcriptionCode(origin: string, request: TranscriptionCode): CodeOf {
  return {
    python: python(origin, request),
    javascript: javascript(origin, request),
    'openai-python': openAiPython(origin, request),
    'openai-node': openAiNode(origin, request),
  };
}

const hasTimes = ({ body }: TranscriptionCode): boolean => (body.timestamps ?? 'none') !== 'none';

const python = (origin: string, request: TranscriptionCode): string => `import os

import requests

with open(${pythonLiteral(request.file)}, "rb") as file:
    response = requests.post(
        ${pythonLiteral(origin + path)},
        headers={"Authorization": f"Bearer {os.environ['API_KEY']}"},
        data=${pythonLiteral(request.body, 2)},
        files={"file": file},
        timeout=300,
    )
body = response.json()
if body["error"]:
    raise SystemExit(f"{body['message']}: {body['detail']}")
print(body["data"]["text"])${
  hasTimes(request)
    ? `
for segment in body["data"]["segments"]:
    print(segment["start"], segment["end"], segment["text"])`
    : ''
}`;

const javascript = (origin: string, request: TranscriptionCode): string => `import { openAsBlob } from 'node:fs';

const form = new FormData();
${Object.entries(request.body)
  .map(([name, value]) => `form.append(${javascriptLiteral(name)}, ${javascriptLiteral(value)});\n`)
  .join(
    '',
  )}form.append('file', await openAsBlob(${javascriptLiteral(request.file)}), ${javascriptLiteral(request.file)});
const response = await fetch(${javascriptLiteral(origin + path)}, {
  method: 'POST',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
  body: form,
});
const { message, error, data, detail } = await response.json();
if (error) throw new Error(\`\${message}: \${detail}\`);
console.log(data.text);${
  hasTimes(request) ? '\nfor (const { start, end, text } of data.segments) console.log(start, end, text);' : ''
}`;

/** As OpenAI's API names the fields, without the file. */
function openAiBody({ body: { language, timestamps = 'none' } }: TranscriptionCode) {
  return {
    model: 'svc-transcribe',
    ...(language !== undefined && { language }),
    ...(timestamps !== 'none' && {
      response_format: 'verbose_json',
      timestamp_granularities: timestamps === 'word' ? ['word', 'segment'] : ['segment'],
    }),
  };
}

const openAiPython = (origin: string, request: TranscriptionCode): string => `# pip install openai
import os

from openai import OpenAI

client = OpenAI(base_url=${pythonLiteral(`${origin}/openai/v1`)}, api_key=os.environ["API_KEY"])

with open(${pythonLiteral(request.file)}, "rb") as file:
    response = client.audio.transcriptions.create(
        file=file,
${Object.entries(openAiBody(request))
  .map(([name, value]) => `        ${name}=${pythonLiteral(value, 2)},`)
  .join('\n')}
    )
print(response.text)${
  hasTimes(request)
    ? `
for segment in response.segments or []:
    print(segment.start, segment.end, segment.text)`
    : ''
}`;

const openAiNode = (origin: string, request: TranscriptionCode): string => `// npm install openai
import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${javascriptLiteral(`${origin}/openai/v1`)}, apiKey: process.env.API_KEY });

const response = await client.audio.transcriptions.create({
  file: createReadStream(${javascriptLiteral(request.file)}),
${Object.entries(openAiBody(request))
  .map(([name, value]) => `  ${name}: ${javascriptLiteral(value, 1)},`)
  .join('\n')}
});
console.log(response.text);${
  hasTimes(request)
    ? '\nfor (const { start, end, text } of response.segments ?? []) console.log(start, end, text);'
    : ''
}`;
