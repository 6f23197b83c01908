import { Box } from '@mantine/core';
import { Notice } from '../../../../components/feedback/notice.tsx';

/** On one machine no model hears: the demo engine reads back what it wrote into its own files. */
export const LocalNotice = () => (
  <Box mb="md">
    <Notice tone="info">
      Local mode transcribes only speech from the Text-to-speech tab. For other audio it returns the length, at the same
      price. To use a model, run <span className="mono">npm start -- --audio-url URL</span>.
    </Notice>
  </Box>
);
