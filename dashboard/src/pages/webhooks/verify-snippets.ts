interface Snippet {
  readonly id: 'node' | 'python';
  readonly title: string;
  readonly code: string;
}

/** Servers that verify the signature and timestamp. Also in docs/webhooks.md; a test runs them. */
export const verifySnippets: readonly Snippet[] = [
  {
    id: 'node',
    title: 'Node.js',
    code: `// WEBHOOK_SECRET="whsec_…" node server.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64');

function verify(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - timestamp) < 300)) return false;
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces).toString();
  if (!verify(request.headers, body)) return response.writeHead(400).end();
  const { type, data } = JSON.parse(body);
  console.log(type, data);
  response.writeHead(204).end();
}).listen(process.env.PORT ?? 3000, '127.0.0.1');`,
  },
  {
    id: 'python',
    title: 'Python',
    code: `# WEBHOOK_SECRET="whsec_…" python server.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def verify(headers, body):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    expected = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = b"v1," + base64.b64encode(expected)
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, one) for one in given)

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        is_ours = verify(self.headers, body)
        if is_ours:
            event = json.loads(body)
            print(event["type"], event["data"], flush=True)
        self.send_response(204 if is_ours else 400)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Handler).serve_forever()`,
  },
];
