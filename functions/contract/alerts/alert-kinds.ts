export const alertKinds = ['balance_below', 'month_percent', 'key_percent', 'cap_percent'] as const;

export const alertChannels = ['email', 'webhook'] as const;
