import { firstModelFor } from '#contract/inference/models.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import {
  type CodeOf,
  type LongTranscriptionCode,
  type SpeechCode,
  speechFile,
  type TranscriptionCode,
} from './code-request.ts';
import { javascriptLiteral, jsonLiteral, pythonLiteral, shellQuoted } from './literals.ts';
import { openAiNodeClient, openAiPythonClient, pythonArguments } from './sdk-code.ts';

/** Code that generates speech and saves it to a file. */
export function speechCode(origin: string, body: SpeechCode['body']): CodeOf {
  const url = origin + audioRoutes.createSpeech.path;
  const file = speechFile(body.format);
  const openAiBody = {
    model: firstModelFor('speech'),
    voice: body.voice,
    input: body.text,
    response_format: body.format,
    speed: body.speed,
  };
  return {
    python: `import os

import requests

with requests.post(
    ${pythonLiteral(url)},
    headers={"Authorization": f"Bearer {os.environ['API_KEY']}", "Accept": "audio/*"},
    json=${pythonLiteral(body, 1)},
    timeout=300,
    stream=True,
) as response:
    if not response.ok:
        error = response.json()
        raise SystemExit(f"{error['message']}: {error['detail']}")
    with open(${pythonLiteral(file)}, "wb") as file:
        for chunk in response.iter_content(16_384):
            file.write(chunk)
print(${pythonLiteral(file)})`,
    javascript: `import { writeFile } from 'node:fs/promises';

const response = await fetch(${javascriptLiteral(url)}, {
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
await writeFile(${javascriptLiteral(file)}, response.body);
console.log(${javascriptLiteral(file)});`,
    'openai-python': `${openAiPythonClient(origin)}

with client.audio.speech.with_streaming_response.create(
${pythonArguments(openAiBody, 1)}
) as response:
    response.stream_to_file(${pythonLiteral(file)})
print(${pythonLiteral(file)})`,
    'openai-node': `${openAiNodeClient(origin, "import { writeFile } from 'node:fs/promises';\n")}

const response = await client.audio.speech.create(${javascriptLiteral(openAiBody)});
await writeFile(${javascriptLiteral(file)}, response.body);
console.log(${javascriptLiteral(file)});`,
  };
}

/** Code that transcribes a local file in one request. */
export function transcriptionCode(origin: string, { file, body }: TranscriptionCode): CodeOf {
  const url = origin + audioRoutes.createTranscription.path;
  const { language, timestamps = 'none' } = body;
  const hasTimes = timestamps !== 'none';
  const openAiBody = {
    model: firstModelFor('transcription'),
    ...(language !== undefined && { language }),
    ...(hasTimes && {
      response_format: 'verbose_json',
      timestamp_granularities: timestamps === 'word' ? ['word', 'segment'] : ['segment'],
    }),
  };
  const pythonTimes = `
for segment in body["data"]["segments"]:
    print(segment["start"], segment["end"], segment["text"])`;
  const openAiPythonTimes = `
for segment in response.segments or []:
    print(segment.start, segment.end, segment.text)`;
  const printTimes = (segments: string): string =>
    hasTimes ? `\nfor (const { start, end, text } of ${segments}) console.log(start, end, text);` : '';
  const lines = (values: object, line: (name: string, value: unknown) => string): string =>
    Object.entries(values)
      .map(([name, value]) => line(name, value))
      .join('\n');
  return {
    python: `import os

import requests

with open(${pythonLiteral(file)}, "rb") as file:
    response = requests.post(
        ${pythonLiteral(url)},
        headers={"Authorization": f"Bearer {os.environ['API_KEY']}"},
        data=${pythonLiteral(body, 2)},
        files={"file": file},
        timeout=300,
    )
body = response.json()
if body["error"]:
    raise SystemExit(f"{body['message']}: {body['detail']}")
print(body["data"]["text"])${hasTimes ? pythonTimes : ''}`,
    javascript: `import { openAsBlob } from 'node:fs';

const form = new FormData();
${lines(
  { ...body, file },
  (name, value) =>
    `form.append(${javascriptLiteral(name)}, ${name === 'file' ? `await openAsBlob(${javascriptLiteral(value)}), ` : ''}${javascriptLiteral(value)});`,
)}
const response = await fetch(${javascriptLiteral(url)}, {
  method: 'POST',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
  body: form,
});
const { message, error, data, detail } = await response.json();
if (error) throw new Error(\`\${message}: \${detail}\`);
console.log(data.text);${printTimes('data.segments')}`,
    'openai-python': `${openAiPythonClient(origin)}

with open(${pythonLiteral(file)}, "rb") as file:
    response = client.audio.transcriptions.create(
        file=file,
${pythonArguments(openAiBody, 2)}
    )
print(response.text)${hasTimes ? openAiPythonTimes : ''}`,
    'openai-node': `${openAiNodeClient(origin, "import { createReadStream } from 'node:fs';\n")}

const response = await client.audio.transcriptions.create({
  file: createReadStream(${javascriptLiteral(file)}),
${lines(openAiBody, (name, value) => `  ${name}: ${javascriptLiteral(value, 1)},`)}
});
console.log(response.text);${printTimes('response.segments ?? []')}`,
  };
}

