import { Box } from '@mantine/core';
import { Notice } from '../../../../components/feedback/notice.tsx';

/** On one machine no model hears: the demo engine reads back what it wrote into its own files. */
export const LocalNotice = () => (
  <Box mb="md">
    <Notice tone="info">
      On this machine only speech from the Speech tab is transcribed; of other audio, your own voice too, you get how
      long it is, at the same price. A model transcribes it after{' '}
      <span className="mono">npm start -- --audio-url URL</span>.
    </Notice>
  </Box>
);
