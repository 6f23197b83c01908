import { t } from '@lingui/core/macro';
import { memo, useMemo, useRef } from 'react';
import { ErrorBoundary } from '../../../components/boundary.tsx';
import { CodeBlock } from '../../../components/copy.tsx';
import plain from '../tab/tab.module.css';
import css from './markdown.module.css';
import {
  type Block,
  type Cell,
  type Definitions,
  type Inline,
  type ListItem,
  parseBlock,
  splitBlocks,
  type SplitText,
  withoutUnsettledEnd,
} from './parse.ts';

interface MarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

/** Renders Markdown. Unchanged blocks are not rendered again. */
export default function Markdown({ text, isStreaming }: MarkdownProps) {
  const { parts, definitions } = useSplit(text, isStreaming);
  const kept = useKept(definitions);
  // Texts only grow, so the index identifies a block.
  const placed = parts.map(({ raw, isShown }, place) => ({ raw, isShown, place }));
  return (
    <div className={[css.markdown, isStreaming && plain.unfinished].filter(Boolean).join(' ')} dir="auto">
      {placed.map(({ raw, isShown, place }) => isShown && <Source key={place} source={raw} definitions={kept} />)}
    </div>
  );
}

/** Splits only the end of a streaming text again, and the whole text once it is complete. */
function useSplit(text: string, isStreaming: boolean): SplitText {
  const last = useRef<SplitText>(undefined);
  return useMemo(() => {
    last.current = isStreaming ? splitBlocks(withoutUnsettledEnd(text), last.current) : splitBlocks(text);
    return last.current;
  }, [text, isStreaming]);
}

interface SourceProps {
  readonly source: string;
  readonly definitions: Definitions;
}

const Source = memo(function Source({ source, definitions }: SourceProps) {
  const plain = <p>{source}</p>;
  return (
    <ErrorBoundary fallback={() => plain}>
      <Blocks source={source} definitions={definitions} />
    </ErrorBoundary>
  );
});

function Blocks({ source, definitions }: SourceProps) {
  // A text may contain the same block twice.
  const blocks = parseBlock(source, definitions).map((block, place) => ({ block, place }));
  return blocks.map(({ block, place }) => <BlockView key={place} block={block} />);
}

/** Returns the previous object while the content is equal. */
function useKept(definitions: Definitions): Definitions {
  const kept = useRef(definitions);
  if (JSON.stringify(kept.current) !== JSON.stringify(definitions)) kept.current = definitions;
  return kept.current;
}

/** Headings start below the page's own two levels. */
const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function BlockView({ block }: { block: Block }) {
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
      <CodeBlock code={text} what={language === '' ? t`code` : t`${language} code`} />
    </div>
  );
});

function ListView({ start, items }: { start: number | undefined; items: readonly ListItem[] }) {
  const placed = items.map((item, place) => ({ item, place }));
  const shown = placed.map(({ item: { isDone, blocks }, place }) => (
    <li key={place} dir="auto" className={isDone === undefined ? undefined : css.task}>
      {isDone !== undefined && (
        <input
          type="checkbox"
          checked={isDone}
          disabled
          aria-label={isDone ? t({ message: 'Done', context: 'Task' }) : t({ message: 'Open', context: 'Task' })}
        />
      )}
      <BlockViews blocks={blocks} />
    </li>
  ));
  return start === undefined ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>;
}

interface TableViewProps {
  readonly header: readonly Cell[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A table that scrolls horizontally, because it may be wider than its message. */
function TableView({ header, rows }: TableViewProps) {
  const placed = rows.map((cells, place) => ({ cells, place }));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.scroll} tabIndex={0} role="region" aria-label={t`Table`}>
      <table>
        <thead>
          <tr>
            {withPlaces(header).map(({ cell, place }) => (
              <th key={place} scope="col" dir="auto" style={{ textAlign: cell.align }}>
                <InlineView content={cell.content} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {placed.map(({ cells, place: row }) => (
            <tr key={row}>
              {withPlaces(cells).map(({ cell, place }) => (
                <td key={place} dir="auto" style={{ textAlign: cell.align }}>
                  <InlineView content={cell.content} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const withPlaces = (cells: readonly Cell[]) => cells.map((cell, place) => ({ cell, place }));

function InlineView({ content }: { content: readonly Inline[] }) {
  // The same text may appear twice.
  const placed = content.map((inline, place) => ({ inline, place }));
  return placed.map(({ inline, place }) => <One key={place} inline={inline} />);
}

const styles = { strong: 'strong', emphasis: 'em', deleted: 'del' } as const;

function One({ inline }: { inline: Inline }) {
  if (inline.kind === 'text') return inline.text;
  if (inline.kind === 'code') return <code>{inline.text}</code>;
  if (inline.kind === 'break') return <br />;
  const content = <InlineView content={inline.content} />;
  if (inline.kind === 'link')
    return (
      <a href={inline.href} title={inline.href} target="_blank" rel="noopener noreferrer nofollow">
        {content}
      </a>
    );
  const Style = styles[inline.kind];
  return <Style>{content}</Style>;
}
