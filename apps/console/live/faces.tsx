import { initialsOf } from '../text/customer-name';
import { useTexts } from '../text/texts';
import css from './faces.module.css';
import { useColleagues } from './live';

/** Initials of the colleagues who have the request open; the title names them all. */
export function Faces({ requestId }: { requestId: string }) {
  const texts = useTexts().live;
  const people = useColleagues().filter(({ request_id: open }) => open === requestId);
  const [first] = people;
  if (!first) return null;
  const names = texts.openAt(people.map(({ name }) => name).join(', '));
  return (
    <span className={css.face} title={names} role="img" aria-label={names}>
      {people.length === 1 ? initialsOf(first.name) : `${initialsOf(first.name)} +${people.length - 1}`}
    </span>
  );
}
