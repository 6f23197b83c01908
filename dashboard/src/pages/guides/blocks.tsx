import { type ReactNode, use } from 'react';
import { Link } from 'wouter';
import { originMark } from '#contract/dashboard-config.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { ExampleKey } from './example-key.tsx';
import { type Block, type Cell, type Inline, withKey } from './guide.ts';
import css from './guides.module.css';

/** Renders a guide. Code shows the origin of this service and the reader's key, if chosen. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { block: Block }): ReactNode {
  if (block.kind === 'heading') return <Heading block={block} />;
  if (block.kind === 'table') return <Table head={block.head} rows={block.rows} />;
  if (block.kind === 'code') return <Example block={block} />;
  if (block.kind === 'paragraph')
    return (
      <p>
        <Inlines content={block.content} />
      </p>
    );
  const List = block.isOrdered ? 'ol' : 'ul';
  return (
    <List>
      {block.items.map((item, index) => (
        <li key={index}>
          <Blocks blocks={item} />
        </li>
      ))}
    </List>
  );
}

const names: Readonly<Record<string, string>> = {
  sh: 'shell',
  js: 'JavaScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  json: 'JSON',
  http: 'HTTP',
};
const nameOf = (language: string): string => `${names[language] ?? language} example`;

function Example({ block: { code, language } }: { block: Extract<Block, { kind: 'code' }> }) {
  const key = use(ExampleKey);
  const here = code.replaceAll(originMark, window.location.origin);
  return <CodeBlock code={key === undefined ? here : withKey(here, key)} what={nameOf(language)} />;
}

function Heading({ block: { id, level, content } }: { block: Extract<Block, { kind: 'heading' }> }) {
  const Level = level === 2 ? 'h2' : 'h3';
  return (
    <Level id={id} className={css.heading}>
      <Inlines content={content} />
      <a className={css.anchor} href={`#${id}`} aria-label="Link to this section">
        #
      </a>
    </Level>
  );
}

/** Scrolls horizontally, including by keyboard. Roles are explicit, because browsers drop those of restyled tables. */
function Table({ head, rows }: { head: readonly Cell[]; rows: readonly (readonly Cell[])[] }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css.table} role="region" aria-label="Table" tabIndex={0}>
      <table className={css.cells} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {head.map((cell, index) => (
              <th key={index} role="columnheader" scope="col">
                <Inlines content={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, at) => (
            <tr key={at} role="row">
              {row.map((cell, index) => (
                <td key={index} role="cell" data-label={textOf(head[index] ?? [])}>
                  <span>
                    <Inlines content={cell} />
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(content: readonly Inline[]): string {
  const texts = content.map((part) => {
    if (typeof part === 'string') return part;
    return part.kind === 'code' ? part.text : textOf(part.content);
  });
  return texts.join('');
}

const Inlines = ({ content }: { content: readonly Inline[] }): ReactNode =>
  content.map((part, index) => <InlineView key={index} part={part} />);

function InlineView({ part }: { part: Inline }): ReactNode {
  if (typeof part === 'string') return part;
  if (part.kind === 'code') return <code>{part.text}</code>;
  const content = <Inlines content={part.content} />;
  if (part.kind !== 'link') return part.kind === 'strong' ? <strong>{content}</strong> : <em>{content}</em>;
  if (part.href.startsWith('/')) return <Link href={part.href}>{content}</Link>;
  return (
    <a href={part.href} rel="noreferrer">
      {content}
    </a>
  );
}
