import type { ReactNode } from 'react';
import css from './icon.module.css';

/** Paths in a 24 × 24 grid. */
const paths = {
  overview: 'M4 13a8 8 0 1 1 16 0M12 13l4-4M4 19h16',
  keys: 'M15 4a5 5 0 1 1-4.6 7L4 17.4V20h3.5v-2.5H10V15l2-2M16 8.5h.01',
  plans: 'M4 7l8-4 8 4-8 4zM4 12l8 4 8-4M4 17l8 4 8-4',
  billing: 'M3 6h18v12H3zM3 10h18M6.5 14.5h4',
  usage: 'M4 20h16M7 16v-5M12 16V5M17 16V9',
  agents: 'M5 9h14v10H5zM12 9V5M12 5h.01M9.5 13.5v1.5M14.5 13.5v1.5M2 13v2M22 13v2',
  messages: 'M7 3h10v18H7zM11 18h2M10 8h4M10 11.5h4',
  webhooks: 'M9 8a3.5 3.5 0 1 1 5 3l3 5.2M10.5 10.5L7.5 16a3.5 3.5 0 1 0 3 5.2M9 17.5h7.5a2.5 2.5 0 1 1-1 3',
  logs: 'M4 6h.01M8 6h12M4 12h.01M8 12h12M4 18h.01M8 18h7',
  playground: 'M4 5h16v11H10l-5 4v-4H4zM8 9h8M8 12h5',
  models: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  settings: 'M4 7h10M18 7h2M4 17h4M12 17h8M16 5v4M10 15v4',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14M20 20l-4-4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  plus: 'M12 5v14M5 12h14',
  alert: 'M12 8v5M12 16.5h.01M12 3l9.5 17h-19z',
  info: 'M12 11v5M12 7.5h.01M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18',
  mail: 'M3 6h18v12H3zM3 7l9 6 9-6',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  send: 'M4 12l16-8-6 16-3-7z',
  play: 'M8 5l11 7-11 7z',
  pause: 'M9 6v12M15 6v12',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 1 1-6 0V6a3 3 0 0 1 3-3M5 11a7 7 0 0 0 14 0M12 18v3',
  stop: 'M7 7h10v10H7z',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  download: 'M12 4v11M7 10.5l5 5 5-5M4 20h16',
  logout: 'M15 4h4v16h-4M11 8l-4 4 4 4M7 12h9',
  swap: 'M7 4L3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7',
  organization: 'M9 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6M3 19a6 6 0 0 1 12 0M16 5a3 3 0 0 1 0 6M17 14a6 6 0 0 1 4 5',
  operator: 'M12 3l8 3v6c0 4.6-3.4 8-8 9-4.6-1-8-4.4-8-9V6zM9 12l2 2 4-4',
  guides: 'M12 7v13M4 5c3 0 6 .5 8 2 2-1.5 5-2 8-2v13c-3 0-6 .5-8 2-2-1.5-5-2-8-2z',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h4',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  regenerate: 'M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  bookmark: 'M6 4h12v16l-6-4-6 4z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/**
 * Shows a button's label while the pointer is over it or it has the focus. Screen readers read the button's own label.
 */
export function Tip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className={css.tip} data-label={label}>
      {children}
    </span>
  );
}
