import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { firstModelFor } from '#contract/inference/models.ts';
import { inboxPage, inboxScript, type MailStore } from '../mail/inbox.ts';
import { type phoneCalls, phonePage, phoneScript, type PhoneStore } from '../messages/phones.ts';
import { OutcomeOrder } from '../payments/outcomes.ts';
import type { StripeServer } from '../payments/stripe.ts';
import { StripeProblem } from '../payments/wire/errors.ts';
import { ClockOrder, type ShiftedClock } from '../shared/clock.ts';
import { FaultOrder, type Faults } from '../shared/faults.ts';
import { BodyTooLarge, readBody, sendJson } from '../shared/loopback.ts';
import { htmlPage, type Pages, sendPage } from '../shared/pages.ts';
import { describeError } from '../shared/problems.ts';
import type { DemoAccount } from './demo-account.ts';
import { type IdentityIssuer, IdentityTokenOrder } from './identity-issuer.ts';

export interface AdminOptions {
  readonly status: () => Status;
  readonly mails: MailStore;
  readonly phones: PhoneStore;
  readonly calls: ReturnType<typeof phoneCalls>;
  readonly faults: Faults;
  readonly clock: ShiftedClock;
  readonly issuer: IdentityIssuer;
  readonly stripe: Pick<StripeServer, 'script' | 'nextDueAt'> | undefined;
  /**
   * Runs the work that became due when the clock moved. Resolves with whether it is done. After a time limit, the work
   * continues in the background.
   */
  readonly afterMove: () => Promise<boolean>;
  /** Runs the work due at an intermediate time while the clock advances. */
  readonly passStop: () => Promise<void>;
  /** Resolves when the jobs have processed the messages and events that resulted. */
  readonly settled: () => Promise<void>;
  readonly log: (line: string) => void;
}

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly html?: string;
  readonly script?: string;
  readonly audio?: { readonly contentType: string; readonly bytes: Uint8Array };
}
type Endpoint = Readonly<
  Partial<Record<string, (request: IncomingMessage, left: AbortSignal) => Reply | Promise<Reply>>>
>;

class BadBody extends Error {}

