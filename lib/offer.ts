import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import type { OfferFault } from '#contract/offer/offer-faults.ts';
import { maxOfferBytes, readOffer } from '#contract/offer/offer-file.ts';
import type { Offer } from '#contract/offer/offer.ts';

/** An unusable offer file, with one line per fault: `offer.json:12: models[0].price.input must be …`. */
export class OfferError extends Error {}

const maxFaults = 20;

/**
 * Reads and checks an offer file. `isLocal`: models may be served from this machine, over http. Throws an OfferError.
 */
export function loadOffer(file: string, { isLocal }: { readonly isLocal: boolean }): Offer {
  const text = textOf(file);
  const lines = new LineCounter();
  // Every JSON text is YAML 1.2. Of two equal keys, JSON.parse would take the last.
  const document = parseDocument(text, { lineCounter: lines, schema: 'core', prettyErrors: false });
  const [broken] = document.errors;
  if (broken) {
    const reason = reasons[broken.code] ?? 'the text is not valid JSON; check brackets, quotation marks and commas';
    throw new OfferError(`${file}:${lines.linePos(broken.pos[0]).line}: ${reason}.`);
  }
  const today = new Date().toISOString().slice(0, 10);
  const offer = readOffer(valueOf(document, file), { defaults: defaultOffer, isLocal, today, readLogo });
  if (!isFaulty(offer)) {
    if (Buffer.byteLength(JSON.stringify(offer)) > maxOfferBytes)
      throw new OfferError(`${file} has more than ${maxOfferBytes} bytes with its logo and defaults.`);
    return offer;
  }
  const shown = offer
    .slice(0, maxFaults)
    .map((fault) => `${file}:${lineOf(fault.path)}: ${pathText(fault)} ${fault.expected}.`);
  const more = offer.length > maxFaults ? [`${offer.length - maxFaults} more faults.`] : [];
  throw new OfferError([...shown, ...more].join('\n'));

  /** The line of the value at a path, or of its closest ancestor. */
  function lineOf(path: OfferFault['path']): number {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
      if (Array.isArray(range)) return lines.linePos(Number(range[0])).line;
    }
    return 1;
  }

  function readLogo(path: string): string | undefined {
    try {
      return textOf(join(dirname(file), path));
    } catch {
      return undefined;
    }
  }
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  DUPLICATE_KEY: 'an object has two fields of this name',
  MULTIPLE_DOCS: 'the file must contain one offer only',
};

/** A reference could repeat a part any number of times. */
function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new OfferError(`${file}: every value must be written out, without references such as *name.`, {
      cause: error,
    });
  }
}

const isFaulty = (result: Offer | readonly OfferFault[]): result is readonly OfferFault[] => Array.isArray(result);

function textOf(file: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new OfferError(`${file} is not a file.`);
    if (found.size > maxOfferBytes) throw new OfferError(`${file} has more than ${maxOfferBytes} bytes.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof OfferError) throw error;
    throw new OfferError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** `models[1].price.input`. */
function pathText({ path }: OfferFault): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return text === '' ? 'The file' : text.replace(/^\./, '');
}
