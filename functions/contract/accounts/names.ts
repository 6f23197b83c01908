import * as v from 'valibot';
import { isVisible, text } from '../shared/fields.ts';

/** Other people may read it, so it must not contain hidden characters. */
const plainText = v.pipe(
  text(64),
  v.check(
    (value) => hiddenIn(value) === undefined,
    ({ input }) => hiddenMessage(input),
  ),
  v.check(isVisible, 'must have a visible character'),
);

const noAddress = (partOf: (value: string) => string | undefined) =>
  v.check<string, (issue: { input: string }) => string>(
    (value) => partOf(value) === undefined,
    ({ input }) => addressMessage(partOf(input) ?? ''),
  );

/** Name of a person. Emails to other people may contain it, so it must not contain a link. */
export const personName = v.pipe(
  plainText,
  noAddress(addressIn),
  v.description('Visible characters only, without links, email addresses or names in one of the common domains.'),
);

/** Name of a key. Emails never contain it. */
export const keyName = v.pipe(
  plainText,
  noAddress(explicitAddressIn),
  v.description('Visible characters only, without email addresses and links with `://` or `www.`.'),
);

/** Returns whether a stored name satisfies the current rule for names of people. Older names may not. */
export function isName(value: string): boolean {
  return v.is(personName, value);
}

/** Characters that are invisible, change the text direction, or are private to one program. */
const hidden = String.raw`[\p{Cc}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]`;