const maxBodyBytes = 64 * 1024;
const headers = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** Serves `/_local/…` as plain JSON, with errors as `{"error": sentence}` (docs/architecture.md#on-one-machine). */
export function createAdmin({
  status,
  mails,
  phones,
  calls,
  faults,
  clock,
  issuer,
  stripe,
  afterMove,
  passStop,
  settled,
  log,
}: AdminOptions): Pages {
  const clockJson = () => ({ now: new Date(clock.now()).toISOString() });

  function showClock({ headers: { accept = '' } }: IncomingMessage): Reply {
    if (!accept.includes('text/html')) return { json: clockJson() };
    return { html: clockPage(clock.now()), script: clockScript };
  }

  const faultsReply = (): Reply => ({ json: { active: faults.active() } });

  const endpoints: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
    ['/_local/status', { GET: () => ({ status: status().ready ? 200 : 503, json: status() }) }],
    ['/_local/mail', { GET: () => ({ json: mails.list() }) }],
    ['/_local/inbox', { GET: () => ({ html: inboxPage(mails.list()), script: inboxScript }) }],
    [
      '/_local/messages',
      { GET: () => ({ json: phones.list().map(({ id, channel, to, text, at }) => ({ id, channel, to, text, at })) }) },
    ],
    ['/_local/phone', { GET: () => ({ html: phonePage(phones.list(), clock.now()), script: phoneScript }) }],
    ['/_local/phone/call', { GET: callAudio }],
    ['/_local/clock', { GET: showClock, POST: moveClock }],
    ['/_local/faults', { GET: faultsReply, POST: orderFault }],
    ['/_local/identity-token', { POST: createToken }],
    ['/_local/identity/jwks.json', { GET: () => ({ json: issuer.keySet }) }],
    ['/_local/identity/.well-known/openid-configuration', { GET: () => ({ json: issuer.configuration }) }],
  ]);

  async function moveClock(request: IncomingMessage): Promise<Reply> {
    const order = await bodyOf(request, ClockOrder);
    try {
      await moveTo(order);
    } catch (error) {
      throw error instanceof RangeError ? new BadBody(error.message) : error;
    }
    const done = await afterMove();
    return { json: { ...clockJson(), done } };
  }

  /** Stops at each time at which Stripe does something, so that plans are renewed as if the time had passed. */
  async function moveTo(order: ClockOrder): Promise<void> {
    const target = clock.timeOf(order);
    const nextStop = (): number => stripe?.nextDueAt() ?? Number.POSITIVE_INFINITY;
    for (let stop = nextStop(); stop < target && stop > clock.now(); stop = nextStop()) {
      await clock.move({ now: stop });
      await passStop();
    }
    await clock.move(stripe ? { now: target } : order);
  }

  async function orderFault(request: IncomingMessage): Promise<Reply> {
    faults.order(await bodyOf(request, FaultOrder));
    return faultsReply();
  }

  const paymentEndpoint = (id: string): Endpoint => ({ POST: (request) => endPayment(id, request) });

  async function endPayment(id: string, request: IncomingMessage): Promise<Reply> {
    if (!stripe) throw new BadBody('This service takes no payments. Start it with --payments stripe.');
    const { outcome } = await bodyOf(request, OutcomeOrder);
    try {
      await stripe.script(id, outcome);
    } catch (error) {
      throw error instanceof StripeProblem ? new BadBody(error.message) : error;
    }
    await settled();
    return { json: { done: true } };
  }

  async function callAudio({ url = '' }: IncomingMessage, left: AbortSignal): Promise<Reply> {
    const heard = await calls.audioOf(new URL(url, 'http://localhost').searchParams.get('id') ?? '', left);
    return heard.is === 'audio' ? { audio: heard } : { status: heard.status, json: { error: heard.error } };
  }

  async function createToken(request: IncomingMessage): Promise<Reply> {
    return { json: { token: await issuer.token(await bodyOf(request, IdentityTokenOrder)) } };
  }

  async function replyTo(request: IncomingMessage, path: string, left: AbortSignal): Promise<Reply> {
    const payment = /^\/_local\/payments\/([^/]{1,200})$/.exec(path)?.[1];
    const endpoint = payment === undefined ? endpoints.get(path) : paymentEndpoint(decodeURIComponent(payment));
    if (!endpoint) return { status: 404, json: { error: `${path} does not exist.` } };
    const handle = endpoint[request.method ?? ''];
    const methods = Object.keys(endpoint).join(' and ');
    if (!handle) return { status: 405, json: { error: `${path} accepts only ${methods}.` } };
    return handle(request, left);
  }

  function failure(error: unknown): Reply {
    if (error instanceof BadBody) return { status: 400, json: { error: error.message } };
    log(`/_local failed: ${describeError(error)}`);
    return { status: 500, json: { error: 'The request failed; see the terminal for the cause.' } };
  }

  async function respond(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const { status = 200, json, html, script, audio } = await replyTo(request, path, left.signal).catch(failure);
    if (audio) sendAudio(response, audio);
    else if (html === undefined) sendJson(response, status, json, headers);
    else sendPage(response, status, html, script);
  }

  return (request, response, path) => {
    const isOurs = path === '/_local' || path.startsWith('/_local/');
    if (isOurs) respond(request, response, path).catch(() => response.destroy());
    return isOurs;
  };
}

function sendAudio(response: ServerResponse, { contentType, bytes }: NonNullable<Reply['audio']>): void {
  response.writeHead(200, { 'content-type': contentType, 'content-length': bytes.byteLength, ...headers });
  response.end(bytes);
}

async function bodyOf<Schema extends v.GenericSchema>(
  request: IncomingMessage,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const text = await readBody(request, maxBodyBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? new BadBody(error.message) : error;
  });
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(undefined, 'The body must be JSON.'), schema),
    text.toString(),
  );
  if (read.success) return read.output;
  const [issue] = read.issues;
  const field = v.getDotPath(issue);
  throw new BadBody(field === null ? issue.message : `${field}: ${issue.message}.`);
}

