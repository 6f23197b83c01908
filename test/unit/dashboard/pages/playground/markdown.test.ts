import { describe, expect, it } from 'vitest';
import { hostileMarkdown, sampleMarkdown } from '#test/attacks/markdown.ts';
import { listed } from '#test/listed.ts';
import { callMsOf } from '#test/process-usage.ts';
import {
  type Block,
  type Inline,
  parseBlock,
  splitBlocks,
  type SplitText,
  withoutUnsettledEnd,
} from '../../../../../dashboard/src/pages/playground/markdown/parse.ts';

const sourcesOf = ({ parts }: SplitText) => parts.flatMap(({ raw, isShown }) => (isShown ? [raw] : []));

function parse(text: string): Block[] {
  const split = splitBlocks(text);
  return sourcesOf(split).flatMap((source) => [...parseBlock(source, split.definitions)]);
}

/** All nodes of a document, blocks and inline content. */
function partsOf(node: unknown): { kind: string; href?: string }[] {
  if (Array.isArray(node)) return node.flatMap(partsOf);
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(partsOf);
  return 'kind' in node ? [node as { kind: string }, ...inner] : inner;
}

const textOf = (content: readonly Inline[]): string =>
  content
    .map((inline) => ('content' in inline ? textOf(inline.content) : 'text' in inline ? inline.text : '\n'))
    .join('');
const shown = (text: string): string =>
  parse(text)
    .map((block) => ('content' in block ? textOf(block.content) : ''))
    .join('\n');
const kinds = (text: string) => partsOf(parse(text)).map(({ kind }) => kind);

