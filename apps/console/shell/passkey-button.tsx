import { useMutation } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { useTexts } from '../text/texts';
import { ApiError } from './api';
import { sentenceOf } from './fault';
import { useSecondFactorTexts } from './second-factor-texts';
import css from './second-factor.module.css';
import { knowsPasskeys, NoPasskeyError } from './webauthn';

interface Props<Reply> {
  label: string;
  ask: () => Promise<Reply>;
  onDone: (reply: Reply) => void;
  /** The sign-in that it belongs to is over. */
  onGone?: () => void;
}

/** Nothing where the browser has no passkeys for this address. */
export function PasskeyButton<Reply>({ label, ask, onDone, onGone }: Props<Reply>) {
  const shared = useTexts();
  const texts = useSecondFactorTexts();
  const { mutate, error, isPending } = useMutation({
    mutationFn: ask,
    onSuccess: onDone,
    onError: (refusal) => {
      if (refusal instanceof ApiError && refusal.status === 404) onGone?.();
    },
  });
  if (!knowsPasskeys()) return null;
  const whyNot = (refusal: Error): string => {
    if (refusal instanceof NoPasskeyError) return texts.noPasskey;
    const isRefused = refusal instanceof ApiError && refusal.status === 401;
    return isRefused ? texts.passkeyRefused : sentenceOf(refusal, shared);
  };
  return (
    <>
      <div role="alert">{error && <p className={css.failure}>{whyNot(error)}</p>}</div>
      <Button isPending={isPending} onPress={() => mutate()}>
        {label}
      </Button>
    </>
  );
}
