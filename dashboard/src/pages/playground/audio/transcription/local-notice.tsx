import { Box } from '@mantine/core';
import { Notice } from '../../../../components/feedback/notice.tsx';

/** On one machine no model hears: the demo engine reads back what it wrote into its own files. */
export const LocalNotice = () => (
  <Box mb="md">
    <Notice tone="info">
      On this machine only speech from the Speech tab is transcribed. For other audio, your own voice included, you get
      its length, at the same price. To transcribe it with a model, run{' '}
      <span className="mono">npm start -- --audio-url URL</span>.
    </Notice>
  </Box>
);
