import { describe, expect, it } from 'vitest';
import * as mails from '#domain/accounts/mails.ts';

const link = 'https://text.example.org/confirm?token=tac_abc&kind=new';
const attack = `<img src="https://evil.example/x" onerror='steal()'> & </p><script>alert(1)</script>`;

/** Every mail there is; each takes a name and a link. */
const templates = Object.entries(mails);

const unescaped = (html: string) =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
const readable = (html: string) => unescaped(html.replaceAll(/<[^>]*>/g, '\n')).split('\n');
const tags = (html: string) => html.match(/<[^>]*>/g) ?? [];
const linksIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => unescaped(target));

describe.each(templates)('%s', (_, write) => {
  const mail = write('Ada', link);

  it('has a subject of one line', () => {
    expect(mail.subject).toMatch(/^[A-Z][^\r\n]{5,100}$/);
  });

  it('says the same in text and in HTML, and greets by name', () => {
    const shown = readable(mail.html).map((line) => line.trim());
    const sentences = mail.text.split('\n').filter((line) => line !== '' && line !== link);
    expect(sentences[0]).toBe('Hello Ada,');
    expect(sentences.length).toBeGreaterThanOrEqual(3);
    for (const sentence of sentences) expect(shown).toContain(sentence.replace(/:$/, ''));
  });

  it('has one link, the same in text and in HTML', () => {
    expect(mail.text.match(/https?:\S+/g)).toEqual([link]);
    expect(linksIn(mail.html)).toEqual([link]);
  });

  it('shows a name with HTML in it as that name, and gets no tag from it', () => {
    const hostile = write(attack, link);
    expect(tags(hostile.html)).toEqual(tags(mail.html));
    expect(readable(hostile.html)).toContain(`Hello ${attack},`);
    expect(hostile.subject).toBe(mail.subject);
    expect(linksIn(hostile.html)).toEqual([link]);
  });

  it('keeps a link inside its attribute', () => {
    const hostile = write('Ada', `${link}"><script>alert(1)</script>`);
    expect(hostile.html).not.toContain('<script');
    expect(tags(hostile.html)).toHaveLength(tags(mail.html).length);
  });

  it('loads nothing from anywhere and runs nothing', () => {
    for (const tag of tags(mail.html)) {
      expect(tag).not.toMatch(
        /^<(?:img|script|style|link|iframe|object|embed|video|audio|base|meta|form|input|svg)\b/i,
      );
      expect(tag).not.toMatch(/\s(?:src|srcset|background|action|on\w+)=|url\(|@import/i);
    }
  });

  it('is a document that a mail program can show', () => {
    expect(mail.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    const closings = tags(mail.html).filter((tag) => tag.startsWith('</'));
    expect(tags(mail.html)).toHaveLength(1 + 2 * closings.length);
  });
});
