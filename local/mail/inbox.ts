import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { escapeHtml } from '#contract/shared/html.ts';
import { replaceFile } from '../shared/data-folder.ts';
import { htmlPage, unescapeHtml } from '../shared/pages.ts';

/** `sentAt` is ISO 8601. */
export const ReceivedMail = v.object({
  to: v.array(v.string()),
  subject: v.string(),
  text: v.string(),
  html: v.string(),
  sentAt: v.string(),
});
export type ReceivedMail = v.InferOutput<typeof ReceivedMail>;

export interface MailStore {
  /** Resolves once the email is on disk. */
  add(mail: ReceivedMail): Promise<void>;
  /** The newest `maxKept` emails, newest first. */
  list(): ReceivedMail[];
}

const maxKept = 500;

/** The file is rewritten when it reaches this many lines, so the cost per line stays constant. */
const maxLines = 2 * maxKept;

/**
 * Stores the newest emails as lines of JSON, readable only by the file's owner. Drops a line that a killed process left
 * unfinished, because add() had not resolved for it. Rejects if the file cannot be read or a finished line is not an
 * email.
 */
export async function openMailStore(file: string): Promise<MailStore> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const written = await readOrCreate(file);
  const finished = written.subarray(0, written.lastIndexOf('\n') + 1);
  if (finished.length < written.length) await truncate(file, finished.length);

  let mails = parseLines(finished.toString(), file);
  let size = finished.length;
  await compact();
  let last: Promise<unknown> = Promise.resolve();

  async function append(mail: ReceivedMail): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(mail)}\n`);
    await appendSynced(file, line, size);
    size += line.length;
    mails.push(mail);
    // The email is stored. If the file cannot be rewritten now, a later email rewrites it.
    await compact().catch(() => undefined);
  }

  async function compact(): Promise<void> {
    if (mails.length < maxLines) return;
    const kept = mails.slice(-maxKept);
    const text = kept.map((mail) => `${JSON.stringify(mail)}\n`).join('');
    await replaceFile(file, text, { flush: true });
    mails = kept;
    size = Buffer.byteLength(text);
  }

  return {
    add(mail) {
      const added = last.then(() => append(mail));
      last = added.catch(() => undefined);
      return added;
    },
    list: () => mails.slice(-maxKept).toReversed(),
  };
}

async function readOrCreate(file: string): Promise<Buffer> {
  const content = await withFile(file, 'a+', (handle) => handle.readFile());
  await withFile(dirname(file), 'r', (folder) => folder.sync());
  return content;
}

/** Reverts a failed write, so that the next line does not continue it. */
async function appendSynced(file: string, line: Buffer, size: number): Promise<void> {
  await withFile(file, 'a', async (handle) => {
    try {
      await handle.appendFile(line);
      await handle.sync();
    } catch (error) {
      await handle.truncate(size);
      throw error;
    }
  });
}

async function withFile<T>(path: string, flags: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, flags, 0o600);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

function parseLines(text: string, file: string): ReceivedMail[] {
  const Line = v.pipe(v.string(), v.parseJson(), ReceivedMail);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const mail = v.safeParse(Line, line);
      if (!mail.success) throw new Error(`${file}, line ${index + 1}, is not an email. Remove the line or the file.`);
      return mail.output;
    });
}

const maxShown = 50;

/** HTML page that lists the emails that local mode did not send. `mails`: newest first. */
export function inboxPage(mails: readonly ReceivedMail[]): string {
  const shown = mails.slice(0, maxShown);
  const older = mails.length - shown.length;
  return htmlPage({
    title: `Inbox${mails.length > 0 ? ` (${mails.length})` : ''}`,
    head: '<noscript><meta http-equiv="refresh" content="5"></noscript>',
    style,
    script: inboxScript,
    body: `<header><h1>Inbox</h1>
<p>Emails stay on this machine; nothing is sent. New ones appear here without a reload.</p><p id="news" role="status"></p></header>
<main>${shown.length > 0 ? shown.map(mailCard).join('\n') : empty}${older > 0 ? `<p class="older">${older} older: <a href="/_local/mail">all as JSON</a></p>` : ''}</main>`,
  });
}

/**
 * Polls for new emails while the page is visible and inserts them above the others, which keep their place and state.
 * The page contains the escaped HTML of the emails; its content security policy allows only this script.
 */
export const inboxScript = `
const cards = (root) => [...root.querySelectorAll('.mail')];

