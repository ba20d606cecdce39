import { useMutation } from '@tanstack/react-query';
import { correction, generate } from 'lean-qr';
import { type SyntheticEvent, useState } from 'react';
import { Form } from 'react-aria-components';
import type { TotpResponse } from '@offizin/contracts/people/second-factor';
import { Button } from '../controls/button';
import { Check } from '../controls/check';
import { Failure } from '../controls/failure';
import { Field, textIn } from '../controls/field';
import { useTexts } from '../text/texts';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';
import { useSecondFactorTexts } from './second-factor-texts';
import css from './second-factor.module.css';
import { toasts } from '../messages/toasts';

interface Props<Reply> {
  made: TotpResponse;
  send: (code: string) => Promise<Reply>;
  onDone: (reply: Reply) => void;
  /** The sign-in that it belongs to is over. */
  onGone?: () => void;
}

/** Scan, store the recovery codes, type the first code. */
export function TotpForm<Reply>({ made, send, onDone, onGone }: Props<Reply>) {
  const texts = useSecondFactorTexts();
  const [isStored, setStored] = useState(false);
  const { submit, failure, isPending } = useFirstCode({ send, onDone, onGone, isStored });
  return (
    <Form className={css.form ?? ''} onSubmit={submit}>
      <p>{texts.scan}</p>
      <QrCode text={made.uri} label={texts.qr} />
      <label className={css.secret}>
        {texts.secret}
        <input
          className={css.text}
          value={made.secret}
          readOnly
          spellCheck={false}
          onFocus={({ target }) => {
            target.select();
          }}
        />
      </label>
      <RecoveryCodes codes={made.recovery_codes} />
      <Check label={texts.stored} isChecked={isStored} onToggle={() => setStored(!isStored)} />
      <Field
        label={texts.firstCode}
        hint={texts.firstCodeHint}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        isRequired
      />
      <Failure why={failure} isFramed />
      <div>
        <Button kind="main" type="submit" isPending={isPending}>
          {texts.confirm}
        </Button>
      </div>
    </Form>
  );
}

function useFirstCode<Reply>({
  send,
  onDone,
  onGone,
  isStored,
}: Omit<Props<Reply>, 'made'> & { isStored: boolean }) {
  const shared = useTexts();
  const texts = useSecondFactorTexts();
  const [isEarly, setEarly] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: send,
    onSuccess: onDone,
    onError: (refusal) => {
      if (refusal instanceof ApiError && refusal.status === 404) onGone?.();
    },
  });
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    setEarly(!isStored);
    if (isStored) mutate(textIn(new FormData(event.currentTarget), 'code'));
  };
  const why = (refusal: Error) =>
    refusal instanceof ApiError && refusal.status === 400 ? texts.wrongFirst : sentenceOf(refusal, shared);
  const early = isEarly && !isStored ? texts.storeFirst : null;
  return { submit, isPending, failure: early ?? (error && why(error)) };
}

/** Modules of empty space around the picture. Source: ISO/IEC 18004. */
const QUIET = 4;

/** Dark on light in both themes: cameras expect it. */
function QrCode({ text, label }: { text: string; label: string }) {
  const picture = generate(text, { minCorrectionLevel: correction.M });
  const edge = picture.size + 2 * QUIET;
  const squares: string[] = [];
  for (let y = 0; y < picture.size; y += 1)
    for (let x = 0; x < picture.size; x += 1)
      if (picture.get(x, y)) squares.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
  return (
    <svg className={css.qr} viewBox={`0 0 ${edge} ${edge}`} role="img" aria-label={label}>
      <path d={squares.join('')} />
    </svg>
  );
}

/** Shown once, to be stored or printed. */
function RecoveryCodes({ codes }: { codes: readonly string[] }) {
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
