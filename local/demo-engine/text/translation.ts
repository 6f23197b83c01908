const languages = ['en', 'fr', 'de', 'es', 'it'] as const;
export type Language = (typeof languages)[number];

/** A language is undefined if the glossary does not contain it. Its words stay unchanged. */
export interface TranslationOrder {
  readonly from: Language | undefined;
  readonly to: Language | undefined;
}

export function translationOrder(system: string): TranslationOrder | undefined {
  if (!/\btranslat/i.test(system)) return undefined;
  const pair = /\bfrom\s+["'(]?(\p{L}+)[^.\n]{0,30}?\b(?:in)?to\s+["'(]?(\p{L}+)/iu.exec(system);
  if (pair) return { from: languageOf(pair[1]), to: languageOf(pair[2]) };
  return {
    from: languageAfter(system, /\b(?:from|source)\b/gi),
    to: languageAfter(system, /\b(?:into|to|target)\b/gi),
  };
}

function languageAfter(text: string, cue: RegExp): Language | undefined {
  for (const { index } of text.matchAll(cue)) {
    const words = text.slice(index, index + 60).match(/\p{L}+/gu) ?? [];
    const named = words.slice(1, 3).map(languageOf).find(Boolean);
    if (named) return named;
  }
  return undefined;
}

function languageOf(word = ''): Language | undefined {
  return names.get(word.toLowerCase());
}

const names: ReadonlyMap<string, Language> = new Map([
  ['en', 'en'],
  ['english', 'en'],
  ['fr', 'fr'],
  ['french', 'fr'],
  ['de', 'de'],
  ['german', 'de'],
  ['es', 'es'],
  ['spanish', 'es'],
  ['it', 'it'],
  ['italian', 'it'],
]);

/** Translates word by word and keeps punctuation, spaces and capitals. Unknown words stay unchanged. */
export function translate(text: string, { from, to }: TranslationOrder): string {
  if (!to) return text;
  const sources = from ? [from] : languages.filter((language) => language !== to);
  return text.replaceAll(/\p{L}[\p{L}\p{M}]*/gu, (word) => {
    const entry = sources.map((source) => glossary.get(`${source} ${word.toLowerCase()}`)).find(Boolean);
    return entry ? likeCased(entry[to], word) : word;
  });
}

function likeCased(translated: string, word: string): string {
  if (word.length > 1 && word === word.toUpperCase()) return translated.toUpperCase();
  const first = word.charAt(0);
  return first === first.toLowerCase() ? translated : translated.charAt(0).toUpperCase() + translated.slice(1);
}

/** One row per meaning, in the order of `languages`. */
const rows = `hello bonjour hallo hola ciao|goodbye au_revoir auf_Wiedersehen adiós arrivederci|good bon guten buenos buon
morning matin Morgen días mattino|evening soir Abend noche sera|thanks merci danke gracias grazie|please s’il_vous_plaît bitte
por_favor prego|yes oui ja sí sì|no non nein no no|and et und y e|or ou oder o o|but mais aber pero ma|the le die el il
a un ein un un|is est ist es è|am suis bin soy sono|are sont sind son sono|not pas nicht no non|in dans in en in|with avec mit con con
for pour für para per|of de von de di|to à zu a a|from depuis aus desde da|on sur auf sobre su|i je ich yo io|you vous Sie usted lei
we nous wir nosotros noi|my mon mein mi mio|your votre Ihr su suo|world monde Welt mundo mondo|house maison Haus casa casa
water eau Wasser agua acqua|bread pain Brot pan pane|coffee café Kaffee café caffè|wine vin Wein vino vino|dog chien Hund perro cane
cat chat Katze gato gatto|friend ami Freund amigo amico|day jour Tag día giorno|night nuit Nacht noche notte|week semaine Woche semana settimana
year année Jahr año anno|time temps Zeit tiempo tempo|book livre Buch libro libro|letter lettre Brief carta lettera
city ville Stadt ciudad città|street rue Straße calle strada|train train Zug tren treno|car voiture Auto coche macchina
weather temps Wetter tiempo tempo|sun soleil Sonne sol sole|rain pluie Regen lluvia pioggia|red rouge rot rojo rosso
green vert grün verde verde|blue bleu blau azul blu|white blanc weiß blanco bianco|black noir schwarz negro nero
big grand groß grande grande|small petit klein pequeño piccolo|new nouveau neu nuevo nuovo|old vieux alt viejo vecchio
today aujourd’hui heute hoy oggi|tomorrow demain morgen mañana domani|where où wo dónde dove|when quand wann cuándo quando
how comment wie cómo come|what quoi was qué cosa|why pourquoi warum por_qué perché|one un eins uno uno|two deux zwei dos due
three trois drei tres tre|love amour Liebe amor amore|work travail Arbeit trabajo lavoro|money argent Geld dinero soldi
language langue Sprache idioma lingua|service service Dienst servicio servizio|account compte Konto cuenta conto|very très sehr muy molto
here ici hier aquí qui|there là dort allí là|man homme Mann hombre uomo|woman femme Frau mujer donna|child enfant Kind niño bambino`;

const glossary: ReadonlyMap<string, Record<Language, string>> = new Map(
  rows
    .split(/[|\n]/)
    .flatMap((row) => {
      const [en = '', fr = '', de = '', es = '', it = ''] = row.split(' ').map((word) => word.replaceAll('_', ' '));
      const entry = { en, fr, de, es, it };
      return languages.map((language): [string, typeof entry] => [
        `${language} ${entry[language].toLowerCase()}`,
        entry,
      ]);
    })
    .toReversed(),
);
