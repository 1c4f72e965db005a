export const ROLES = { member: 'member', admin: 'admin' };