async function look() {
  const response = await fetch('/_local/inbox').catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (document.title === page.title && cards(page)[0]?.dataset.id === cards(document)[0]?.dataset.id) return;
  const main = document.querySelector('main');
  const known = new Map(cards(main).map((card) => [card.dataset.id, card]));
  const fresh = cards(page).filter((card) => !known.has(card.dataset.id));
  for (const card of known.values()) if (fresh.length > 0) card.open = card.contains(document.activeElement);
  main.querySelector('.empty')?.remove();
  main.prepend(...fresh.map((card) => document.adoptNode(card)));
  document.title = page.title;
  if (fresh[0]) document.querySelector('#news').textContent = 'New email: ' + fresh[0].querySelector('strong').textContent;
}

setInterval(() => document.hidden || look(), 2000);
document.addEventListener('visibilitychange', () => document.hidden || look());
`;

const empty = `<section class="empty">
<h2>No email yet</h2>
<p>Register an account, or request a new password. The email with its link appears here within a few seconds.</p>
<p><a class="button" href="/">Open the dashboard</a></p>
</section>`;

/** The newest email is expanded. The others are collapsed to one line. */
function mailCard(mail: ReceivedMail, index: number): string {
  const link = firstLink(mail);
  const button = link
    ? `<p class="action"><a class="button" href="${escapeHtml(link)}">Open link</a><span>${escapeHtml(link)}</span></p>`
    : '';
  const text = `<details><summary>Text version</summary><pre>${escapeHtml(mail.text)}</pre></details>`;
  return `<details class="mail" data-id="${idOf(mail)}"${index === 0 ? ' open' : ''}>
<summary><strong>${escapeHtml(mail.subject)}</strong><span>to ${escapeHtml(mail.to.join(', '))}</span>${sentTime(mail.sentAt)}</summary>
<div class="body">
${button}
${mail.html ? `${htmlFrame(mail)}\n${text}` : `<pre>${escapeHtml(mail.text)}</pre>`}
</div>
</details>`;
}

/** The email's own HTML, without scripts; its links leave the frame. */
function htmlFrame({ subject, html }: ReceivedMail): string {
  const page = `<!doctype html><base target="_top">${html}`;
  return `<iframe title="${escapeHtml(subject)}" sandbox="allow-popups allow-top-navigation-by-user-activation" referrerpolicy="no-referrer" loading="lazy" srcdoc="${escapeHtml(page)}"></iframe>`;
}

const idOf = (mail: ReceivedMail): string =>
  createHash('sha256').update(JSON.stringify(mail)).digest('base64url').slice(0, 22);

function firstLink({ html, text }: ReceivedMail): string | undefined {
  const href = /<a\s[^>]{0,500}?href="(https?:\/\/[^"]+)"/i.exec(html)?.[1];
  return href ? unescapeHtml(href) : /https?:\/\/[^\s<>"]+/.exec(text)?.[0];
}

function sentTime(iso: string): string {
  const date = new Date(iso);
  const shown = Number.isNaN(date.getTime()) ? iso : timeFormat.format(date);
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(shown)}</time>`;
}

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
});

const style = `
header, main { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { padding-block: 2rem 1.25rem; }
#news { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
h1 { margin: 0; font-size: 1.6rem; letter-spacing: -.01em; }
h2 { margin: 0 0 .5rem; font-size: 1.2rem; }
header p { margin: 0; color: var(--dim); }
.older { margin: 0; color: var(--dim); }
main { display: grid; gap: .75rem; padding-bottom: 3rem; }
.mail, .empty { min-width: 0; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
.empty { padding: 2.5rem 1.5rem; text-align: center; }
.empty p { max-width: 30rem; margin: .75rem auto 0; color: var(--dim); }
.empty .button { margin-top: .5rem; }
summary { cursor: pointer; }
.mail > summary { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .9rem 1.1rem; list-style: none; }
.mail > summary::-webkit-details-marker { display: none; }
.mail > summary strong { grid-column: 1 / -1; overflow-wrap: anywhere; }
.mail > summary span { color: var(--dim); font-size: .9rem; overflow-wrap: anywhere; }
time { color: var(--dim); font-size: .9rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.body { display: grid; gap: 1rem; padding: 1rem 1.1rem 1.1rem; border-top: 1px solid var(--line); }
.body > * { min-width: 0; margin: 0; }
.action { display: grid; justify-items: start; gap: .4rem; }
.action span { max-width: 100%; color: var(--dim); font: .8rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
iframe { display: block; width: 100%; height: 27rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff; color-scheme: light; resize: vertical; }
details details summary { color: var(--dim); font-size: .9rem; }
pre { margin: .5rem 0 0; padding: .9rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--page); font: .85rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 34rem) { .mail > summary { grid-template-columns: 1fr; } iframe { height: 30rem; } }
`;
