import { Button } from '../controls/button';
import { toasts } from './toasts';
import { useSecondFactorTexts } from './second-factor-texts';
import css from './second-factor.module.css';

/** Shown once, to be stored or printed. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const texts = useSecondFactorTexts();
  const copy = () => {
    void navigator.clipboard.writeText(codes.join('\n')).then(
      () => {
        toasts.show({ id: 'copied', text: texts.copied });
      },
      // Not allowed by the browser: the codes can be selected.
      () => undefined,
    );
  };
  return (
    <section className={css.recovery} aria-label={texts.recovery}>
      <h2 className={css.heading}>{texts.recovery}</h2>
      <p>{texts.recoveryWhat}</p>
      <ol className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className={css.buttons}>
        <Button onPress={copy}>{texts.copy}</Button>
        <Button
          onPress={() => {
            window.print();
          }}
        >
          {texts.print}
        </Button>
      </div>
    </section>
  );
}
