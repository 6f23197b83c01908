import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useLocation } from 'wouter';
import { useSignOut } from '../account/use-sign-out.ts';
import type { IconName } from '../elements/icon.tsx';
import { type Session, usePageLinks } from '../page-links.ts';

export interface Entry {
  readonly id: string;
  readonly group: 'Actions' | 'Pages';
  readonly label: string;
  readonly icon: IconName;
  /** Other words that it is found by. */
  readonly words: string;
  readonly run: () => void;
}

/** Everything that the palette offers: actions, then pages. */
export function useEntries(session: Session): readonly Entry[] {
  const [, go] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const signOut = useSignOut();
  const links = usePageLinks(session);
  const action = (label: string, icon: IconName, words: string, run: () => void): Entry => ({
    id: label,
    group: 'Actions',
    label,
    icon,
    words,
    run,
  });
  const themes = action(
    `Switch to ${other} theme`,
    other === 'dark' ? 'moon' : 'sun',
    'dark light colour color mode',
    () => setColorScheme(other),
  );
  const memberActions = [
    action('Create API key', 'plus', 'new token secret', () => go('/keys?new')),
    action('New chat', 'playground', 'start conversation playground', () => go('/playground?new')),
    action('Create agent', 'agents', 'new assistant documents', () => go('/agents?new')),
    action('Send message', 'messages', 'new sms voice call phone', () => go('/messages')),
    themes,
    action('Sign out', 'logout', 'log out leave', signOut),
  ];
  const guestActions = [themes, action('Sign in', 'arrow', 'log in', () => go('/login'))];
  return [
    ...(session === 'member' ? memberActions : guestActions),
    ...links.map(({ href, label, icon, words = '' }): Entry => ({
      id: href,
      group: 'Pages',
      label,
      icon,
      words,
      run: () => go(href),
    })),
  ];
}

/** Those in which every word of the text begins a word, labels before other words. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const wanted = wordsOf(text);
  const isIn = (places: string[]) => wanted.every((word) => places.some((place) => place.startsWith(word)));
  const byLabel = entries.filter(({ label }) => isIn(wordsOf(label)));
  const byOther = entries.filter(({ label, words }) => isIn(wordsOf(`${label} ${words}`)));
  return [...new Set([...byLabel, ...byOther])];
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);
