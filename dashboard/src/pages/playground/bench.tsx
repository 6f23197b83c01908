import { Accordion } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Panel } from '../../components/panel.tsx';
import { Inspector } from './inspector.tsx';
import css from './playground.module.css';
import type { ExchangeState } from './use-exchange.ts';

interface BenchProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly parameters: ReactNode;
  readonly exchange: ExchangeState;
}

/** A tab of the playground: what is asked and answered, its parameters beside it, what went over the wire below. */
export function Bench({ title, children, parameters, exchange }: BenchProps) {
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
