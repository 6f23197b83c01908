import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagingSettings } from '#aws/clients.ts';
import type { OutgoingMessage } from '#domain/messages/message.ts';
import { carrier } from '#gateways/messages/carrier.ts';

const deadlineMs = 600;
const json = { 'content-type': 'application/x-amz-json-1.0' };
const received: { readonly target: string; readonly body: any }[] = [];
let respond: (response: ServerResponse, request: IncomingMessage) => void;
let server: Server;
let send: ReturnType<typeof carrier>;

interface Settings {
  readonly deadlineMs: number;
  readonly httpAgent?: Agent;
}

function carrierAt(endpoint: string, { deadlineMs, httpAgent }: Settings) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const settings = messagingSettings(httpAgent && { httpAgent });
  const client = new PinpointSMSVoiceV2Client({ ...settings, endpoint, region: 'us-east-1', credentials });
  const ids = { origination: '+14155550199', configurationSet: 'set', protectConfiguration: 'p' };
  return carrier(client, { maxPrice: '0.150', ...ids, deadlineMs });
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const target = String(request.headers['x-amz-target']);
      received.push({ target, body: JSON.parse(Buffer.concat(parts).toString()) });
      respond(response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  send = carrierAt(`http://127.0.0.1:${port}`, { deadlineMs });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sms: OutgoingMessage = {
  accountId: 42,
  id: 'msg_1',
  channel: 'sms',
  to: '+14155550100',
  text: '<speak>a</speak>',
  voice: null,
};
const reply =
  (status: number, body: string, headers = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { ...json, ...headers }).end(body);
  };

/** A response that never ends. */
function endless(status: number, beginning: string, gapMs: number) {
  return (response: ServerResponse): void => {
    response.writeHead(status, json).write(beginning);
    const timer = setInterval(() => response.write('a'.repeat(gapMs > 10 ? 1 : 65_536)), gapMs);
    response.on('close', () => clearInterval(timer));
  };
}

describe('a carrier that violates its protocol', () => {
  it.each([
    ['hangs', () => undefined, 'unknown'],
    ['sends its body byte by byte', endless(200, '{"MessageId":"', 50), 'unknown'],
    ['sends a body without end', endless(200, '{"MessageId":"', 1), 'unknown'],
    ['sends an error byte by byte', endless(400, '{"__type":"Confl', 50), 'unknown'],
    ['sends an error without end', endless(500, '', 1), 'refused'],
    [
      'sends 100 Continue endlessly',
      (response: ServerResponse): void => {
        const timer = setInterval(() => response.writeContinue(), 50);
        response.on('close', () => clearInterval(timer));
      },
      'unknown',
    ],
    ['ends the connection', (response: ServerResponse): void => void response.destroy(), 'unknown'],
    ['sends a page', reply(200, '<html>'), 'unknown'],
    ['redirects', reply(301, '', { location: 'http://127.0.0.1:1/' }), 'unknown'],
    ['throttles for a day', reply(400, '{"__type":"ThrottlingException"}', { 'retry-after': '86400' }), 'refused'],
  ] as const)('is called once, within the deadline, if it %s', async (_, how, expected) => {
    received.length = 0;
    respond = how;
    const begun = performance.now();
    expect((await send(sms)).is).toBe(expected);
    expect(performance.now() - begun).toBeLessThan(deadlineMs + 1500);
    expect(received).toHaveLength(1);
  });

  it.each(['{"MessageId":"a\\nb"}', `{"MessageId":"${'x'.repeat(300)}"}`, '{"MessageId":7}', 'null', '[1]', ''])(
    'has accepted the message without an id if it returns %j',
    async (body) => {
      respond = reply(200, body);
      expect(await send(sms)).toEqual({ is: 'accepted' });
    },
  );
});

it('each message has its own connection to the carrier, because a reused one may have broken during a freeze', async () => {
  const ports: (number | undefined)[] = [];
  respond = (response, { socket }) => {
    ports.push(socket.remotePort);
    reply(200, '{"MessageId":"0f9f-1"}')(response);
  };
  expect([await send(sms), await send(sms)]).toEqual([
    { is: 'accepted', carrierId: '0f9f-1' },
    { is: 'accepted', carrierId: '0f9f-1' },
  ]);
  expect(new Set(ports).size).toBe(2);
});

it('a failed connection is a refusal, because nothing was sent', async () => {
  const nowhere = new Agent();
  nowhere.createConnection = () => Object.assign(new Socket(), { connecting: true });
  const result = await carrierAt('http://127.0.0.1:1', { deadlineMs: 10_000, httpAgent: nowhere })(sms);
  expect(result).toMatchObject({ is: 'refused', why: 'carrier' });
}, 10_000);

it('a voice call is sent as plain text, even if its text has SSML tags', async () => {
  respond = reply(200, '{}');
  received.length = 0;
  await send({ ...sms, channel: 'voice_call', voice: 'hans' });
  expect(received).toMatchObject([
    {
      target: 'PinpointSMSVoiceV2.SendVoiceMessage',
      body: {
        MessageBody: '<speak>a</speak>',
        MessageBodyTextType: 'TEXT',
        VoiceId: 'HANS',
        MaxPricePerMinute: '0.150',
      },
    },
  ]);
});
