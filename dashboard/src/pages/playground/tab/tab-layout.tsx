import { Accordion } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../../components/page.tsx';
import css from './tab.module.css';

interface TabLayoutProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly parameters: ReactNode;
  /** Request and response of the last call. */
  readonly details: ReactNode;
  /** True if the content also needs the width of the parameters. */
  readonly isBroad?: boolean;
}

const besideFrom = { usual: '(min-width: 75em)', broad: '(min-width: 105em)' } as const;

/** Layout of a tab: input and output, with the parameters next to them and the request's details below. */
export function TabLayout(props: TabLayoutProps) {
  const { title, actions, children, parameters, details, isBroad = false } = props;
  const from = besideFrom[isBroad ? 'broad' : 'usual'];
  const isWide = useMediaQuery(from, true, { getInitialValueInEffect: false });
  return (
    <div className={[css.tab, isWide && css.wide].filter(Boolean).join(' ')}>
      <div className={css.work}>
        <Panel title={title} aside={actions}>
          {children}
        </Panel>
        {!isWide && (
          <Accordion variant="contained">
            <Accordion.Item value="parameters">
              <Accordion.Control>Parameters</Accordion.Control>
              <Accordion.Panel>{parameters}</Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        {details}
      </div>
      {isWide && <Panel title="Parameters">{parameters}</Panel>}
    </div>
  );
}
