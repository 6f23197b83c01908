import * as v from 'valibot';
import type { InferOutput } from 'valibot';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import { callVoices } from '#contract/messages/messages.ts';
import { escapeHtml } from '#contract/shared/html.ts';
import { boundedChunks, type Engine } from '../sagemaker/engine.ts';
import { readJsonFile, writeJsonFile } from '../shared/data-folder.ts';
import { htmlPage } from '../shared/pages.ts';

/** `at` is ISO 8601. */
export const PhoneMessage = v.object({
  id: v.string(),
  channel: v.picklist(['sms', 'voice_call']),
  to: v.string(),
  text: v.string(),
  at: v.string(),
  /** Voice of a call, as in the contract. Absent for an SMS. */
  voice: v.optional(v.string()),
});
export type PhoneMessage = v.InferOutput<typeof PhoneMessage>;

export interface PhoneStore {
  add(message: PhoneMessage): Promise<void>;
  list(): PhoneMessage[];
}

const maxKept = 500;

export async function openPhoneStore(file: string): Promise<PhoneStore> {
  const messages = (await readJsonFile(file, v.array(PhoneMessage))) ?? [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(message) {
      messages.push(message);
      messages.splice(0, messages.length - maxKept);
      const written = last.then(() => writeJsonFile(file, messages));
      last = written.catch(() => undefined);
      return written;
    },
    list: () => messages.toReversed(),
  };
}

export type CallAudio =
  | { readonly is: 'audio'; readonly contentType: string; readonly bytes: Uint8Array }
  | { readonly is: 'refused'; readonly status: number; readonly error: string };

const maxBytes = 8 * 1024 * 1024;
const maxMs = 60_000;
const maxConcurrent = 2;

const refused = (status: number, error: string): CallAudio => ({ is: 'refused', status, error });

/** Plays received calls, each in a substitute for its voice. Stores and logs no audio. */
export function phoneCalls(phones: PhoneStore, { speak }: Required<Pick<Engine, 'speak'>>) {
  let running = 0;

  async function audioOf(id: string, signal: AbortSignal): Promise<CallAudio> {
    const call = phones.list().find((message) => message.id === id && message.channel === 'voice_call');
    if (!call) return refused(404, 'There is no such call.');
    if (running >= maxConcurrent) return refused(503, 'Other calls are being spoken; try again.');
    running += 1;
    try {
      return await spoken(call.text, call.voice ?? '', AbortSignal.any([signal, AbortSignal.timeout(maxMs)]));
    } catch {
      return refused(502, 'The call could not be spoken.');
    } finally {
      running -= 1;
    }
  }

  async function spoken(text: string, voice: string, signal: AbortSignal): Promise<CallAudio> {
    const order = {
      model: firstModelFor('speech'),
      input: text,
      voice: speechVoice(voice),
      response_format: 'mp3',
      speed: 1,
    };
    const reply = await speak(order, signal);
    if (reply.kind === 'json') return refused(422, 'The speech engine cannot speak this text; read it instead.');
    const bytes = Buffer.concat(await Array.fromAsync(boundedChunks(reply.chunks, maxBytes)));
    return { is: 'audio', contentType: reply.contentType, bytes };
  }

  return { audioOf };
}

type SpeechVoice = InferOutput<typeof SpeechRequest>['voice'];

/** Male voices of calls (Amazon Polly, "Available voices"). The others are female. */
const male: ReadonlySet<string> = new Set([
  'brian',
  'cristiano',
  'enrique',
  'geraint',
  'giorgio',
  'hans',
  'jacek',
  'jan',
  'joey',
  'justin',
  'karl',
  'mads',
  'mathieu',
  'matthew',
  'maxim',
  'miguel',
  'ricardo',
  'ruben',
  'russell',
  'takumi',
]);

const men = callVoices.filter((voice) => male.has(voice));
const women = callVoices.filter((voice) => !male.has(voice));
const maleVoices = ['onyx', 'echo', 'alloy', 'fable'] as const;
const femaleVoices = ['nova', 'shimmer'] as const;

/** The speech voice that substitutes for a call's voice: of the same sex, and always the same. */
function speechVoice(voice: string): SpeechVoice {
  const isMale = male.has(voice);
  const place = (isMale ? men : women).findIndex((one) => one === voice);
  const voices = isMale ? maleVoices : femaleVoices;
  return voices[Math.max(0, place) % voices.length] ?? 'alloy';
}

/** Milliseconds that a call rings. */
const ringMs = 45_000;
const maxShown = 100;

/**
 * HTML page of a phone that shows received messages and plays calls. `messages` are newest first; `now` is in epoch ms.
 */
export function phonePage(messages: readonly PhoneMessage[], now: number): string {
  const shown = messages.slice(0, maxShown);
  return htmlPage({
    title: `Phone${messages.length > 0 ? ` (${messages.length})` : ''}`,
    head: '<noscript><meta http-equiv="refresh" content="3"></noscript>',
    style,
    script: phoneScript,
    body: `<header><h1>Phone</h1><p>Messages stay on this machine and appear here automatically. The last two digits of the number
set the delivery result, whether or not a call is picked up here.</p>
<p><a href="/messages">Send a message</a></p><p id="news" role="status"></p></header>
<main>${shown.length > 0 ? [...Map.groupBy(shown, ({ to }) => to)].map((group) => conversation(group, now)).join('\n') : empty}</main>`,
  });
}

