import css from './failure.module.css';
import type { Act } from './use-act';

/** Why an act was not done. A file apart from act-buttons.tsx, so that a page that shows a failure loads no dialog. */
export function Failure({ act }: { act: Pick<Act<never>, 'failure'> }) {
  return <div role="alert">{act.failure !== null && <p className={css.failure}>{act.failure}</p>}</div>;
}
