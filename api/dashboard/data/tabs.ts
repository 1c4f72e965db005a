import type { Me } from '../../../shared/identity/me.ts';

type Who = Pick<Me, 'user_id' | 'org'>;

/** The account that the tabs of this browser belong to, as one tells the others; null after signing out. */
type Told = string | null;

/** One per tab: a channel does not hear what it says itself. */
const channel = new BroadcastChannel('usage-governor-sessions');

function accountOf({ user_id, org }: Who): string {
  return `${org.id}/${user_id}`;
}

/** Tells the other tabs who is signed in now; nobody with null. */
export function tellTabs(me: Who | null): void {
  channel.postMessage((me && accountOf(me)) satisfies Told);
}

/**
 * Hears who is signed in now, by another tab. Somebody else's page must not stay on the screen, nor that of somebody who has
 * signed out: it is loaded anew. For the same person `onSame` is called. Returns how to stop.
 */
export function hearTabs(me: Who, onSame: () => void): () => void {
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data === accountOf(me)) onSame();
    else window.location.reload();
  };
  return () => {
    channel.onmessage = null;
  };
}
