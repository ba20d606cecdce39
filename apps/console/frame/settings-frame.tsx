import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Picker } from '../controls/picker';
import { settingsOf } from './areas';
import { useSession } from '../session/session.calls';
import { useTexts } from '../text/texts';
import css from './settings-frame.module.css';

/** The pages of the settings, with a navigation where a role has more than one. */
export default function SettingsFrame() {
  const texts = useTexts();
  const { staff } = useSession();
  const pages = settingsOf(staff.role);
  if (pages.length < 2) return <Outlet />;
  return (
    <div className={css.frame}>
      <nav className={css.pages} aria-label={texts.shell.settings}>
        <ul>
          {pages.map(({ to, name }) => (
            <li key={to}>
              <Link to={to} className={css.page ?? ''}>
                {name(texts)}
              </Link>
            </li>
          ))}
        </ul>
        <FoldedPages />
      </nav>
      <Outlet />
    </div>
  );
}

/** On a narrow screen, one list of choices. */
function FoldedPages() {
  const texts = useTexts();
  const { staff } = useSession();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const pages = settingsOf(staff.role);
  return (
    <div className={css.folded}>
      <Picker
        label={texts.shell.settings}
        choices={pages.map(({ to, name }) => ({ id: to, name: name(texts) }))}
        chosen={pathname}
        onChoose={(chosen) => {
          const page = pages.find(({ to }) => to === chosen);
          if (page) void navigate({ to: page.to });
        }}
      />
    </div>
  );
}
