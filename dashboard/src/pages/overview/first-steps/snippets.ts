export interface Snippet {
  readonly id: string;
  readonly title: string;
  readonly code: string;
}

/** The first call in four ways. `key` is what is known of the caller's own key; the rest is theirs to fill in. */
export function snippets(origin: string, key: string): Snippet[] {
  const body = '{"model": "svc-1", "messages": [{"role": "user", "content": "Hello"}]}';
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
  body: JSON.stringify({ model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] }),
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
    data=json.dumps({"model": "svc-1", "messages": [{"role": "user", "content": "Hello"}]}).encode(),
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
  model: 'svc-1',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(completion.choices[0].message.content);`,
    },
  ];
}
