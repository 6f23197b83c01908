import { hasFunctions, headersOf, isStreamed, noteOf, pathOf, type TextRequest } from './code-request.ts';
import { commented, javascriptLiteral } from './literals.ts';

/** `fetch`, in Node or another server: a browser would show the key to its user. */
export function javascriptCode(origin: string, request: TextRequest): string {
  const call = `${commented('//', noteOf(request))}const response = await fetch(${javascriptLiteral(origin + pathOf(request))}, {
  method: 'POST',
  headers: { Authorization: \`Bearer \${process.env.API_KEY}\`, 'Content-Type': 'application/json'${moreHeaders(request)} },
  body: JSON.stringify(${javascriptLiteral(request.body, 1)}),
});`;
  return `${call}\n${isStreamed(request) ? streamed(request) : whole(request)}`;
}

const moreHeaders = (request: TextRequest): string =>
  Object.entries(headersOf(request))
    .map(([name, value]) => `, ${javascriptLiteral(name)}: ${javascriptLiteral(value)}`)
    .join('');

const whole = (request: TextRequest): string => `const { message, error, data, detail } = await response.json();
if (error) throw new Error(\`\${message}: \${detail}\`);
console.log(${output(request)});`;

function output(request: TextRequest): string {
  if (request.kind === 'analysis') return 'JSON.stringify(data, undefined, 2)';
  if (request.kind === 'message') return 'data.id, data.status';
  if (request.kind === 'translation') return 'data.translatedText';
  if (request.kind === 'embeddings') return 'data.data.map(({ embedding }) => embedding)';
  if (request.kind === 'completion') return 'data.choices[0].text';
  const reply = request.kind === 'agent' ? 'data.message' : 'data.choices[0].message';
  return hasFunctions(request) ? reply : `${reply}.content`;
}

const streamed = (request: TextRequest): string => `if (!response.ok) {
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
${piece(request)}
  }
}
if (!isComplete) throw new Error('The stream broke before its end.');`;

function piece(request: TextRequest): string {
  if (request.kind === 'completion') return '    else process.stdout.write(data.choices[0].text);';
  if (!hasFunctions(request)) return "    else process.stdout.write(data.choices[0].delta.content ?? '');";
  return `    else {
      const { content, function_call: call } = data.choices[0].delta;
      process.stdout.write(content ?? (call?.name ?? '') + (call?.arguments ?? ''));
    }`;
}