/**
 * Response of `GET /_local/status` (docs/architecture.md#on-one-machine): 200 once the service is ready, 503 before.
 */
export interface Status {
  readonly ready: boolean;
  readonly apiUrl: string;
  readonly inferenceUrl: string;
  readonly dashboardUrl: string;
  readonly docsUrl: string;
  /** Null during the start, or if the account could not be created. */
  readonly demo: DemoAccount | null;
  /** Messages in each queue's dead-letter queue. */
  readonly parked: Readonly<Record<string, number>>;
}

type Changing = Pick<Status, 'ready' | 'demo' | 'parked'>;

export function statusOf(origin: string, changing: Changing): Status {
  return {
    ...changing,
    apiUrl: `${origin}/api`,
    inferenceUrl: `${origin}/v1`,
    dashboardUrl: `${origin}/`,
    docsUrl: `${origin}/docs`,
  };
}

/** A command line for a first call. Undefined without a demo account. */
export function curlLine({ inferenceUrl, demo }: Status): string | undefined {
  if (!demo) return undefined;
  const body = `{"model":"${firstModelFor('chat')}","messages":[{"role":"user","content":"Hello"}]}`;
  return `curl -s ${inferenceUrl}/chat/completions -H "Authorization: Bearer ${demo.apiKey}" -H "Content-Type: application/json" -d '${body}'`;
}

function clockPage(now: number): string {
  const iso = new Date(now).toISOString();
  return htmlPage({
    title: 'Clock',
    head: '<noscript><meta http-equiv="refresh" content="5"></noscript>',
    style,
    script: clockScript,
    body: `<header><h1>Clock</h1>
<p>Billing, links, sessions and limits follow this clock. It only moves forward and keeps its offset after a restart.</p></header>
<main>
<p class="now"><time id="now" datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time></p>
<p class="moves"><button type="button" data-advance="P1D">+1 day</button> <button type="button" data-advance="P1M">+1 month</button></p>
<p id="state" role="status"></p>
</main>`,
  });
}

/**
 * Shows the running time and sends `POST /_local/clock`. The page's content security policy allows only this script.
 */
const clockScript = `
const now = document.querySelector('#now');
const state = document.querySelector('#state');
const buttons = [...document.querySelectorAll('button[data-advance]')];
let [at, since] = [Date.parse(now.dateTime), performance.now()];

function show(iso) {
  if (iso) [at, since] = [Date.parse(iso), performance.now()];
  const text = new Date(at + performance.now() - since).toISOString();
  now.dateTime = text;
  now.textContent = text.slice(0, 10) + ' ' + text.slice(11, 19) + ' UTC';
}

async function move(advance) {
  for (const button of buttons) button.disabled = true;
  state.textContent = 'Moving the clock…';
  try {
    const body = JSON.stringify({ advance });
    const response = await fetch('/_local/clock', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const reply = await response.json();
    if (reply.now) show(reply.now);
    state.textContent = reply.error ?? (reply.done ? 'Done: everything due until then has happened.' : 'Moved. The work due until then is still running.');
  } catch {
    state.textContent = 'The service cannot be reached.';
  }
  for (const button of buttons) button.disabled = false;
}

document.addEventListener('click', ({ target }) => {
  const advance = target.closest('button[data-advance]')?.dataset.advance;
  if (advance) move(advance);
});
setInterval(() => show(), 1000);
`;

const style = `
header, main { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { padding-block: 2rem 1.25rem; }
h1 { margin: 0; font-size: 1.6rem; letter-spacing: -.01em; }
header p, #state { margin: 0; color: var(--dim); }
main { max-width: 44rem; display: grid; gap: 1rem; padding-block: 1.5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); width: calc(100% - 2rem); }
main p { margin: 0; }
.now { font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.moves { display: flex; flex-wrap: wrap; gap: .5rem; }
button:disabled { opacity: .6; cursor: default; }
#state { min-height: 1.5em; }
`;
