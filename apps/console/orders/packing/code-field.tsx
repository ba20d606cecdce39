import { useEffect, useLayoutEffect, useRef } from 'react';
import { DIALOGS } from '../../keyboard/keys';
import { lock } from '../../session/lock';
import { usePackingTexts } from './packing-texts';
import css from './packing.module.css';

/** As long as a product's id may be. */
const MAX_CODE_LENGTH = 255;
/** Text is typed there, by people and scanners alike. */
const FIELDS = 'input, textarea, select, [contenteditable=true]';

/** Gets the code; null when Enter came without one, or with keys that make no text. */
export type OnCode = (code: string | null) => void;

/**
 * The field for codes. A scanner is a keyboard of any speed that ends with Enter or Tab. So every character that is
 * pressed on the page goes to the field, and none is a key of the page.
 */
export function CodeField({ onCode }: { onCode: OnCode }) {
  const texts = usePackingTexts();
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef(onCode);
  useLayoutEffect(() => {
    latest.current = onCode;
  });
  useEffect(() => {
    if (!field.current) return undefined;
    const listener = new CodeListener(field.current, (code) => {
      latest.current(code);
    });
    document.addEventListener('keydown', listener.onKeyDown, { capture: true });
    document.addEventListener('click', onClick);
    return () => {
      document.removeEventListener('keydown', listener.onKeyDown, { capture: true });
      document.removeEventListener('click', onClick);
    };
  }, []);
  return (
    <label className={css.codeField}>
      {texts.code}
      {/* The keys of the page that are not characters act in it, too. */}
      <input
        ref={field}
        type="text"
        data-page-keys
        maxLength={MAX_CODE_LENGTH + 1}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </label>
  );
}

class CodeListener {
  private isUnreadable = false;

  constructor(
    private readonly field: HTMLInputElement,
    private readonly onCode: OnCode,
  ) {}

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.key === 'Process' || this.isElsewhere(event)) return;
    const isEmpty = this.field.value === '';
    if (hasModifier(event)) {
      // Scanners send control characters as Ctrl with a character: such a code must not count without them.
      if (!isEmpty && !'acvxyz'.includes(event.key.toLowerCase())) this.isUnreadable = true;
      return;
    }
    if ((event.key === 'Enter' && !event.shiftKey) || (event.key === 'Tab' && !isEmpty)) {
      if (isEmpty && isOnControl(event)) return;
      take(event);
      this.end();
    } else if (event.key === 'Escape' && !isEmpty) {
      take(event);
      this.field.value = '';
      this.isUnreadable = false;
    } else if (event.key.length === 1 && !(isEmpty && event.key === ' ')) {
      // Space presses the button that has the focus; no code begins with it.
      event.stopImmediatePropagation();
      this.field.focus();
    }
  };

  private end(): void {
    const code = this.field.value.normalize('NFC').trim();
    const isCode = !this.isUnreadable && code !== '' && code.length <= MAX_CODE_LENGTH;
    this.field.value = '';
    this.isUnreadable = false;
    this.onCode(isCode ? code : null);
  }

  private isElsewhere({ target }: KeyboardEvent): boolean {
    if (lock.current() !== null || document.querySelector(DIALOGS) !== null) return true;
    return target !== this.field && target instanceof Element && target.closest(FIELDS) !== null;
  }
}

/** The Enter of a scanner must not press again what a pointer has pressed; what opens something keeps the focus. */
function onClick({ target, detail }: MouseEvent): void {
  const button =
    target instanceof Element ? target.closest('button:not([aria-expanded], [aria-haspopup])') : null;
  if (detail > 0 && button instanceof HTMLElement) button.blur();
}

function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** AltGr makes characters and counts as no modifier. */
function hasModifier(event: KeyboardEvent): boolean {
  return event.metaKey || ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph'));
}

function isOnControl({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest('a[href], button, summary, [role=button]') !== null;
}