describe('a Markdown text', () => {
  it('is parsed into the expected blocks', () => {
    const kindsOfBlocks = parse(sampleMarkdown).map(({ kind }) => kind);
    expect(kindsOfBlocks.join(' ')).toBe('heading paragraph heading list list quote table code heading paragraph rule');
  });

  it.each([
    [
      '**a** *b* ~~c~~ `d`',
      ['paragraph', 'strong', 'text', 'text', 'emphasis', 'text', 'text', 'deleted', 'text', 'text', 'code'],
    ],
    ['a  \nb', ['paragraph', 'text', 'break', 'text']],
    ['```py\nx\n', ['code']],
    ['1. a\n2. b', ['list', 'tight', 'text', 'tight', 'text']],
    ['| a |\n| --- |\n| b<br>c |', ['table', 'text', 'text', 'break', 'text']],
  ])('is parsed into the expected parts: %j', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it('keeps the language of code, the start of a list, the alignment of a table and the states of tasks', () => {
    expect(parse('```ts title="x"\nlet a;\n```')).toEqual([{ kind: 'code', language: 'ts', text: 'let a;' }]);
    expect(parse('7. a\n8. b')[0]).toMatchObject({ start: 7 });
    expect(parse('- a')[0]).toMatchObject({ start: undefined });
    expect(parse('| a | b |\n| :-: | --: |\n| 1 | 2 |')[0]).toMatchObject({
      header: [{ align: 'center' }, { align: 'right' }],
      rows: [[{ align: 'center' }, { align: 'right' }]],
    });
    expect(parse('- [x] a\n- [ ] b\n- c')[0]).toMatchObject({
      items: [{ isDone: true }, { isDone: false }, { isDone: undefined }],
    });
    expect(kinds('- [x] a')).toEqual(['list', 'tight', 'text']);
  });

  it.each([
    ['a &amp; b &lt;i&gt; &#8364; &#x1F389; &nope; &#0;', 'a & b <i> € 🎉 &nope; \ufffd'],
    ['2 < 3 && 3 > 2', '2 < 3 && 3 > 2'],
    ['<b>bold</b> and <!-- a comment -->', '<b>bold</b> and <!-- a comment -->'],
    ['<div>\nblock\n</div>', '<div>\nblock\n</div>'],
    [String.raw`\*no\* \<b\>`, '*no* <b>'],
    ['`&amp;`', '&amp;'],
  ])('has its character references decoded and its HTML shown as text: %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['[a](https://example.com/x?a=1&amp;b=2)', 'https://example.com/x?a=1&b=2'],
    ['https://example.com/x', 'https://example.com/x'],
    ['<https://example.com/x>', 'https://example.com/x'],
    ['[a](mailto:me@example.com)', 'mailto:me@example.com'],
    ['[a][1]\n\n[1]: https://example.com/one', 'https://example.com/one'],
    ['![a cat](https://example.com/cat.png)', 'https://example.com/cat.png'],
    ['[a](https://ex\u0430mple.com/)', 'https://xn--exmple-4nf.com/'],
  ])('may have https and email links, shown with the address that the browser opens: %j', (text, href) => {
    expect(partsOf(parse(text)).find(({ kind }) => kind === 'link')).toMatchObject({ href });
  });

  it('loads nothing, even from a hostile model: only links have addresses, and these use https', () => {
    for (const text of [hostileMarkdown.join('\n\n'), ...hostileMarkdown]) {
      const parts = partsOf(parse(text));
      const foreign = parts.filter(
        ({ kind, href }) => href !== undefined && (kind !== 'link' || !href.startsWith('https:')),
      );
      expect(foreign).toEqual([]);
      expect(parts.length).toBeGreaterThan(text.startsWith('[ref]') ? -1 : 0);
    }
  });

  it('shows the target of a rejected link', () => {
    expect(shown('[bank](javascript:alert)')).toBe('bank (javascript:alert)');
    expect(shown('[site](http://example.com)')).toBe('site (http://example.com)');
    expect(shown('http://example.com')).toBe('http://example.com');
  });
});

describe('a growing Markdown text', () => {
  it('keeps its parsed blocks, and ends with the same blocks as if it had arrived whole', () => {
    const text = Array.from({ length: 5 }, (_, index) => sampleMarkdown.replace('short', `short ${index}`)).join('\n');
    let before: SplitText | undefined;
    for (let end = 0; end <= text.length; end += 7) {
      const grown = withoutUnsettledEnd(text.slice(0, end));
      const split = splitBlocks(grown, before);
      expect(split).toEqual(splitBlocks(grown));
      const kept = before?.parts.slice(0, -3) ?? [];
      expect(split.parts.slice(0, kept.length)).toEqual(kept);
      before = split;
    }
    expect(sourcesOf(splitBlocks(text))).toHaveLength(55);
  });

  it('is parsed again if its beginning changes', () => {
    const before = splitBlocks('# a\n\nb\n\nc\n\nd\n\ne');
    expect(splitBlocks('# x\n\nb\r\n\r\nc', before)).toEqual(splitBlocks('# x\n\nb\n\nc'));
  });

  it.each([
    ['A list:\n-', 'A list:'],
    ['A list:\n\n1.', 'A list:\n'],
    ['A heading\n===', 'A heading'],
    ['Code:\n```', 'Code:'],
    ['#', ''],
    ['a - b', 'a - b'],
    ['- a', '- a'],
  ])('omits a last line whose block type is not yet certain: %j', (text, settled) => {
    expect(withoutUnsettledEnd(text)).toBe(settled);
  });
});

describe('a Markdown text that is expensive to parse', () => {
  const words = listed('[ ]( ![ * _ **a ` ``a` ~ < <!-- & | |- # a@ http://a [a]( [a][ *a_ ~~~');
  const units = words.concat('\\', '> ', '- ', '1. ', '\n', ' ', '<a ', '\t', 'a\n-');

  it.each(units)('is parsed within its time limit at any nesting depth, 8,000 tokens long: %j', (unit) => {
    const texts = [5000, 9900, 19_900, 32_000].flatMap((length) => [
      unit.repeat(length / unit.length),
      `${unit}\n`.repeat(length / (unit.length + 1)),
      `x ${unit}`.repeat(length / (unit.length + 2)),
    ]);
    for (const text of texts) {
      const ms = callMsOf(() => parse(text));
      expect([unit, ms < 1000]).toEqual([unit, true]);
    }
  });

  it.each([
    ['lists in lists', Array.from({ length: 180 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['a table of many columns', `|${'a|'.repeat(2500)}\n|${'-|'.repeat(2500)}\n${'|\n'.repeat(11_000)}`],
    ['a table of many rows', `|${'a|'.repeat(6)}\n|${'-|'.repeat(6)}\n${'|\n'.repeat(8000)}`],
    ['a link reference that is used often', `${'[a]'.repeat(199)}\n\n[a]: https://example.com/${'x'.repeat(30_000)}`],
    ['emphasis in every item', '- *a* _b_ **c**\n'.repeat(2000)],
  ])('is parsed within a second if it is %s', (_, text) => {
    expect(callMsOf(() => parse(text))).toBeLessThan(1000);
    expect(partsOf(parse(text)).length).toBeLessThan(20_000);
  });

  it('has its short parts parsed, and its long ones shown as text', () => {
    const blocks = parse(`# *a*\n\n${'*b* '.repeat(4000)}\n\n*c*\n\n\`\`\`\n${'*d* '.repeat(8000)}\n\`\`\``);
    expect(blocks.map((block) => ('content' in block ? block.content.map(({ kind }) => kind) : block.kind))).toEqual([
      ['emphasis'],
      ['text'],
      ['emphasis'],
      'code',
    ]);
  });
});
