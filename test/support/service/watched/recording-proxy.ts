import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';

interface RecordedRequest {
  readonly path: string;
  readonly body: any;
}

/** Forwards requests with a JSON body to a service, and records them. */
export async function startRecordingProxy(target: string) {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => void pass(request, response));

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request;
    const body = await json(request);
    const once = headers['idempotency-key'];
    requests.push({ path, body });
    const {
      status,
      headers: received,
      body: bytes,
    } = await fetch(target + path, {
      method: 'POST',
      headers: {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? '',
        ...(typeof once === 'string' && { 'idempotency-key': once }),
      },
      body: JSON.stringify(body),
    });
    response.writeHead(status, { 'content-type': received.get('content-type') ?? '' });
    Readable.fromWeb(bytes as ReadableStream).pipe(response);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The requests since the last call. */
    taken: () => requests.splice(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
