import { i18n, type MessageDescriptor } from '@lingui/core';
import { plural, t, msg } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Modal, VisuallyHidden, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { isDocumentOffered } from '#contract/offered-services.ts';
import { agentRoutes } from '#contract/routes/agents.ts';
import { isPlaygroundKey } from '../../api/keys.ts';
import { useMay } from '../../api/organizations.ts';
import { useData, useIsOffered, useKeys, useMe } from '../../api/reads.ts';
import { rescueFocus } from '../../lib/focus.ts';
import { Icon, type IconName } from '../icon.tsx';
import { type Session, usePageGroups } from '../page-links.ts';
import { useSignOut } from '../session.ts';
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

/** In order of display. */
const entryGroups = ['actions', 'pages', 'keys', 'agents', 'guides', 'reference'] as const;
type EntryGroup = (typeof entryGroups)[number];

const groupTitles: Readonly<Record<EntryGroup, MessageDescriptor>> = {
  actions: msg`Actions`,
  pages: msg`Pages`,
  keys: msg`API keys`,
  agents: msg`Agents`,
  guides: msg`Guides`,
  reference: msg`API reference`,
};

interface Entry {
  readonly id: string;
  readonly group: EntryGroup;
  readonly label: string;
  /** Shown next to the label: the guide of a section, or the path of an operation. */
  readonly hint?: string;
  readonly icon: IconName;
  /** Additional search terms. */
  readonly words: string;
  readonly run: () => void;
}

/** Returns the entries of the palette. Without a search, only actions and pages. */
function useEntries(session: Session, isSearching: boolean): readonly Entry[] {
  const commands = useCommands(session);
  const own = useOwnEntries(session);
  const documentation = useDocumentation(session);
  return isSearching ? [...commands, ...own, ...documentation] : commands;
}

function useCommands(session: Session): readonly Entry[] {
  const [, go] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const signOut = useSignOut();
  const isOffered = useIsOffered(session === 'member');
  const mayDevelop = useMay('develop');
  const pages = usePageGroups(session).flatMap(({ links }) => links);
  const action = (label: string, icon: IconName, words: string, run: () => void): Entry => ({
    id: label,
    group: 'actions',
    label,
    icon,
    words,
    run,
  });
  const themes = action(
    other === 'dark' ? t`Switch to dark theme` : t`Switch to light theme`,
    other === 'dark' ? 'moon' : 'sun',
    t`dark light colour color mode`,
    () => setColorScheme(other),
  );
  const memberActions = [
    ...(mayDevelop ? [action(t`Create API key`, 'plus', t`new token secret`, () => go('/keys?new'))] : []),
    ...(mayDevelop && isOffered('chat')
      ? [
          action(t`New chat`, 'playground', t`start conversation playground`, () => go('/playground?new')),
          action(t`Create agent`, 'agents', t`new assistant documents`, () => go('/agents?new')),
        ]
      : []),
    ...(mayDevelop && isOffered('messages')
      ? [action(t`Send message`, 'messages', t`new sms voice call phone`, () => go('/messages'))]
      : []),
    themes,
    action(t`Sign out`, 'logout', t`log out leave`, signOut),
  ];
  const guestActions = [themes, action(t`Sign in`, 'arrow', t`log in`, () => go('/login'))];
  return [
    ...(session === 'member' ? memberActions : guestActions),
    ...pages.map(({ href, label, icon, words = '' }): Entry => ({
      id: href,
      group: 'pages',
      label,
      icon,
      words,
      run: () => go(href),
    })),
  ];
}

/** Maximum page size of the agents API. */
const maxAgents = '200';

/** The account's keys and agents. A failed read omits only its own entries. */
function useOwnEntries(session: Session): readonly Entry[] {
  const [, go] = useLocation();
  const enabled = session === 'member';
  const { data: keys = [] } = useKeys({ enabled });
  const mayDevelop = useMay('develop');
  const ofAgents = { query: { limit: maxAgents } };
  const { data: agents } = useData(agentRoutes.listAgents, ofAgents, { enabled: enabled && mayDevelop });
  const ownKeys = keys.filter((key) => !isPlaygroundKey(key));
  return [
    ...ownKeys.map(({ id, name, prefix, lastFour }): Entry => ({
      id,
      group: 'keys',
      label: name,
      hint: `${prefix}…${lastFour}`,
      icon: 'keys',
      words: `key ${lastFour}`,
      run: () => go(`/keys?${new URLSearchParams({ show: 'all', key: id }).toString()}`),
    })),
    ...(agents?.items ?? []).map(({ id, name, model }): Entry => ({
      id,
      group: 'agents',
      label: name,
      hint: model,
      icon: 'agents',
      words: 'agent',
      run: () => go(`/agents?${new URLSearchParams({ agent: id }).toString()}`),
    })),
  ];
}

/** Path prefix of the operations that only operators may call. */
const operatorPath = '/api/operator/';

const loadDocumentation = async () => {
  const [guides, reference] = await Promise.all([import('virtual:guide-search'), import('virtual:reference')]);
  // The cache needs no text of the sections.
  const sections = guides.default.map(({ href, guide, title }) => ({ href, guide, title }));
  return { sections, operations: reference.entries };
};

/** Sections of guides and operations of the API, loaded on demand. If loading fails, the other entries remain. */
function useDocumentation(session: Session): readonly Entry[] {
  const { data: me } = useMe({ enabled: session === 'member' });
  const isOffered = useIsOffered(session === 'member');
  const isAllowed = ({ path }: { path: string }) => me?.role === 'operator' || !path.startsWith(operatorPath);
  const [, go] = useLocation();
  const { data } = useQuery({
    queryKey: ['documentation'],
    queryFn: loadDocumentation,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data) return [];
  const sections = data.sections.filter((section) => isDocumentOffered(section, isOffered));
  const operations = data.operations.filter(
    (operation) => isAllowed(operation) && isDocumentOffered({ href: '', ...operation }, isOffered),
  );
  return [
    ...sections.map(({ href, guide, title }): Entry => ({
      id: href,
      group: 'guides',
      label: title,
      ...(guide !== title && { hint: guide }),
      icon: 'guides',
      words: guide,
      run: () => go(href),
    })),
    ...operations.map(({ id, method, path, summary }): Entry => ({
      id,
      group: 'reference',
      label: summary,
      hint: `${method} ${path}`,
      icon: 'docs',
      words: `${method} ${path} ${id.split(/(?=[A-Z])/).join(' ')}`,
      run: () => go(`/docs#${id}`),
    })),
  ];
}

/** Maximum entries per group in search results. */
const maxPerGroup = 8;

/** Returns the entries in which every search word is a prefix of a word, by group, with matches of the label first. */
function matching(entries: readonly Entry[], text: string): Entry[] {
  const wanted = wordsOf(text);
  const isIn = (places: string[]) => wanted.every((word) => places.some((place) => place.startsWith(word)));
  const byLabel = entries.filter(({ label }) => isIn(wordsOf(label)));
  const byOther = entries.filter(({ label, words }) => isIn(wordsOf(`${label} ${words}`)));
  const found = [...new Set([...byLabel, ...byOther])];
  return entryGroups.flatMap((group) => {
    const inGroup = found.filter((entry) => entry.group === group);
    return wanted.length === 0 ? inGroup : inGroup.slice(0, maxPerGroup);
  });
}

/** Path segments count as words. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s/{}]+/)
    .filter(Boolean);
