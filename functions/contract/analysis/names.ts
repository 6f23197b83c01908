/** Analyses that can be requested. */
export const analysisNames = ['sentiment', 'entities', 'key_phrases', 'language', 'pii', 'categories'] as const;
export type AnalysisName = (typeof analysisNames)[number];

export const sentiments = ['positive', 'negative', 'neutral', 'mixed'] as const;
export type Sentiment = (typeof sentiments)[number];

export const entityTypes = [
  'PERSON',
  'ORGANIZATION',
  'LOCATION',
  'DATE',
  'QUANTITY',
  'EVENT',
  'PRODUCT',
  'OTHER',
] as const;
export type EntityType = (typeof entityTypes)[number];

/** Types of personal data that a rule detects, and types that a model detects. */
export const rulePiiTypes = ['EMAIL', 'PHONE', 'CREDIT_CARD', 'IBAN', 'IP_ADDRESS', 'URL'] as const;
export const modelPiiTypes = ['PERSON', 'ADDRESS'] as const;
export const piiTypes = [...rulePiiTypes, ...modelPiiTypes] as const;
export type RulePiiType = (typeof rulePiiTypes)[number];
export type ModelPiiType = (typeof modelPiiTypes)[number];
export type PiiType = (typeof piiTypes)[number];
