import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { daySeconds } from '#contract/shared/time.ts';
import { BodyTooLarge, readBody } from '../shared/loopback.ts';
import { describeError } from '../shared/problems.ts';
import type { StripeFaults } from './control.ts';
import type { Store } from './store.ts';
import { invalidRequest, newId, StripeProblem } from './wire/errors.ts';
import { decodeForm } from './wire/params.ts';
import { expanded, type HiddenFields, type Route } from './wire/routes.ts';
import type { IdempotentReply, World } from './world.ts';

export interface ApiOptions {
  readonly store: Store;
  readonly world: World;
  readonly routes: readonly Route[];
  readonly hidden: HiddenFields;
  readonly faults: StripeFaults;
  readonly secretKey: string;
  readonly log: (line: string) => void;
}

const maxBodyBytes = 1024 * 1024;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Api = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves `/v1/…` in Stripe's protocol: forms, errors, expansion, idempotency keys. */
export function createApi({ store, world, routes, hidden, faults, secretKey, log }: ApiOptions): Api {
  const inUse = new Set<string>();

  async function answer(request: IncomingMessage, requestId: string): Promise<Answer | 'lost'> {
    const { method = 'GET', url = '' } = request;
    const { pathname, search } = new URL(url, world.url);
    const body = await readBody(request, maxBodyBytes);
    if (!isAuthorized(request)) throw unauthorized();
    const key = method === 'POST' ? textHeader(request, 'idempotency-key') : undefined;
    if (key !== undefined && key.length > 255)
      throw invalidRequest('Idempotency keys may only be up to 255 characters long.');
    if (key === undefined) return run(method, pathname, search, body.toString(), { id: requestId, key: null });
    if (inUse.has(key)) throw keyInUse();
    inUse.add(key);
    try {
      return await run(method, pathname, search, body.toString(), { id: requestId, key });
    } finally {
      inUse.delete(key);
    }
  }

  async function run(
    method: string,
    path: string,
    search: string,
    body: string,
    request: { id: string; key: string | null },
  ): Promise<Answer | 'lost'> {
    const { key } = request;
    const print = `${method} ${path}${search}\n${body}`;
    const replay = key === null ? undefined : replayOf(key, print);
    if (replay) return replay;
    const fault = faults.takeForRequest(method, path);
    if (fault?.fault === 'delay') await sleep(fault.delayMs);
    if (fault?.fault === 'rate_limit') throw rateLimited();
    if (fault?.fault === 'conflict') throw keyInUse();
    const fields = [search.slice(1), body].filter((part) => part !== '').join('&');
    const remember = (status: number, text: string): void => {
      if (key !== null)
        store.save('idempotent_reply', {
          id: key,
          object: 'idempotent_reply',
          print,
          status,
          text,
          created: world.at(),
        });
    };
    const done = world.requested({ id: request.id, idempotency_key: key }, () => {
      try {
        return store.commit((): Answer => {
          if (fault?.fault === 'error') throw serverError();
          const text = operate(method, path, fields);
          remember(200, text);
          return { status: 200, text };
        });
      } catch (error) {
        const answered = failure(error);
        // Nothing is kept when validation fails.
        if (answered.status === 402 || answered.status >= 500)
          store.commit(() => remember(answered.status, answered.text));
        return answered;
      }
    });
    return fault?.fault === 'lost_reply' ? 'lost' : done;
  }

  function operate(method: string, path: string, fields: string): string {
    const found = routes
      .filter((route) => route.method === method)
      .map((route) => ({ route, ids: idsIn(route.path, path) }))
      .find(({ ids }) => ids !== undefined);
    if (!found?.ids) throw unsupported(method, path);
    const { body, expand } = found.route.run({ world, ids: found.ids, form: decodeForm(fields), path });
    return JSON.stringify(expanded(body, expand, { findAny: world.findAny, hidden }), null, 2);
  }

  function replayOf(key: string, print: string): Answer | undefined {
    const kept: IdempotentReply | undefined = store.find('idempotent_reply', key);
    if (!kept || kept.created + daySeconds <= world.at()) return undefined;
    if (kept.print !== print)
      throw new StripeProblem(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    return { status: kept.status, text: kept.text, headers: { 'idempotent-replayed': 'true' } };
  }

  function isAuthorized({ headers: { authorization = '' } }: IncomingMessage): boolean {
    const [scheme, value = ''] = authorization.split(' ');
    if (scheme === 'Basic') return Buffer.from(value, 'base64').toString().split(':')[0] === secretKey;
    return scheme === 'Bearer' && value === secretKey;
  }

  function failure(error: unknown): Answer {
    if (error instanceof BodyTooLarge) return failure(invalidRequest('The request is too large.'));
    if (error instanceof StripeProblem) return { status: error.status, text: errorText(error) };
    log(`payments: ${describeError(error)}`);
    return failure(serverError());
  }

  return async (request, response) => {
    const id = newId('req', 14);
    const answered = await answer(request, id).catch(failure);
    if (answered === 'lost') {
      response.destroy();
      return;
    }
    const key = textHeader(request, 'idempotency-key');
    const headers = {
      'content-type': 'application/json',
      'request-id': id,
      'stripe-version': textHeader(request, 'stripe-version') ?? '',
      ...(key !== undefined && { 'idempotency-key': key }),
      ...answered.headers,
    };
    const bytes = Buffer.from(answered.text);
    response.writeHead(answered.status, { ...headers, 'content-length': bytes.length });
    response.end(bytes);
  };
}

function textHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The parts of the path that the pattern names in braces, if it matches. */
function idsIn(pattern: string, path: string): string[] | undefined {
  const [names, parts] = [pattern.split('/'), path.split('/')];
  if (names.length !== parts.length) return undefined;
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith('{')) ids.push(decodeURIComponent(part));
    else if (name !== part) return undefined;
  }
  return ids;
}

const errorText = ({ body }: StripeProblem): string => JSON.stringify({ error: body }, null, 2);

const unauthorized = () =>
  new StripeProblem(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' });
const keyInUse = () =>
  new StripeProblem(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'There is currently another in-progress request using this idempotency key.',
  });
const rateLimited = () =>
  new StripeProblem(429, {
    type: 'rate_limit_error',
    code: 'rate_limit',
    message: 'Request rate limit exceeded.',
  });
const serverError = () => new StripeProblem(500, { type: 'api_error', message: 'An unknown error occurred.' });
const unsupported = (method: string, path: string) =>
  new StripeProblem(501, {
    type: 'invalid_request_error',
    message: `This local server does not support ${method} ${path}.`,
  });
