import { memo } from 'react';
import { CodeBlock } from '../../../components/elements/code-block.tsx';
import type { Block, ListItem } from './document.ts';
import { InlineView } from './inline-view.tsx';
import css from './markdown.module.css';
import { TableView } from './table-view.tsx';

/** The page's headings end at the second level: a text's are below them. */
const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

/** A block, as elements that load nothing. */
export function BlockView({ block }: { block: Block }) {
  if (block.kind === 'rule') return <hr />;
  if (block.kind === 'code') return <Code language={block.language} text={block.text} />;
  if (block.kind === 'list') return <ListView start={block.start} items={block.items} />;
  if (block.kind === 'table') return <TableView header={block.header} rows={block.rows} />;
  if (block.kind === 'quote')
    return (
      <blockquote dir="auto">
        <BlockViews blocks={block.blocks} />
      </blockquote>
    );
  const content = <InlineView content={block.content} />;
  if (block.kind === 'tight') return content;
  const Tag = block.kind === 'heading' ? (headings[block.depth - 1] ?? 'h6') : 'p';
  return <Tag dir="auto">{content}</Tag>;
}

function BlockViews({ blocks }: { blocks: readonly Block[] }) {
  const placed = blocks.map((block, place) => ({ block, place }));
  return placed.map(({ block, place }) => <BlockView key={place} block={block} />);
}

const Code = memo(function Code({ language, text }: { language: string; text: string }) {
  return (
    <div className={css.code} dir="ltr">
      <CodeBlock code={text} what={language === '' ? 'code' : `${language} code`} />
    </div>
  );
});

function ListView({ start, items }: { start: number | undefined; items: readonly ListItem[] }) {
  const placed = items.map((item, place) => ({ item, place }));
  const shown = placed.map(({ item: { isDone, blocks }, place }) => (
    <li key={place} dir="auto" className={isDone === undefined ? undefined : css.task}>
      {isDone !== undefined && (
        <input type="checkbox" checked={isDone} disabled aria-label={isDone ? 'Done' : 'Open'} />
      )}
      <BlockViews blocks={blocks} />
    </li>
  ));
  return start === undefined ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>;
}
