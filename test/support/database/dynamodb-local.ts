import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Loopback, listen, listener } from '#local/shared/loopback.ts';

/**
 * A database of one's own in the DynamoDB Local that the tests are run against; undefined where they are run against the
 * embedded one. DynamoDB Local keeps a database per access key: requests are forwarded under a unique key.
 */
export async function separateDatabase(): Promise<Loopback | undefined> {
  const upstream = process.env['DYNAMODB_LOCAL'];
  if (upstream === undefined) return undefined;
  const accessKey = randomUUID().replaceAll('-', '');
  const agent = new Agent({ keepAlive: true });
  const proxy = await listen(
    listener(async (req, res) => {
      const authorization = (req.headers.authorization ?? '').replace(/Credential=[^/]+/, `Credential=${accessKey}`);
      const headers = { ...req.headers, authorization, 'accept-encoding': 'identity' };
      const forwarded = request(upstream, { agent, method: 'POST', headers });
      const replied = Promise.withResolvers<void>();
      forwarded.once('error', replied.reject).once('response', (reply) => {
        res.writeHead(reply.statusCode ?? 502, reply.headers);
        pipeline(reply, res).then(replied.resolve, replied.reject);
      });
      await Promise.all([pipeline(req, forwarded), replied.promise]);
    }),
  );
  return {
    ...proxy,
    async close() {
      await proxy.close();
      agent.destroy();
    },
  };
}
