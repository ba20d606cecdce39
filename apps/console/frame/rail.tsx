import { Link, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { MoonIcon, SunIcon } from '../controls/icon';
import { initialsOf } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import { areasOf } from './areas';
import { useWaiting } from './new-work';
import css from './rail.module.css';
import { useSession } from '../session/session.calls';
import { useThemeSwitch } from './shell-acts';

const PersonMenu = lazy(() => import('./person-menu'));

/** Left, 208 px wide in wide windows, else 60 px of icons; at the bottom of narrow ones. */
export function Rail() {
  const texts = useTexts();
  const session = useSession();
  const areas = useRef<HTMLUListElement>(null);
  const { pathname } = useLocation();
  // A telephone shows a part of the areas: the present one must be in it.
  useEffect(() => {
    areas.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return (
    <nav className={css.rail} aria-label={texts.shell.main}>
      <div className={css.brand}>
        <span className={css.mark}>
          <span className={css.ring} />
        </span>
        <span className={css.word}>{texts.shell.name}</span>
      </div>
      <ul ref={areas} className={css.areas}>
        {areasOf(session).map(({ to, name, icon: AreaIcon }) => (
          <li key={to}>
            <Link
              to={to}
              // The packing station, below /orders, has another entry.
              activeOptions={{ exact: to === '/orders' }}
              className={css.entry ?? ''}
              title={name(texts)}
            >
              <AreaIcon />
              <span className={css.word}>{name(texts)}</span>
              {to === '/requests' && <Waiting />}
            </Link>
          </li>
        ))}
      </ul>
      <ThemeSwitch />
      <Person />
    </nav>
  );
}

/** The title of the page says it, too. */
function Waiting() {
  const waiting = useWaiting();
  const formats = useFormats();
  if (!waiting) return null;
  return (
    <span className={css.waiting} aria-hidden>
      {formats.number(waiting)}
    </span>
  );
}

function ThemeSwitch() {
  const texts = useTexts();
  const { dark, toggle } = useThemeSwitch();
  return (
    <button
      type="button"
      className={`${css.entry ?? ''} ${css.theme ?? ''}`}
      onClick={toggle}
      aria-label={texts.shell.theme}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
      <span className={css.word}>{texts.shell.theme}</span>
    </button>
  );
}

/** The menu is loaded when a person reaches for it: most people sign out once a day. */
function Person() {
  const texts = useTexts();
  const { staff } = useSession();
  const [isWanted, setWanted] = useState(false);
  const shown = (
    <>
      <span className={css.face} aria-hidden>
        {initialsOf(staff.name)}
      </span>
      <span className={css.who}>
        <span className={css.name} title={staff.name}>
          {staff.name}
        </span>
        <span className={css.role}>{texts.shell.roles[staff.role]}</span>
      </span>
    </>
  );
  const button = (
    <button
      type="button"
      className={css.person}
      aria-description={texts.shell.menu}
      aria-haspopup="menu"
      onClick={() => {
        setWanted(true);
      }}
    >
      {shown}
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <PersonMenu className={css.person ?? ''}>{shown}</PersonMenu>
    </Suspense>
  );
}