/** Exceptions: sequences that writing systems need. */
const needed = [
  // Joiners after letters of joining scripts, as in Persian and Indic names.
  String.raw`(?<=(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Inherited}])[\p{L}\p{M}])[\u200C\u200D]`,
  // Parts of one emoji, and its text or emoji presentation.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]`,
  // Keycaps, and flags of subdivisions.
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=\u{1F3F4})[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{4,6}\u{E007F}`,
  // Variants of a Han or Mongolian character, which names use.
  String.raw`(?<=\p{sc=Han})[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]`,
  String.raw`(?<=\p{sc=Mongolian})[\u180B-\u180D\u180F]`,
  String.raw`(?<=(?!\u180E)\p{sc=Mongolian}[\u180B-\u180D\u180F]?)\u180E(?=(?!\u180E)\p{sc=Mongolian})`,
].join('|');

/** Created on use, because compiling takes milliseconds that a cold start can save. V8 caches the result. */
const neededOrHidden = (): RegExp => new RegExp(`(?<needed>${needed})|${hidden}`, 'gu');

/**
 * Returns the text on one line without disallowed characters. The result may be empty, or still look like an address.
 */
export function withoutHidden(value: string): string {
  return value
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(neededOrHidden(), '$<needed>')
    .trim();
}

function hiddenIn(value: string): string | undefined {
  for (const { 0: found, groups } of value.matchAll(neededOrHidden())) {
    if (groups?.['needed'] === undefined) return found;
  }
  return undefined;
}

function hiddenMessage(value: string): string {
  const found = hiddenIn(value) ?? '';
  return `contains ${kindOf(found)} (${codePoint(found)})`;
}

function addressMessage(part: string): string {
  const advice = /[/:?@]/.test(part) ? '' : '; put a space after the dot';
  return `must not look like a link or an address ("${part}")${advice}`;
}

function kindOf(character: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(character)) return 'a control character';
  if (/\p{Bidi_Control}/u.test(character)) return 'a direction character';
  return /\p{Co}|\p{Noncharacter_Code_Point}/u.test(character)
    ? 'a character without a meaning'
    : 'an invisible character';
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Country-code domains (ISO 3166). `js`, `go` and the like are not among them, so `node.js` is not an address. */
const countries = `ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by
  bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga
  gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg
  kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx
  my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se
  sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc
  ve vg vi vn vu wf ws ye yt za zm zw`;

/**
 * Domains that are open to everyone, or that people trust. Brand domains are omitted, because nobody else can register
 * them.
 */
const generic = `com net org info biz name pro mobi app dev web xyz top shop store online site website club vip icu live link
  links click page pages cloud tech space fun life world today email mail support help care services service digital agency
  company center zone network systems solutions software group team work works jobs careers news blog wiki bank banking
  finance financial fund money cash credit creditcard loan loans tax legal law lawyer insurance trade trading market
  markets exchange crypto nft chat social media studio design art photo photos video tube games game bet casino poker win
  bid sale deals gift promo offer date dating sex porn xxx adult gov edu mil int arpa onion test example asia africa berlin london paris nyc tokyo moscow one plus global international earth city town land house home
  homes estate rent rentals travel flights hotel tours vacations cafe pizza restaurant food fit fitness health doctor
  clinic hospital pharmacy dental academy school college university degree education training guide guru expert expo
  events tickets community foundation charity church gives kim men monster rest quest cyou sbs bond cfd lol
  party racing review reviews science stream download webcam accountant cricket faith ooo ninja rocks codes computer
  host hosting press report express delivery post supply tools parts repair cars auto energy solar build builders
  construction contractors directory domains enterprises equipment graphics holdings industries institute limited ltd
  management marketing partners productions properties security shopping ventures zip mov`;

/** Common internationalized domains. */
const international = `рф рус онлайн сайт дети москва укр бел срб мкд мон қаз бг ею ελ 中国 中國 公司 网络 網絡 网址 在线 中文网 商城 香港 台湾
  台灣 한국 닷컴 コム みんな भारत ไทย السعودية الاردن امارات ایران مصر قطر شبكة موقع`;

const domains = new Set([countries, generic, international].flatMap((list) => list.split(/\s+/)));

/** Titles: before a name they are not part of a domain, although `dr.no` and `ms.ng` exist. */
const titles = new Set(['dr', 'mr', 'ms', 'mrs', 'mx', 'prof', 'st', 'sr', 'jr', 'fr', 'rev', 'hon', 'sir']);

/** Degrees, after single letters: B.Com, M.Tech. */
const degrees = new Set(['com', 'tech']);

/** Family names, and the legal form `Co.KG`. Not treated as domains if each word is capitalized. */
const familyNames = new Set('li ng kim ma hu su lu mo vu ly kg'.split(' '));

const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?`;
/** Created on use, because compiling takes milliseconds that a cold start can save. V8 caches the result. */
const dotted = (): RegExp => new RegExp(String.raw`(?:${label}\.)+${label}(?<path>[/?]|:\d)?`, 'gu');
const explicit = /(?<!\S)\S*(?::\/\/|\bwww\d?\.)\S*/i;
const mailAddress = /(?<!\S)\S*[\p{L}\p{M}\p{N}_]@[\p{L}\p{N}_]\S*/u;
const schemeOrHandle = /(?<!\S)\S*@\S*|\b(?:https?|ftp|mailto|javascript|data|tel|sms):\S+/i;

/** Far longer than any name. The search time grows with the square of the length of a word. */
const maxLength = 256;

/**
 * The part of a text that every reader recognizes as a link or an email address: with `://`, `www.`, or `@` between
 * words.
 */
export function explicitAddressIn(text: string): string | undefined {
  if (text.length > maxLength) return text.slice(0, maxLength);
  const plain = withoutDisguise(text);
  return (explicit.exec(plain) ?? mailAddress.exec(plain))?.[0];
}

/**
 * The part of a text that email clients or people might mistake for a link or an email address: it contains `://`,
 * `www.`, `@`, a scheme, an IP address, words joined by dots whose last one is a common domain, or joined words before
 * `/`, `?` or a port. Initials, titles, degrees and family names do not count: J.R.Smith, St.John, M.Sc., Wei.Li.
 */
export function addressIn(text: string): string | undefined {
  const found = explicitAddressIn(text);
  if (found !== undefined) return found;
  const plain = withoutDisguise(text);
  return schemeOrHandle.exec(plain)?.[0] ?? plain.match(dotted())?.find(isAddress);
}

function withoutDisguise(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/[。｡]/g, '.');
}

function isAddress(found: string): boolean {
  if (/[/?]$|:\d$/.test(found)) return true;
  const written = found.split('.');
  const labels = written.map((part) => part.toLowerCase());
  if (labels.length === 4 && labels.every((part) => /^\d{1,3}$/.test(part))) return true;
  const [last = '', ...others] = labels.toReversed();
  if (!domains.has(last) && !last.startsWith('xn--')) return false;
  const isAfterInitials = others.every(({ length }) => length === 1) && (last.length === 2 || degrees.has(last));
  const isAfterTitle = others.length === 1 && titles.has(others[0] ?? '');
  const isFamilyName = familyNames.has(last) && written.every((part) => /^\p{Lu}/u.test(part));
  return !(isAfterInitials || isAfterTitle || isFamilyName || found.toLowerCase() === 'will.i.am');
}
