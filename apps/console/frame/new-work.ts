import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMatchRoute } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { requestCounts } from '../requests/review/requests.calls';
import { hasNotice } from '../session/preferences';
import { useSession } from '../session/session.calls';
import { useFormats, useTexts } from '../text/texts';
import { pagesOf } from './areas';

/** Requests that wait for a decision; undefined until it is known, and for people who do not see them. */
export function useWaiting(): number | undefined {
  const { scopes } = useSession();
  const { data } = useQuery({ ...requestCounts(), enabled: scopes.includes('order_requests.read') });
  return data && data.open + data.second_look;
}

/** Just after it, so that the server's clock agrees. */
const AFTER_MS = 2_000;

/** Nothing rings when a parked request is due. */
function useDue(): void {
  const { scopes } = useSession();
  const client = useQueryClient();
  const { data } = useQuery({ ...requestCounts(), enabled: scopes.includes('order_requests.read') });
  const dueAt = data?.due_at ?? null;
  useEffect(() => {
    if (dueAt === null) return undefined;
    const read = () => void client.invalidateQueries({ queryKey: ['requests'] });
    const timer = window.setTimeout(read, Math.max(0, Date.parse(dueAt) - Date.now()) + AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [dueAt, client]);
}

/**
 * The title of the page names how many wait, the page and the person who is signed in. It names no customer: browsers
 * keep titles in their history. New requests are announced as this device wants.
 */
export function useNewWork(): void {
  const { shell } = useTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const waiting = useWaiting();
  useDue();
  const page = usePageName();
  const count = waiting ? `(${formats.number(waiting)}) ` : '';
  useEffect(() => {
    document.title = count + [page, staff.name, shell.name].join(' · ');
    return () => {
      document.title = shell.name;
    };
  }, [count, page, staff.name, shell.name]);
  const before = useRef(waiting);
  useEffect(() => {
    const had = before.current;
    before.current = waiting;
    if (waiting === undefined) return;
    // Of an installed console; other windows have none.
    void navigator.setAppBadge?.(waiting).catch(() => undefined);
    if (had !== undefined && waiting > had) announceOnce(shell.waiting(waiting, formats.number(waiting)));
  }, [waiting, shell, formats]);
}

function usePageName(): string {
  const texts = useTexts();
  const session = useSession();
  const match = useMatchRoute();
  const pages = pagesOf(session).filter(({ to }) => match({ to, fuzzy: true }));
  const [nearest] = pages.sort((one, other) => other.to.length - one.to.length);
  return nearest ? nearest.name(texts) : texts.shell.name;
}

/** Tabs receive the same news within this time; one of them announces it. */
const TOGETHER_MS = 2_000;

function announceOnce(text: string): void {
  const isWanted = hasNotice('sound') || hasNotice('note');
  if (!isWanted) return;
  void navigator.locks.request('offizin.new-work', { ifAvailable: true }, async (held) => {
    if (!held) return;
    // Without permission it shows nothing.
    if (hasNotice('note')) new Notification(text, { tag: 'offizin.new-work' });
    if (hasNotice('sound')) (await import('../messages/sounds')).soundNewWork();
    await new Promise((resolve) => window.setTimeout(resolve, TOGETHER_MS));
  });
}
