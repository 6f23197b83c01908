import type { ReactNode } from 'react';
import { Icon, type IconName } from '../elements/icon.tsx';
import css from './notice.module.css';

interface NoticeProps {
  readonly tone: 'info' | 'warning' | 'error';
  readonly icon?: IconName;
  readonly children: ReactNode;
  /** What helps: links and buttons. */
  readonly actions?: ReactNode;
}

/** A sentence that must be seen, and what to do about it. Screen readers announce errors immediately. */
export function Notice({ tone, icon = tone === 'info' ? 'info' : 'alert', children, actions }: NoticeProps) {
  return (
    <div className={[css.notice, css[tone]].join(' ')} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>
        {children}
        {actions !== undefined && <div className={css.actions}>{actions}</div>}
      </div>
    </div>
  );
}
