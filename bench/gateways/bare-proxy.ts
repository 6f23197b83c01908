import { Agent, request } from 'node:http';
import { listen } from '#local/shared/loopback.ts';

/** Forwards every byte: the least that a gateway in Node.js can do. Usage: `bare-proxy.ts <port> <upstream port>`. */
const [port, upstream] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });

await listen((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const onward = request({ agent, hostname: '127.0.0.1', port: upstream, method, path, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}, port);
