import type { Me } from '../../../shared/core/accounts/identity/me.ts';

type Person = Pick<Me, 'user_id' | 'org'>;

/** The account that the tabs of this browser belong to, as a tab broadcasts it; null after signing out. */
type SessionMessage = string | null;

/** One per tab: a channel does not receive its own messages. */
const channel = new BroadcastChannel('usage-governor-sessions');

function accountOf({ user_id, org }: Person): string {
  return `${org.id}/${user_id}`;
}

/** Sends the person who is signed in now to the other tabs; null after signing out. */
export function broadcastSession(me: Person | null): void {
  channel.postMessage((me && accountOf(me)) satisfies SessionMessage);
}

/**
 * Receives the sessions that other tabs broadcast. Another person's page must not stay on the screen, nor that of somebody who
 * has signed out: it is loaded anew. For the same person it calls `onSame`. Returns a function that ends it.
 */
export function onSessionBroadcast(me: Person, onSame: () => void): () => void {
  channel.onmessage = ({ data }: MessageEvent<SessionMessage>) => {
    if (data === accountOf(me)) onSame();
    else window.location.reload();
  };
  return () => {
    channel.onmessage = null;
  };
}
