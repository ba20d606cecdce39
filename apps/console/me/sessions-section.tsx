import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { Chip } from '../controls/chip';
import { Fault, sentenceOf } from '../shell/fault';
import { toasts } from '../shell/toasts';
import { useFormats, useTexts } from '../text/texts';
import { endSession, sessionsQuery } from './me.calls';
import css from './me.module.css';

export function SessionsSection() {
  const texts = useTexts();
  const formats = useFormats();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      toasts.show({ text: texts.me.sessionEnded });
      return queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: (refusal) => {
      toasts.show({ text: sentenceOf(refusal, texts), tone: 'failure' });
    },
  });
  return (
    <section className={css.section}>
      <h2 className={css.heading}>{texts.me.sessions}</h2>
      {error ? <Fault error={error} onAgain={() => void refetch()} /> : null}
      <ul className={css.sessions}>
        {(data?.data ?? []).map(({ id, current, created_at, last_used_at }) => (
          <li key={id} className={css.session}>
            <span title={formats.exact(last_used_at)}>
              {texts.me.sessionSince(formats.dateTime(created_at), formats.age(last_used_at))}
            </span>
            {current ? (
              <Chip tone="good">{texts.me.thisSession}</Chip>
            ) : (
              <Button
                onPress={() => {
                  end.mutate(id);
                }}
              >
                {texts.me.endSession}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
