import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../calls/api';
import { askEvery } from '../../live/live';
import { useSession } from '../../session/session.calls';
import { lazyTexts, useFormats } from '../../text/texts';
import css from '../review/requests.module.css';

/** How many orders of requests have waited for their payment for a week or longer: they hold their stock. */
export default function UnpaidLine() {
  const texts = useUnpaidTexts();
  const formats = useFormats();
  const mayRead = useSession().scopes.includes('orders.read');
  const { data } = useQuery({
    queryKey: ['orders', 'counts', {}],
    queryFn: ({ signal }) =>
      call('GET', '/api/v2/public/orgs/{orgId}/pipeline/counts', { query: {}, signal }),
    refetchInterval: askEvery,
    enabled: mayRead,
  });
  if (!data || data.unpaid_due === 0) return null;
  return (
    <Link to="/orders" search={{ unpaid: 'due' }} className={css.day ?? ''}>
      {texts.due(data.unpaid_due, formats.number(data.unpaid_due))}
    </Link>
  );
}

const useUnpaidTexts = lazyTexts({
  de: async () => (await import('./unpaid.de')).unpaid,
  en: async () => (await import('./unpaid.en')).unpaid,
});
