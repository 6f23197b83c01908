import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { rescueFocus } from '../../lib/focus.ts';
import { Icon } from '../icon.tsx';
import type { Session } from '../page-links.ts';
import { type Entry, entryGroups, groupTitles, matching, useEntries } from './entries.ts';
import css from './palette.module.css';

interface PaletteProps {
  readonly session: Session;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * Command palette: searches pages, actions, keys, agents, guides and API operations (WAI-ARIA "Combobox Pattern", list
 * autocomplete).
 */
export default function Palette({ session, isOpen, onClose }: PaletteProps) {
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      onExitTransitionEnd={rescueFocus}
      returnFocus={false}
      size="lg"
      yOffset="12vh"
      transitionProps={{ duration: 100 }}
    >
      <Modal.Overlay />
      <Modal.Content radius="lg" aria-label={t`Command palette`} classNames={{ content: css.content ?? '' }}>
        <Search session={session} onDone={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}

function Search({ session, onDone }: { session: Session; onDone: () => void }) {
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const found = matching(useEntries(session, text.trim() !== ''), text);
  const active = found[Math.min(index, found.length - 1)];
  const list = useId();
  // A space would split the id into two references.
  const idIn = (name: string) => `${list}-${name.replaceAll(/\s/g, '-')}`;
  const optionId = ({ id }: Entry) => idIn(id);
  const activeId = active && optionId(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  function choose(entry: Entry): void {
    entry.run();
    onDone();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || !active) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (steps !== undefined) setIndex((found.indexOf(active) + steps + found.length) % found.length);
    else if (event.key === 'Enter') choose(active);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className={css.search}>
        <Icon name="search" />
        <input
          data-autofocus
          className={css.input}
          role="combobox"
          aria-label={t`Search`}
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={list}
          aria-activedescendant={activeId}
          autoComplete="off"
          spellCheck={false}
          placeholder={t`Search pages, keys, agents and docs`}
          maxLength={100}
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setIndex(0);
          }}
        />
        <kbd className={css.key}>Esc</kbd>
      </div>
      <div id={list} role="listbox" aria-label={t`Results`} className={css.list}>
        {entryGroups.map((group) => {
          const entries = found.filter((entry) => entry.group === group);
          return (
            entries.length > 0 && (
              <div key={group} role="group" aria-labelledby={idIn(group)}>
                <div id={idIn(group)} className={css.group}>
                  {i18n._(groupTitles[group])}
                </div>
                {entries.map((entry) => (
                  <button
                    key={entry.id}
                    id={optionId(entry)}
                    type="button"
                    role="option"
                    tabIndex={-1}
                    aria-selected={entry === active}
                    className={css.option}
                    onMouseDown={(event) => event.preventDefault()}
                    onMouseMove={() => setIndex(found.indexOf(entry))}
                    onClick={() => choose(entry)}
                  >
                    <Icon name={entry.icon} />
                    <span className={css.label} dir="auto">
                      {entry.label}
                    </span>
                    {entry.hint !== undefined && <span className={css.hint}>{entry.hint}</span>}
                  </button>
                ))}
              </div>
            )
          );
        })}
      </div>
      {found.length === 0 && (
        <p className={css.none}>
          <Trans>No results for “{text}”.</Trans>
        </p>
      )}
      <VisuallyHidden role="status">{plural(found.length, { one: '# result', other: '# results' })}</VisuallyHidden>
    </>
  );
}
