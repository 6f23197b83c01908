import { escapeHtml } from '../shared/escape-html.ts';
import { htmlPage } from '../shared/html-page.ts';
import type { PhoneMessage } from './phone-store.ts';

/** The HTML page of a phone on which a person reads the messages that this machine did not send. `messages` come newest first. */
export function phonePage(messages: readonly PhoneMessage[]): string {
  const byNumber = Map.groupBy(messages, ({ to }) => to);
  return htmlPage({
    title: `Phone${messages.length > 0 ? ` (${messages.length})` : ''}`,
    head: '<meta http-equiv="refresh" content="3">',
    style,
    body: `<header><h1>Phone</h1><p>Messages stay on this machine. Nothing is sent; this page looks for new ones by itself.</p></header>
<main>${messages.length > 0 ? [...byNumber].map(conversation).join('\n') : empty}</main>`,
  });
}

const empty = '<p class="empty">No message yet. Send one with POST /api/messages, to +14155550100 for example.</p>';

function conversation([to, messages]: [string, readonly PhoneMessage[]]): string {
  return `<section><h2>${escapeHtml(to)}</h2><ol>${messages.toReversed().map(bubble).join('')}</ol></section>`;
}

function bubble({ channel, text, at }: PhoneMessage): string {
  const isCall = channel === 'voice_call';
  const head = isCall ? '<strong><span class="ring" aria-hidden="true">☎</span> Call</strong>' : '';
  const time = `<time datetime="${escapeHtml(at)}">${escapeHtml(at.slice(11, 16))} UTC</time>`;
  return `<li class="${isCall ? 'call' : 'sms'}">${head}<p>${escapeHtml(text)}</p>${time}</li>`;
}

const style = `
header, main { max-width: 30rem; margin: 0 auto; padding: 0 1rem; }
header { padding-block: 2rem 1rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 0 0 .75rem; font-size: 1rem; font-variant-numeric: tabular-nums; text-align: center; color: var(--dim); }
header p, .empty { margin: 0; color: var(--dim); }
main { display: grid; gap: 1rem; padding-bottom: 3rem; }
section { padding: 1rem; border: 1px solid var(--line); border-radius: 1.75rem; background: var(--card); }
ol { display: grid; gap: .6rem; margin: 0; padding: 0; list-style: none; justify-items: start; }
li { max-width: 85%; padding: .55rem .85rem; border-radius: 1.1rem 1.1rem 1.1rem .3rem; background: var(--page); border: 1px solid var(--line); }
li p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.call { border-color: var(--accent); }
.ring { display: inline-block; animation: ring .5s ease-in-out 6; }
time { color: var(--dim); font-size: .8rem; }
@keyframes ring { 25% { transform: rotate(-18deg); } 75% { transform: rotate(18deg); } }
@media (prefers-reduced-motion: reduce) { .ring { animation: none; } }
`;
