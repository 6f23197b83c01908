import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { contentIn, type Letter, type MailContent } from '../accounts/mail-layout.ts';
import type { Phrase, Value } from '../shared/phrases.ts';

const catalogues = {
  de: () => import('./languages/de.ts'),
  es: () => import('./languages/es.ts'),
  ja: () => import('./languages/ja.ts'),
  ar: () => import('./languages/ar.ts'),
};

/** The email in the language of its recipient. Undefined if a message has no translation. */
export async function translated({ to, ...letter }: Letter): Promise<MailContent | undefined> {
  const { language = 'en' } = to;
  if (language === 'en' || !(language in catalogues)) return undefined;
  const { messages } = await catalogues[language]();
  const locale = language === 'ar' ? 'ar-u-nu-latn' : language;
  const i18n = setupI18n({ locale, messages: { [locale]: messages } }).setMessagesCompiler(compileMessage);
  let isComplete = true;

  function say({ message, values }: Phrase): string {
    isComplete &&= message in messages;
    const shown = Object.entries(values).map(([name, value]) => [name, valueIn(value)]);
    return i18n._(message, Object.fromEntries(shown));
  }

  /** Numbers are formatted by the message. In text from right to left, a value keeps its own direction. */
  function valueIn(value: Value): string | number {
    if (typeof value === 'number') return value;
    if (typeof value === 'object' && 'message' in value) return say(value);
    const text = typeof value === 'string' ? value : formatted(locale, value);
    return language === 'ar' ? `\u2068${text}\u2069` : text;
  }

  const content = contentIn({ ...letter, to }, language, say);
  return isComplete ? { ...content, subject: content.subject.replaceAll(/[\u2068\u2069]/g, '') } : undefined;
}

function formatted(locale: string, value: Exclude<Value, string | number | Phrase>): string {
  if ('usd' in value) {
    const cents = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    return `${new Intl.NumberFormat(locale, cents).format(value.usd / 100)} USD`;
  }
  if ('region' in value) return new Intl.DisplayNames(locale, { type: 'region' }).of(value.region) ?? value.region;
  const day = { dateStyle: 'long', timeZone: 'UTC' } as const;
  if ('day' in value) return new Intl.DateTimeFormat(locale, day).format(new Date(value.day));
  return `${new Intl.DateTimeFormat(locale, { ...day, timeStyle: 'short' }).format(value.minute)} UTC`;
}
