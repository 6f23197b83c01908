import { firstModelFor } from '#contract/inference/models.ts';

interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** Returns the same call for five clients. `key` is the known prefix of the key. */
export function firstCalls(origin: string, key: string): Snippet[] {
  const model = firstModelFor('chat');
  const body = `{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}`;
  return [
    {
      id: 'curl',
      title: 'cURL',
      code: `export API_KEY="${key}"

curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
    {
      id: 'javascript',
      title: 'JavaScript',
      code: `// API_KEY="${key}" node first-call.mjs
const response = await fetch('${origin}/v1/chat/completions', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ model: '${model}', messages: [{ role: 'user', content: 'Hello' }] }),
});
const { message, data, detail } = await response.json();
console.log(data?.choices[0].message.content ?? \`\${message}: \${detail}\`);`,
    },
    {
      id: 'python',
      title: 'Python',
      code: `# API_KEY="${key}" python first_call.py
import json, os, urllib.request

request = urllib.request.Request(
    "${origin}/v1/chat/completions",
    headers={
        "Authorization": f"Bearer {os.environ['API_KEY']}",
        "Content-Type": "application/json",
    },
    data=json.dumps({"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}).encode(),
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["data"]["choices"][0]["message"]["content"])`,
    },
    {
      id: 'openai',
      title: 'OpenAI SDK',
      code: `// npm install openai; API_KEY="${key}" node first-call.mjs
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/openai/v1', apiKey: process.env.API_KEY });
const completion = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(completion.choices[0].message.content);`,
    },
    {
      id: 'anthropic',
      title: 'Anthropic SDK',
      code: `// npm install @anthropic-ai/sdk; API_KEY="${key}" node first-call.mjs
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}/anthropic', apiKey: process.env.API_KEY });
const message = await client.messages.create({
  model: '${model}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(message.content[0].text);`,
    },
  ];
}
