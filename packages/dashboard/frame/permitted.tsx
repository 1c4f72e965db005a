import { useLocation } from '@tanstack/react-router';
import { useIsAdmin } from '../data/use-me.ts';
import { AdminsOnly } from '../parts/page/admins-only.tsx';
import { adminsPageAt } from './navigation.ts';

/** The page, or one sentence in its place for a member who opens a page of admins. */
export function Permitted({ children }: { children: React.ReactNode }) {
  const { pathname } = useLocation();
  const isAdmin = useIsAdmin();
  const page = isAdmin ? undefined : adminsPageAt(pathname);
  return page ? <AdminsOnly title={page.label} /> : children;
}