const empty = '<p class="empty">No message yet. Send one to +14155550100, for example.</p>';

function conversation([to, messages]: [string, readonly PhoneMessage[]], now: number): string {
  const bubbles = messages.toReversed().map((message) => bubble(message, now));
  return `<section><h2>${escapeHtml(to)}</h2><ol>${bubbles.join('')}</ol></section>`;
}

function bubble(message: PhoneMessage, now: number): string {
  const { channel, text, at } = message;
  const time = `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(11, 16))} UTC</time>`;
  const isCall = channel === 'voice_call';
  const head = isCall ? callHead(message, now) : '';
  return `<li class="${isCall ? 'call' : 'sms'}">${head}<p dir="auto">${escapeHtml(text)}</p>${time}</li>`;
}

function callHead({ id, at, to }: PhoneMessage, now: number): string {
  const isRinging = now - Date.parse(at) < ringMs;
  const label = `aria-label="Call to ${escapeHtml(to)}"`;
  return `<div class="head" role="group" ${label}><strong><span class="ring" aria-hidden="true">☎</span> Call</strong>
<button type="button" data-call="${escapeHtml(id)}" data-ringing="${isRinging}">Listen</button><span class="note" role="status"></span></div>`;
}

const style = `
header, main { max-width: 30rem; margin: 0 auto; padding: 0 1rem; }
header { padding-block: 2rem 1rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 0 0 .75rem; font-size: 1rem; font-variant-numeric: tabular-nums; text-align: center; color: var(--dim); }
header p, .empty { margin: 0; color: var(--dim); }
#news { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
main { display: grid; gap: 1rem; padding-bottom: 3rem; }
section { padding: 1rem; border: 1px solid var(--line); border-radius: 1.75rem; background: var(--card); }
ol { display: grid; gap: .6rem; margin: 0; padding: 0; list-style: none; justify-items: start; }
li { max-width: 85%; padding: .55rem .85rem; border-radius: 1.1rem 1.1rem 1.1rem .3rem; background: var(--page); border: 1px solid var(--line); }
li p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.call { border-color: var(--accent); }
.head { display: flex; flex-wrap: wrap; gap: .35rem .75rem; align-items: center; margin-bottom: .35rem; }
.note { flex-basis: 100%; color: var(--dim); font-size: .9rem; }
.note:empty { display: none; }
button { padding: .3rem .9rem; border-radius: 1rem; }
.brand { max-width: 30rem; }
.ring { display: inline-block; }
.ringing .ring { animation: ring .5s ease-in-out infinite; }
time { color: var(--dim); font-size: .8rem; }
@keyframes ring { 25% { transform: rotate(-18deg); } 75% { transform: rotate(18deg); } }
@media (prefers-reduced-motion: reduce) { .ringing .ring { animation: none; } }
`;

/**
 * Polls for new messages while the page is visible and plays a call when it is answered. The page's content security
 * policy allows only this script.
 */
export const phoneScript = `
const taken = new Set();
let current;

const buttons = () => [...document.querySelectorAll('button[data-call]')];

function paint() {
  for (const button of buttons()) {
    const { call, ringing } = button.dataset;
    const isCurrent = current?.call === call;
    const isRinging = ringing === 'true' && !taken.has(call);
    button.closest('li').classList.toggle('ringing', isRinging);
    button.textContent = isCurrent ? 'Hang up' : taken.has(call) ? 'Listen again' : isRinging ? 'Answer' : 'Listen';
  }
}

function hangUp() {
  current?.audio.pause();
  current = undefined;
  paint();
}

function report(call, text) {
  const note = buttons().find((button) => button.dataset.call === call)?.parentElement.querySelector('.note');
  if (note) note.textContent = text;
}

async function explain(call, url) {
  const response = await fetch(url).catch(() => undefined);
  const { error = 'The call could not be played.' } = (await response?.json().catch(() => undefined)) ?? {};
  report(call, error);
}

function take(call) {
  const url = '/_local/phone/call?id=' + encodeURIComponent(call);
  const audio = new Audio(url);
  const end = (act) => () => {
    if (current?.audio !== audio) return;
    hangUp();
    act?.();
  };
  audio.addEventListener('ended', end());
  audio.addEventListener('error', end(() => explain(call, url)));
  taken.add(call);
  current = { call, audio };
  report(call, '');
  paint();
  audio.play().catch(() => undefined);
}

document.addEventListener('click', ({ target }) => {
  const call = target.closest('button[data-call]')?.dataset.call;
  if (call === undefined) return;
  const isCurrent = current?.call === call;
  hangUp();
  if (!isCurrent) take(call);
});

let seen = document.querySelector('main').innerHTML;

async function look() {
  const response = await fetch('/_local/phone').catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const main = page.querySelector('main');
  if (!main || main.innerHTML === seen) return;
  seen = main.innerHTML;
  const focused = document.activeElement?.dataset.call;
  document.querySelector('main').replaceWith(document.adoptNode(main));
  if (document.title !== page.title) document.querySelector('#news').textContent = page.title;
  document.title = page.title;
  paint();
  buttons().find((button) => button.dataset.call === focused)?.focus();
}

setInterval(() => document.hidden || look(), 2000);
document.addEventListener('visibilitychange', () => document.hidden || look());
paint();
`;
