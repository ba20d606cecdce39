import { useSyncExternalStore } from 'react';
import { useTexts } from '../text/texts';
import { useBarHeight } from '../controls/bar-heights';
import { Key } from '../controls/key';
import css from './toasts.module.css';

/** Short messages above the action bar. Results are polite; failures are read out immediately. */

export interface Toast {
  id: string;
  text: string;
  tone: 'plain' | 'failure';
  action?: { label: string; key?: string; run: () => void };
  /** Shows how long the action is left. */
  countdownMs?: number;
}

const PLAIN_MS = 5_000;
/** Between the lowest message and what is below it. */
const GAP_PX = 16;

class Toasts {
  private list: readonly Toast[] = [];
  private readonly timers = new Map<string, number>();
  private readonly listeners = new Set<() => void>();
  private last = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): readonly Toast[] => this.list;

  /** `stays`: until it is taken away with `close`, as while a decision is held. */
  show(toast: Omit<Toast, 'id' | 'tone'> & { id?: string; tone?: Toast['tone']; stays?: boolean }): string {
    const { stays = false, ...rest } = toast;
    const id = rest.id ?? `toast-${(this.last += 1)}`;
    const shown: Toast = { tone: 'plain', ...rest, id };
    this.change([...this.list.filter((other) => other.id !== id), shown]);
    window.clearTimeout(this.timers.get(id));
    // A failure stays until it is closed, so that there is time to read it.
    if (!stays && shown.tone === 'plain')
      this.timers.set(
        id,
        window.setTimeout(() => {
          this.close(id);
        }, rest.countdownMs ?? PLAIN_MS),
      );
    return id;
  }

  close(id: string): void {
    window.clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    if (this.list.some((toast) => toast.id === id)) this.change(this.list.filter((toast) => toast.id !== id));
  }

  /** Does what the newest message offers under this key. */
  act(key: string): void {
    this.list.findLast(({ action }) => action?.key === key)?.action?.run();
  }

  private change(list: readonly Toast[]): void {
    this.list = list;
    for (const listener of this.listeners) listener();
  }
}

export const toasts = new Toasts();

export function ToastRegion() {
  const texts = useTexts();
  const list = useSyncExternalStore(toasts.subscribe, toasts.current);
  const barPx = useBarHeight();
  const ofTone = (tone: Toast['tone']) => list.filter((toast) => toast.tone === tone);
  return (
    <section
      className={css.region}
      aria-label={texts.shell.messages}
      style={{ bottom: `calc(var(--bottom-bar) + ${barPx + GAP_PX}px)` }}
    >
      <div role="status">
        {ofTone('plain').map((toast) => (
          <ToastView key={toast.id} toast={toast} />
        ))}
      </div>
      <div role="alert">
        {ofTone('failure').map((toast) => (
          <ToastView key={toast.id} toast={toast} />
        ))}
      </div>
    </section>
  );
}

function ToastView({ toast }: { toast: Toast }) {
  const texts = useTexts();
  const { action, countdownMs } = toast;
  return (
    <div className={css.toast} data-tone={toast.tone}>
      <span className={css.text}>{toast.text}</span>
      {action ? (
        <button type="button" className={css.action} onClick={action.run}>
          {action.label}
          {action.key === undefined ? null : <Key name={action.key} />}
        </button>
      ) : null}
      {toast.tone === 'failure' ? (
        <button
          type="button"
          className={css.action}
          onClick={() => {
            toasts.close(toast.id);
          }}
        >
          {texts.shell.close}
        </button>
      ) : null}
      {countdownMs === undefined ? null : (
        <span className={css.countdown} style={{ animationDuration: `${countdownMs}ms` }} />
      )}
    </div>
  );
}
