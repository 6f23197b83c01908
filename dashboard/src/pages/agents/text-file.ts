import { t } from '@lingui/core/macro';
import { limits } from '#contract/shared/limits.ts';
import { formatBytes } from '../../lib/format.ts';

const endings = /\.(?:txt|md|markdown)$/i;
/** Maximum length of a document's name, in code points. */
const maxName = 200;

export const textFileTypes = '.txt,.md,.markdown,text/plain,text/markdown';

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

type Read = { readonly name: string; readonly text: string } | { readonly error: string };

/** Reads a text file of at most `limits.documentBytes`, or returns an error to show. */
export async function readTextFile(file: File): Promise<Read> {
  if (!endings.test(file.name)) return { error: t`Choose a .txt or .md file` };
  if (file.size > limits.documentBytes)
    return { error: t`The file is larger than ${{ size: formatBytes(limits.documentBytes) }}` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return { name: Array.from(file.name).slice(0, maxName).join(''), text };
  } catch {
    return { error: t`The file is not UTF-8 text` };
  }
}