const uploads = audioRoutes.createUpload.path;
const jobs = audioRoutes.createTranscriptionJob.path;

/** Code that uploads a local file, starts its transcription and polls until it ends. */
export function longTranscriptionCode(origin: string, { file, contentType, body }: LongTranscriptionCode): CodeOf {
  return {
    // curl reads the form's fields as configuration, so that no shell splits them. The parentheses keep `set -e` from
    // closing the terminal.
    curl: `# needs jq
(
set -eu
key="Authorization: Bearer $API_KEY"
upload=$(curl -sSf ${shellQuoted(origin + uploads)} -H "$key" -H 'Content-Type: application/json' \\
  -d '{"contentType": "${contentType}", "bytes": '"$(wc -c < ${file})"'}')

printf '%s' "$upload" | jq -r '.data.fields | to_entries[] | "form-string = " + ("\\(.key)=\\(.value)" | @json)' |
  curl -sSf "$(printf '%s' "$upload" | jq -r .data.url)" -K - -F file=@${file}

job=$(printf '%s' "$upload" | jq ${shellQuoted(`{uploadId: .data.id} + ${jsonLiteral(body)}`)} |
  curl -sSf ${shellQuoted(origin + jobs)} -H "$key" -H 'Content-Type: application/json' -d @-)
while printf '%s' "$job" | jq -e '.data.status | . == "queued" or . == "running"' > /dev/null; do
  sleep 2
  job=$(curl -sSf ${shellQuoted(`${origin + jobs}/`)}"$(printf '%s' "$job" | jq -r .data.id)" -H "$key")
done
printf '%s' "$job" | jq -r '.data | .status, .text'
)`,
    python: `import os
import time

import requests

origin = ${pythonLiteral(origin)}
headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}


def call(method, path, body=None):
    response = requests.request(method, origin + path, headers=headers, json=body, timeout=60).json()
    if response["error"]:
        raise SystemExit(f"{response['message']}: {response['detail']}")
    return response["data"]


size = os.path.getsize(${pythonLiteral(file)})
new_upload = {"contentType": ${pythonLiteral(contentType)}, "bytes": size}
upload = call("POST", ${pythonLiteral(uploads)}, new_upload)
with open(${pythonLiteral(file)}, "rb") as file:
    sent = requests.post(upload["url"], data=upload["fields"], files={"file": file}, timeout=3600)
sent.raise_for_status()

job = call("POST", ${pythonLiteral(jobs)}, {"uploadId": upload["id"], **${pythonLiteral(body)}})
while job["status"] in ("queued", "running"):
    time.sleep(2)
    job = call("GET", f"${jobs}/{job['id']}")
print(job["status"])
print(job["text"])`,
    javascript: `import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const origin = ${javascriptLiteral(origin)};
const headers = {
  Authorization: \`Bearer \${process.env.API_KEY}\`,
  'Content-Type': 'application/json',
};

async function call(path, body) {
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(origin + path, init);
  const { message, error, data, detail } = await response.json();
  if (error) throw new Error(\`\${message}: \${detail}\`);
  return data;
}

const file = await openAsBlob(${javascriptLiteral(file)});
const upload = await call(${javascriptLiteral(uploads)}, {
  contentType: ${javascriptLiteral(contentType)},
  bytes: file.size,
});
const form = new FormData();
for (const [name, value] of Object.entries(upload.fields)) form.append(name, value);
form.append('file', file);
const sent = await fetch(upload.url, { method: 'POST', body: form });
if (!sent.ok) throw new Error(await sent.text());

let job = await call(${javascriptLiteral(jobs)}, { uploadId: upload.id, ...${javascriptLiteral(body)} });
while (job.status === 'queued' || job.status === 'running') {
  await sleep(2000);
  job = await call(\`${jobs}/\${job.id}\`);
}
console.log(job.status);
console.log(job.text);`,
  };
}
