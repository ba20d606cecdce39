import { Button } from '../../controls/button';
import { toasts } from '../../messages/toasts';
import css from './secret-dialog.module.css';
import { useSettingsTexts } from './settings-texts';

interface Props {
  label: string;
  value: string;
  /** Where several stand together, each needs its name on the screen and its own button. */
  isLabelShown?: boolean;
}

/** A value to pass on: it can be selected and copied, not changed. */
export function CopyField({ label, value, isLabelShown = false }: Props) {
  const texts = useSettingsTexts();
  const copy = () => {
    void navigator.clipboard.writeText(value).then(
      () => {
        toasts.show({ id: 'copied', text: texts.copied });
      },
      // Not allowed by the browser: the field can be selected.
      () => undefined,
    );
  };
  return (
    <div className={css.secret}>
      {isLabelShown && (
        <span className={css.label} aria-hidden>
          {label}
        </span>
      )}
      <input
        className={css.text}
        aria-label={label}
        value={value}
        readOnly
        spellCheck={false}
        onFocus={({ target }) => {
          target.select();
        }}
      />
      <Button
        autoFocus={!isLabelShown}
        onPress={copy}
        {...(isLabelShown && { 'aria-label': `${texts.copy}: ${label}` })}
      >
        {texts.copy}
      </Button>
    </div>
  );
}
