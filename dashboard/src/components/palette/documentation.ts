import guides from 'virtual:guide-search';
import { entries as operations } from 'virtual:reference';

/** Sections of the guides, without their text, and operations of the API. */
export const documentation = {
  sections: guides.map(({ href, guide, title }) => ({ href, guide, title })),
  operations,
};
