import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Loopback, listen, listener } from '#local/shared/loopback.ts';

/**
 * A separate database in the DynamoDB Local of the run, or undefined if the run uses the embedded database. DynamoDB
 * Local keeps one database per access key, so requests are forwarded with a unique key.
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
