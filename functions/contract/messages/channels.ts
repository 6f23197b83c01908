export const channels = ['sms', 'voice_call'] as const;
export type Channel = (typeof channels)[number];
