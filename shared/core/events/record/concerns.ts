/** The kinds of things that an event may be about. */
export const CONCERNED = ['teams', 'projects', 'budgets', 'people'] as const;

/**
 * The things and people that an event is about, by id. An event about a person is also about the teams of that person, which are
 * not named here. Empty: it is about none.
 */
export type Concerns = Readonly<Partial<Record<(typeof CONCERNED)[number], readonly string[]>>>;
