import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { buffered, envelopeOf, json, useFrontServer } from '#test/service/front-server.ts';

const front = useFrontServer();
const { call } = front;

describe('responses', () => {
  test('carry status, headers, several cookies, and a length', async () => {
    front.handlers['echo'] = buffered(() => ({
      statusCode: 201,
      headers: { 'X-One': 'a', 'x-count': 3, 'Content-Length': '99' },
      multiValueHeaders: { 'Set-Cookie': ['a=1; Path=/', 'b=2'], 'x-one': ['a', 'b'] },
      body: 'grüße',
    }));
    const { status, headers, body } = await call('POST', '/api/echo');
    expect(status).toBe(201);
    expect(headers).toMatchObject({ 'x-one': 'a, b', 'x-count': '3', 'set-cookie': ['a=1; Path=/', 'b=2'] });
    expect(headers['content-length']).toBe(String(body.length));
    expect(headers['content-type']).toBe('application/json');
    expect(body.toString()).toBe('grüße');
  });

  test('decode base64 bodies', async () => {
    const bytes = Buffer.from([0, 255, 10, 13]);
    front.handlers['echo'] = buffered(() => ({
      statusCode: 200,
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    }));
    expect((await call('POST', '/api/echo')).body).toEqual(bytes);
  });

  test('with status 204 have no body', async () => {
    front.handlers['echo'] = buffered(() => ({ statusCode: 204, body: 'x' }));
    const { headers, body } = await call('POST', '/api/echo');
    expect(body.length).toBe(0);
    expect(headers['content-length']).toBeUndefined();
  });

  test.each([
    ['throws', () => Promise.reject(new Error('secret detail'))],
    ['returns nothing', () => undefined],
    ['returns no status', () => ({ body: 'x' })],
    ['returns an invalid header', () => ({ statusCode: 200, headers: { 'x-a': 'b\r\nc: d' }, body: 'x' })],
  ])('of a handler that %s are replaced by an enveloped 500, and the reason is logged', async (_name, handle) => {
    front.handlers['echo'] = buffered(handle);
    const { status, headers, body } = await call('POST', '/api/echo');
    expect(status).toBe(500);
    expect(envelopeOf(body)).toMatchObject({ message: 'INTERNAL_ERROR', error: true, data: null, status: 500 });
    expect(body.toString()).not.toContain('secret');
    expect(front.log.join()).toContain('echo failed');
    expect(front.log.join()).toContain(String(headers['x-request-id']));
  });

  test.each([
    ['plain text', 'x'],
    ['text that JSON escapes', '\n'],
  ])('of %s above the 6 MB limit of Lambda are replaced by an enveloped 500', async (_name, character) => {
    const resultOf = (characters: number) => ({ statusCode: 200, body: character.repeat(characters) });
    const bytesOf = (result: unknown) => Buffer.byteLength(JSON.stringify(result));
    const max = Math.floor((6_291_556 - bytesOf(resultOf(0))) / (bytesOf(resultOf(1)) - bytesOf(resultOf(0))));
    front.handlers['echo'] = buffered(() => resultOf(max));
    expect((await call('POST', '/api/echo')).body.length).toBe(max);
    front.handlers['echo'] = buffered(() => resultOf(max + 1));
    const { status, body } = await call('POST', '/api/echo');
    expect([status, envelopeOf(body).message]).toEqual([500, 'INTERNAL_ERROR']);
    expect(front.log.join()).toContain('larger than 6291556 bytes');
  });

  test('of a handler that cannot be loaded are replaced by an enveloped 500', async () => {
    delete front.handlers['echo'];
    expect(envelopeOf((await call('POST', '/api/echo')).body)).toMatchObject({ message: 'INTERNAL_ERROR' });
    expect(front.log.join()).toContain('cannot find module');
  });

  test('after the timeout are replaced by an enveloped 503, or 504 on priced routes, and late results are ignored', async () => {
    const released = Promise.withResolvers<void>();
    const late = buffered(async (_event, context) => {
      expect(context.getRemainingTimeInMillis()).toBeLessThanOrEqual(100);
      await released.promise;
      return json('late');
    });
    front.handlers = { slow: late, 'slow-model': late };
    const [plain, model] = await Promise.all([call('GET', '/api/slow'), call('GET', '/v1/slow')]);
    expect(plain.status).toBe(503);
    expect(plain.headers['retry-after']).toBe('1');
    expect(envelopeOf(plain.body)).toMatchObject({ message: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(model.status).toBe(504);
    expect(envelopeOf(model.body)).toMatchObject({ message: 'MODEL_TIMEOUT', status: 504 });
    released.resolve();
    await sleep(50);
  });
});

describe('closing', () => {
  test('lets running requests finish, and refuses new ones', async () => {
    const begun = Promise.withResolvers<void>();
    front.handlers['echo'] = buffered(async () => {
      begun.resolve();
      return sleep(200, json('done'));
    });
    const pending = call('POST', '/api/echo');
    await begun.promise;
    const closed = front.server.close(2000);
    await expect(call('GET', '/api/things/all')).rejects.toThrow(/ECONNREFUSED/);
    expect(envelopeOf((await pending).body)).toBe('done');
    await closed;
  });

  test('aborts requests after its grace period', async () => {
    const begun = Promise.withResolvers<void>();
    front.handlers['echo'] = buffered(async () => {
      begun.resolve();
      return sleep(2000, json('done'));
    });
    const pending = call('POST', '/api/echo');
    pending.catch(() => undefined);
    await begun.promise;
    const began = performance.now();
    await front.server.close(100);
    expect(performance.now() - began).toBeLessThan(1000);
    await expect(pending).rejects.toThrow(/hang up|ECONNRESET/);
  });

  test('waits for a function even if its client has disconnected', async () => {
    const begun = Promise.withResolvers<void>();
    let isDone = false;
    front.handlers['echo'] = buffered(async () => {
      begun.resolve();
      await sleep(200);
      isDone = true;
      return json('done');
    });
    const request = front.send('POST', '/api/echo');
    request.on('error', () => undefined);
    await begun.promise;
    request.destroy();
    await front.server.close(2000);
    expect(isDone).toBe(true);
  });
});
