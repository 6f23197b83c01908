import { audioRoutes } from '#contract/routes/audio.ts';
import type { CodeOf } from '../code-languages.ts';
import type { LongTranscriptionCode } from '../code-request.ts';
import { shellQuoted } from '../curl.ts';
import { javascriptLiteral, jsonLiteral, pythonLiteral } from '../literals.ts';

const uploads = audioRoutes.createUpload.path;
const jobs = audioRoutes.createTranscriptionJob.path;

/** Uploads a file of the reader's, begins its transcription, and reads that until it has ended. */
export function longTranscriptionCode(origin: string, request: LongTranscriptionCode): CodeOf {
  return {
    curl: curl(origin, request),
    python: python(origin, request),
    javascript: javascript(origin, request),
  };
}

/** The form's fields go to curl as its configuration, which no shell splits. A failure ends the commands in parentheses, and no terminal. */
const curl = (origin: string, { file, contentType, body }: LongTranscriptionCode): string => `# needs jq
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
)`;

const python = (origin: string, { file, contentType, body }: LongTranscriptionCode): string => `import os
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
print(job["text"])`;

const javascript = (
  origin: string,
  { file, contentType, body }: LongTranscriptionCode,
): string => `import { openAsBlob } from 'node:fs';
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
console.log(job.text);`;
