/** The kinds of things that an event may be about. */
export const CONCERNED = ['teams', 'projects', 'budgets', 'people'] as const;

/** The ids that an event is about. One about a person is also about that person's teams, not named here. Empty: about none. */
export type Concerns = Readonly<Partial<Record<(typeof CONCERNED)[number], readonly string[]>>>;
