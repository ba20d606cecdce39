import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../controls/button';
import { CheckIcon } from '../../controls/icon';
import { sentenceOf } from '../../messages/fault';
import { changePreferences } from '../../session/preferences';
import { sessionQuery, useSession } from '../../session/session.calls';
import { lazyTexts, useTexts } from '../../text/texts';
import { doneSteps } from './first-steps.calls';
import css from './first-steps.module.css';

const STEPS = [
  { name: 'shop', to: '/settings/shops' },
  { name: 'products', to: '/products' },
  { name: 'key', to: '/settings/keys' },
  { name: 'team', to: '/settings/staff' },
] as const;

/** What an owner of an empty pharmacy sets up first; `otherwise` when all is done, or when the person hides it. */
export default function FirstSteps({ otherwise }: { otherwise: ReactNode }) {
  const texts = useFirstStepsTexts();
  const shared = useTexts();
  const { settings } = useSession();
  const client = useQueryClient();
  const { data: done, isError } = useQuery(doneSteps);
  const hiding = useMutation({
    mutationFn: () => changePreferences({ hides_first_steps: true }),
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
    },
  });
  if (isError || settings.hides_first_steps || (done && STEPS.every(({ name }) => done[name])))
    return otherwise;
  if (!done) return null;
  return (
    <section className={css.steps} aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ul>
        {STEPS.map(({ name, to }) => (
          <li key={name} data-done={done[name]}>
            <span className={css.tick} role="img" aria-label={done[name] ? texts.done : texts.open}>
              {done[name] && <CheckIcon />}
            </span>
            <span>
              <Link to={to}>{texts.step[name]}</Link>
              <small>{texts.why[name]}</small>
            </span>
          </li>
        ))}
      </ul>
      {hiding.error && <p role="alert">{sentenceOf(hiding.error, shared)}</p>}
      <Button kind="quiet" isDisabled={hiding.isPending} onPress={() => hiding.mutate()}>
        {texts.hide}
      </Button>
    </section>
  );
}

/** Loaded with the first of them. */
const useFirstStepsTexts = lazyTexts({
  de: async () => (await import('./first-steps.de')).firstSteps,
  en: async () => (await import('./first-steps.en')).firstSteps,
});
