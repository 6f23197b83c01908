import { Accordion } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../components/panel.tsx';
import { Inspector } from './inspector.tsx';
import css from './playground.module.css';
import type { ExchangeState } from './use-exchange.ts';

interface TabLayoutProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly parameters: ReactNode;
  readonly exchange: ExchangeState;
}

/** A tab of the playground: input and output, the parameters beside them, the request's details below. */
export function TabLayout({ title, children, parameters, exchange }: TabLayoutProps) {
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  return (
    <div className={css.tab}>
      <div className={css.work}>
        <Panel title={title}>{children}</Panel>
        {!isWide && (
          <Accordion variant="contained">
            <Accordion.Item value="parameters">
              <Accordion.Control>Parameters</Accordion.Control>
              <Accordion.Panel>{parameters}</Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        )}
        <Inspector exchange={exchange} />
      </div>
      {isWide && <Panel title="Parameters">{parameters}</Panel>}
    </div>
  );
}
