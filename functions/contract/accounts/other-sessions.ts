/** No session's own id is this: it stands for all but the current one. Apart, for every call that proves a session loads it. */
export const otherSessions = 'others';
